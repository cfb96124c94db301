"""Rows: the shapes of secrets, each with the words of which one is in every such text."""

from __future__ import annotations

import json
import pkgutil
import re
from functools import cache
from typing import NamedTuple

from hookline.text.secrets.context import make_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Row(NamedTuple):
    """A shape.

    Attributes:
        kind: what it is, for machines.
        title: what a person calls it.
        keywords: lower-case texts of which one is in every text with such a secret.
        pattern: an expression of RE2.
        group: the group that is the secret; 0 for all of it, -1 for the first one that matched.
        check: the function of `checks` that must agree; empty for none.
        is_vendor_key: its first and last characters may be shown.
        entropy: bits in each character that it has at least.
        is_strict: its shape alone proves it, also in a text that was put together again.
    """

    kind: str
    title: str
    keywords: tuple[str, ...]
    pattern: str
    group: int = 0
    check: str = ""
    is_vendor_key: bool = False
    entropy: float = 0.0
    is_strict: bool = False


def _read_core(text: str) -> Iterator[Row]:
    """Yield the rows of `kind | title | keywords` and, on indented lines, the pattern.

    The kind has the check in brackets.
    """
    for entry in re.split(r"\n(?! )", text.strip()):
        head, *lines = entry.split("\n")
        kind, title, keywords = (part.strip() for part in head.split("|"))
        pattern = "".join(line.strip() for line in lines)
        name, _, check = kind.partition("[")
        group = 1 if "(?P<s>" in pattern else 0
        yield Row(
            name.rstrip("!*"),
            title,
            tuple(keywords.split()),
            pattern,
            group,
            check.rstrip("]*!"),
            is_vendor_key="*" in kind,
            is_strict="!" in kind,
        )


