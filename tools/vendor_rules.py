"""Writes `vendor_rules.json` from the rules of gitleaks: `python tools/vendor_rules.py FILE.toml`.

The rules are data under the MIT licence, whose notice is in the file. What hookline has rules of
its own for is left out, and so are keys that are no secret.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import re2

PATH = Path(__file__).parents[1] / "src" / "hookline" / "text" / "secrets" / "vendor_rules.json"
NOTICE = (
    "Rules of gitleaks (https://github.com/gitleaks/gitleaks), MIT License,"
    " Copyright (c) 2019 Zachary Rice. Permission is hereby granted, free of charge, to any person"
    ' obtaining a copy of this software and associated documentation files (the "Software"), to'
    " deal in the Software without restriction, including without limitation the rights to use,"
    " copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and"
    " to permit persons to whom the Software is furnished to do so, subject to the following"
    " conditions: The above copyright notice and this permission notice shall be included in all"
    ' copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT'
    " WARRANTY OF ANY KIND."
)
# Rules that hookline has of its own, and keys that are public.
LEFT_OUT = frozenset(
    (
        "generic-api-key",
        "private-key",
        "curl-auth-header",
        "curl-auth-user",
        "kubernetes-secret-yaml",
        "pkcs12-file",
        "jwt",
        "jwt-base64",
        "lob-pub-api-key",
        "mailgun-pub-key",
        "flutterwave-public-key",
        "sumologic-access-id",
        "sendbird-access-id",
        "nuget-config-password",
        "hashicorp-tf-password",
        "age-secret-key",
    )
)


def main(path: str) -> None:
    """Write the rules of a file of gitleaks."""
    rules = tomllib.loads(Path(path).read_text(encoding="utf-8"))["rules"]
    rows = []
    for rule in sorted(rules, key=lambda each: each["id"]):
        name = rule["id"]
        if name in LEFT_OUT or name.endswith("-client-id") or "regex" not in rule:
            continue
        pattern = re2.compile(rule["regex"])
        group = rule.get("secretGroup") or (1 if pattern.groups else 0)
        rows.append([name, rule["keywords"], rule["regex"], group, rule.get("entropy", 0)])
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    text = f'{{"notice": {json.dumps(NOTICE)},\n "rules": [\n  {lines}\n ]}}\n'
    PATH.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
