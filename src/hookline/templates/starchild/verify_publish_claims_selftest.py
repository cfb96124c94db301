#!/usr/bin/env python3
"""Tries `verify_publish_claims.py`, which lies beside it; run it after each change."""

import os
import subprocess
import sys

if __name__ == "__main__":
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verify_publish_claims.py")
    sys.exit(subprocess.call([sys.executable, script, "--self-test"]))