# `*`: a key of a vendor. `!`: the shape alone proves it.
_CORE = r"""
anthropic-api-key*! | an Anthropic key | sk-ant-
    \bsk-ant-[A-Za-z0-9_-]{20,}
openrouter-api-key*! | an OpenRouter key | sk-or-
    \bsk-or-(?:v\d-)?[A-Za-z0-9_-]{20,}
openai-api-key*! | an OpenAI key | sk-
    \bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}
openai-api-key[key]*! | an API key | sk-
    \bsk-[A-Za-z0-9]{32,}\b
github-token*! | a GitHub token | ghp_ gho_ ghu_ ghs_ ghr_
    \bgh[pousr]_[A-Za-z0-9]{36,255}\b
github-fine-grained-token*! | a GitHub token | github_pat_
    \bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b
github-fine-grained-token*! | a GitHub token | github_pat_
    \bgithub_pat_[A-Za-z0-9_]{60,255}\b
gitlab-token*! | a GitLab token | glpat- gldt- glrt- glptt- glsoat-
    \bgl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent)-[A-Za-z0-9_-]{20,}
aws-access-key*! | an AWS access key | akia asia abia acca
    \b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b
aws-secret-key | an AWS secret key | aws secret
    (?i)aws.{0,24}(?:secret|key).{0,24}[^A-Za-z0-9/+](?P<s>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)
google-api-key*! | a Google API key | aiza
    \bAIza[A-Za-z0-9_-]{35}\b
google-oauth-secret*! | a Google client secret | gocspx-
    \bGOCSPX-[A-Za-z0-9_-]{28}\b
google-oauth-token*! | a Google access token | ya29.
    \bya29\.[A-Za-z0-9_-]{30,}
slack-token*! | a Slack token | xoxb- xoxp- xoxa- xoxr- xoxs- xoxe xapp-
    \b(?:xox[abeprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{10,}
slack-webhook! | a Slack webhook | hooks.slack.com
    https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}
discord-webhook! | a Discord webhook | discord
    https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,}
discord-token*! | a Discord token | discord bot token client
    \b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b
telegram-bot-token*! | a Telegram bot token | :aa
    \b\d{8,10}:AA[A-Za-z0-9_-]{32,34}\b
stripe-live-key*! | a Stripe live key | sk_live_ rk_live_
    \b[sr]k_live_[A-Za-z0-9]{16,}\b
stripe-webhook-secret*! | a Stripe webhook secret | whsec_
    \bwhsec_[A-Za-z0-9+/=]{32,}
huggingface-token*! | a Hugging Face token | hf_
    \bhf_[A-Za-z0-9]{34,}\b
npm-token*! | an npm token | npm_
    \bnpm_[A-Za-z0-9]{36}\b
pypi-token*! | a PyPI token | pypi-
    \bpypi-AgE[A-Za-z0-9_-]{50,}
sendgrid-key*! | a SendGrid key | sg.
    \bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}\b
groq-key*! | a Groq key | gsk_
    \bgsk_[A-Za-z0-9]{40,}\b
xai-key*! | an xAI key | xai-
    \bxai-[A-Za-z0-9]{60,}\b
replicate-token*! | a Replicate token | r8_
    \br8_[A-Za-z0-9]{37,40}\b
perplexity-key*! | a Perplexity key | pplx-
    \bpplx-[A-Za-z0-9]{40,}\b
fireworks-key*! | a Fireworks key | fw_
    \bfw_[A-Za-z0-9]{22,40}\b
langsmith-key*! | a LangSmith key | lsv2_
    \blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b
tavily-key*! | a Tavily key | tvly-
    \btvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}\b
digitalocean-token*! | a DigitalOcean token | doo_v1_ dop_v1_ dor_v1_
    \bdo[opr]_v1_[a-f0-9]{64}\b
shopify-token*! | a Shopify token | shp
    \bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b
square-token*! | a Square token | eaaa sq0
    \b(?:EAAA[A-Za-z0-9_-]{60}|sq0[a-z]{3}-[A-Za-z0-9_-]{22,43})\b
twilio-key* | a Twilio key | twilio
    (?i)twilio.{0,40}\b(?P<s>(?:SK)?[a-f0-9]{32})\b
mailgun-key*! | a Mailgun key | key-
    \bkey-[a-f0-9]{32}\b
mailchimp-key*! | a Mailchimp key | -us
    \b[a-f0-9]{32}-us\d{1,2}\b
notion-token*! | a Notion token | ntn_ secret_
    \b(?:ntn_\d{11}[A-Za-z0-9]{32,}|secret_[A-Za-z0-9]{43})\b
linear-key*! | a Linear key | lin_
    \blin_(?:api|oauth)_[A-Za-z0-9]{40,}\b
supabase-key*! | a Supabase key | sbp_ sb_secret_
    \b(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})\b
databricks-token*! | a Databricks token | dapi
    \bdapi[a-f0-9]{32}(?:-\d)?\b
vault-token*! | a Vault token | hvs. hvb. hvr.
    \bhv[sbr]\.[A-Za-z0-9_-]{24,}
terraform-token*! | a Terraform token | .atlasv1.
    \b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}
doppler-token*! | a Doppler token | dp.
    \bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,44}\b
tailscale-key*! | a Tailscale key | tskey-
    \btskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}
cloudflare-token* | a Cloudflare token | cloudflare cf_
    (?i)(?:cloudflare|cf)[\w -]{0,30}(?:token|key)["']?\s*[:=]\s*["']?
    (?P<s>[A-Za-z0-9_-]{37,40})\b
azure-storage-key! | an Azure storage key | accountkey sharedaccesskey
    (?i)(?:Account|SharedAccess)Key=(?P<s>[A-Za-z0-9+/]{40,}={0,2})
azure-sas | an Azure shared access signature | sig=
    (?i)[?&]s[vr]=[^\s"']*?[?&]sig=(?P<s>[A-Za-z0-9%+/=]{40,})
azure-client-secret*! | an Azure client secret | 8q~ 7q~
    \b[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}\b
facebook-token*! | a Facebook token | eaa
    \bEAA[A-Za-z0-9]{90,}\b
twitter-bearer*! | a Twitter token | aaaaaaaa
    \bA{20,22}[A-Za-z0-9%]{60,}\b
gcp-service-account! | a service account's key | private_key_id
    "private_key_id"\s*:\s*"(?P<s>[a-f0-9]{40})"
pem-private-key[pem]! | a private key | -----begin
    -----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\S]{16,}?-----END\x20
    (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----
pem-private-key[pem]! | a private key | -----begin
    -----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:,.-]{32,}
putty-private-key! | a private key | putty-user-key-file
    PuTTY-User-Key-File-\d:[\s\S]{20,}?Private-MAC: [a-f0-9]{40,}
age-secret-key! | an age key | age-secret-key-1
    (?i)\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b
nostr-secret-key! | a nostr key | nsec1
    \bnsec1[02-9ac-hj-np-z]{58}\b
extended-private-key[base58]! | an extended private key | prv
    \b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{107,108}\b
bitcoin-private-key[base58] | a Bitcoin private key |
    \b[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}\b
jwt[jwt]! | a JSON web token | eyj
    \beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}
jwt[jwt]! | a JSON web token | eyj
    \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{10,}
url-password[url] | a password in an address | ://
    \b[a-z][a-z0-9+.-]{1,20}://[^\s:/?#@"'`<>\[\]{}]{0,100}:(?P<s>[^\s/?#"'`<>]{3,200})@[\w.\[-]
connection-password[value] | a password of a connection string | pwd= password=
    (?i)[;?&]\s*(?:pwd|password)\s*=\s*(?P<s>[^;&"'\s]{4,100})
bearer-token[opaque] | a bearer token | bearer
    (?i)\bbearer[\s\\]+(?P<s>[A-Za-z0-9._~+/-]{20,}={0,2})
connection-password[value] | a password of a connection string | oracle:thin
    (?i)oracle:thin:[\w$]{1,40}/(?P<s>[^@\s"'/]{4,100})@
connection-password[given] | a password of a connection | :5432: :3306: :6432: :5433: :*:
    (?m)^[\w.*-]{1,80}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<s>[^\s:]{6,100})$
otp-secret[value]! | a seed of one-time passwords | otpauth:
    otpauth://[^\s"']{1,200}?[?&]secret=(?P<s>[A-Za-z2-7]{16,})
authorization[opaque] | a token of a header | authorization
    (?i)\bauthorization["']?\s*[:=]\s*["']?(?:token|api-?key|key|ssws|geniekey|bot|oauth|pat)[ =]
    \s*["']?(?P<s>[A-Za-z0-9._~+/-]{16,}={0,2})
session-cookie[given] | a session | cookie
    (?i)\bcookie2?["']?\s*[:=][^\n]*?\b[\w.-]*(?:sess|sid|token|auth)[\w.-]*=
    (?P<s>[^;\s"',]{16,})
basic-auth[basic] | a password in a header | basic
    (?i)\bauthorization["']?\s*:\s*["']?basic\s+(?P<s>[A-Za-z0-9+/]{8,}={0,2})
"""
_NAMES = (
    "(?:api_?-?key|secret|token|passw(?:or)?d|passwd|pwd|credentials?|access_?-?key|auth_?-?key"
    "|private_?-?key|app(?:lication)?_?-?key|encryption_?-?key|signing_?-?key|secret_?-?key"
    "|master_?-?key|passphrase|mnemonic|auth|(?:\\b|_)pass\\b)"
)
_GENERIC = r"""
named-secret[named] | a secret value | key token secret pass pwd credential auth
    (?i)NAMES[A-Za-z0-9_.-]{0,24}\\?["'`]?\]?
    [ \t]{0,3}(?::[ \t]?[A-Za-z_.\[\]]{2,20}[ \t]?=|::?=|=>|==?|:|\x{ff1a})
    (?:\s{0,40}[rbfu]?"([^"\n]{6,})"|[ \t\\]{0,8}[rb]?'([^'\n]{6,})'
    |[ \t\\]{0,8}["'`]?([^\s"'`,;(){}<>|&]{6,}))
named-secret[given] | a secret value | key token secret passw pwd credential auth
    (?i)NAMES[A-Za-z0-9_]{0,12}["']?[ \t]?[,(][ \t]?["']([^"'\s]{10,})["']
named-secret[given] | a secret value | value
    (?i)NAMES[A-Za-z0-9_.-]{0,12}["']?,?\s{1,40}["']?value["']?:[ \t]?["']?([^\s"',}]{8,})
named-secret[given] | a secret value | </
    (?i)NAMES[A-Za-z0-9_.:-]{0,12}>\s?([^\s<>]{8,})\s?</
option-secret[given] | a secret value | key token secret passw pwd auth pass
    (?i)(?:^|[\s"'])--?[a-z-]*(?:password|passwd|pass|token|secret|api-?key|access-?key|auth|key)
    (?:-[a-z-]*)?["',]*[ =]+["']?([^\s"'`]{8,})
option-secret[option] | a password | mysql maria sshpass redis docker mongo ldap mosquitto
    (?i)\b(?:mysql\w*|mariadb\S*|sshpass|docker login|mongo\w*|mosquitto_\w+|ldap\w+|redis-cli)
    \b[^\n|]*?\s-(?:p|w|a|P)\s?["']?([^\s"'|-][^\s"'|]{5,})
option-secret[option] | a password | curl http wget
    (?i)\b(?:curl|httpie?|wget|xh)\b[^\n|]*?\s(?:-u|--user|-a|--auth)[ =]?["']?[^\s"':]{1,60}:
    ([^\s"'@/][^\s"'|]{5,})
""".replace("NAMES", _NAMES)
CORE = tuple(_read_core(_CORE))
GENERIC = tuple(row._replace(group=-1) for row in _read_core(_GENERIC))


def _read_table(name: str) -> str:
    # `importlib.resources` takes five milliseconds to import.
    return (pkgutil.get_data(__name__, name) or b"").decode()


@cache
def read_shape_rows() -> tuple[Row, ...]:
    """Return the rows of the vendors' keys that their shape alone proves."""
    lines = _read_table("vendor_shapes.txt").splitlines()
    return tuple(_read_shape(line) for line in lines if not line.startswith("#"))


def _read_shape(line: str) -> Row:
    vendor, keywords, pattern = line.split(" | ", 2)
    article = "an" if vendor[0] in "AEIO8" else "a"
    has_group = re.search(r"(?<!\\)\((?!\?)", pattern) is not None
    return Row(
        f"{make_slug(vendor)}-key",
        f"{article} {vendor} key",
        tuple(keywords.split()),
        pattern,
        group=-1 if has_group else 0,
        is_vendor_key=True,
        is_strict=True,
    )


@cache
def read_vendor_rows() -> tuple[Row, ...]:
    """Return the rows of the vendors that have no row of their own."""
    rules: list[list[Any]] = json.loads(_read_table("vendor_rules.json"))["rules"]
    return tuple(
        Row(
            kind,
            f"a secret ({kind.replace('-', ' ')})",
            tuple(keywords),
            pattern,
            group,
            "plain",
            is_vendor_key=True,
            entropy=entropy,
        )
        for kind, keywords, pattern, group, entropy in rules
    )
