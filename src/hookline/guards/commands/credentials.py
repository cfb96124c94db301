"""Says which paths and variables hold credentials, and which commands print them."""

from __future__ import annotations

import enum
from fnmatch import fnmatchcase
from functools import lru_cache

from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Secret(enum.Enum):
    """What a path holds."""

    ENV_FILE = "an environment file"
    CREDENTIAL = "a credential file"
    PRIVATE_KEY = "a private key"


_KEY_FOLDERS = (".ssh", ".gnupg")
_FOLDERS = make_set("""
.ssh .gnupg .aws .kube .azure .password-store .config/gcloud .config/gh .config/op .config/doctl
.config/heroku .local/share/keyrings Library/Keychains .solana .config/solana .ethereum/keystore
.bitcoin .electrum .step .terraform.d .config/hub .oci .config/rclone .config/sops
""")
_NAMES = make_set("""
.netrc _netrc .git-credentials .npmrc .pypirc .pgpass .my.cnf .vault-token .s3cfg .boto
credentials.json client_secret.json service-account.json serviceaccount.json secrets.json
secrets.yml secrets.yaml secrets.toml secrets.env secret.json secret.yml secret.yaml
.dockercfg wallet.dat .htpasswd kubeconfig .kubeconfig .terraformrc credentials.tfrc.json
id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_sk id_ecdsa_sk master.key .bash_history
.zsh_history .psql_history .mysql_history .python_history key.pem private.pem privkey.pem
server.key private.key credentials.toml vault.yml vault_pass.txt
.vault_pass .credentials token.json tokens.json keyfile.json adc.json
""")
_PATHS = ("/etc/shadow", "/etc/gshadow", "/etc/krb5.keytab", "/proc/*/environ",
          "*/.docker/config.json", "*/.cargo/credentials*", "*/.gem/credentials",
          "*/.m2/settings.xml", "*/Login Data", "*/Cookies", "*/logins.json", "*/key4.db",
          "*/.config/gcloud/*", "*/.config/gh/hosts.yml", "/etc/ssh/ssh_host_*_key",
          "/var/run/secrets/*", "/run/secrets/*", "*/.aws/credentials", "*/.kube/config",
          "*/.circleci/cli.yml", "*/.claude/.credentials.json", "*/.codex/auth.json",
          "*/.gemini/oauth_creds.json", "*/.config/hookline/token*")  # fmt: skip
_ENDS = (
    ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".pem", ".key", ".asc.key", ".keytab",
    ".tfstate", ".ovpn", ".mobileprovision",
)  # fmt: skip
_ENV = re.compile(r"(?:[\w-]+)?\.env(?:\.[\w.-]+)?|\.envrc|env\.(?:prod|production|local)")
# Words in a name which say that it is no secret.
_HARMLESS = re.compile(
    r"example|sample|template|dist\b|schema|defaults?\b|\.pub\b|public|known_hosts|authorized_keys"
    r"|fullchain|(?:^|[_.-])chain|cacert|ca-cert|(?:^|[/_.-])ca(?:[_.-]|\b)|(?:^|[/_.-])cert(?:ificate)?[._-]"
    r"|cert\.pem|\.crt|rootca|root_ca|ca-bundle|dhparam|\.test\b|\.ci\b|\.md$|\.d\.ts$|\.sh$|\.py$"
    r"|\.ts$|\.js$|\.go$|\.rs$|\.rb$|cacerts|\.encrypted|\.enc$|\.sops|\.gpg$|\.age$|config\.example"
    r"|pinned|trusted"
)
_NO_KEYS = make_set("known_hosts known_hosts.old config authorized_keys environment rc")
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET\w*|TOKEN|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|PRIVATE_KEY"
    r"|AUTH|APIKEY|PASSPHRASE|CLIENT_SECRET|SIGNING_KEY|ENCRYPTION_KEY|MASTER_KEY|SESSION_KEY"
    r"|DATABASE_URL|DSN|CONNECTION_STRING|MNEMONIC|SEED_PHRASE|PAT|JWT|KEY|DB_URL|REDIS_URL)"
    r"(?:_\w+)?$"
)
_NO_SECRET_NAME = re.compile(
    r"(?:^|_)(?:PUBLIC|PUB)_|_PATH$|_FILE$|_DIR$|_ID$|_NAME$|(?:HOST|BASE|API|APP|SITE|CALLBACK|AUTH)_URL$|KEY_ID"
    r"|^PWD$|^OLDPWD$|_COUNT$|_TTL$|_EXPIRES?\w*$|SSH_AUTH_SOCK|^XAUTHORITY$|CACHE_KEY|SORT_KEY"
    r"|PRIMARY_KEY|AUTH_(?:USER|HOST|URL|MODE|TYPE)|PASSED|^KEYS?$|FOREIGN_KEY"
)


@lru_cache(maxsize=512)
def find_secret(path: str) -> Secret | None:
    """Return what a path holds, from its name alone; None if that is no secret."""
    if len(path) > _LONGEST:
        return None
    path = path.rstrip("/").removesuffix("/*").removesuffix("/.")
    if _GLOB.search(path):
        path = _match_usual(path) or path
    name = path.rpartition("/")[2]
    if not name:
        return None
    if _HARMLESS.search(name.lower()):
        is_kept = name.endswith(".gpg") or "keychain" in name.lower()
        return _find_in_folder(path, name) if is_kept else None
    if _ENV.fullmatch(name):
        return Secret.ENV_FILE
    lower = name.lower()
    if lower in _NAMES:
        is_key = lower.startswith("id_") or lower.endswith((".key", ".pem"))
        return Secret.PRIVATE_KEY if is_key else Secret.CREDENTIAL
    if lower.endswith(_ENDS):
        is_key = lower.endswith((".pem", ".key", ".ppk"))
        return Secret.PRIVATE_KEY if is_key else Secret.CREDENTIAL
    if any(fnmatchcase(path, pattern) for pattern in _PATHS):
        return Secret.CREDENTIAL
    return _find_in_folder(path, name)


_GLOB = re.compile(r"[*?\[]")
_LONGEST = 1024  # no path of a secret is longer
_USUAL = tuple(
    tuple(path.split("/"))
    for path in make_set(""".ssh/id_rsa .ssh/id_ed25519 .aws/credentials .kube/config .netrc .env
    .gnupg/secring.gpg .docker/config.json .npmrc .pypirc .pgpass .git-credentials /etc/shadow""")
)


def _match_usual(path: str) -> str:
    """Return a usual credential that a glob names; empty if it names none."""
    parts = path.split("/")
    for usual in _USUAL:
        tail = parts[-len(usual) :]
        is_wide = all(part.strip("*?.") == "" for part in tail)
        if not is_wide and len(tail) == len(usual) and all(map(fnmatchcase, usual, tail)):
            return "/".join((*parts[: -len(usual)], *usual))
    return ""


def _find_in_folder(path: str, name: str) -> Secret | None:
    for folder in _FOLDERS:
        at = f"{path}/".find(f"/{folder}/")
        if at < 0 and not f"{path}/".startswith(f"{folder}/"):
            continue
        if name in _NO_KEYS and folder in _KEY_FOLDERS:
            return None
        if folder == ".aws" and name == "config":
            return None
        if folder == ".kube" and name not in ("config", ".kube"):
            return None
        return Secret.PRIVATE_KEY if folder in _KEY_FOLDERS else Secret.CREDENTIAL
    return None


def is_secret_variable(name: str) -> bool:
    """Return whether a variable's name says that its value is secret."""
    return bool(_SECRET_NAME.search(name)) and not _NO_SECRET_NAME.search(name)


# Commands that print secrets: the words that the call must begin with, in order.
_PRINTS = tuple(
    tuple(line.split())
    for line in """
gh auth token
glab auth token
aws configure get
aws sts get-session-token
aws sts assume-role
aws secretsmanager get-secret-value
aws ssm get-parameter
aws ecr get-login-password
aws iam create-access-key
vault kv get
vault read
vault token
pass show
op read
op item get
bw get
bw list
lpass show
gcloud auth print-access-token
gcloud auth print-identity-token
gcloud auth application-default print-access-token
gcloud secrets versions access
az account get-access-token
az keyvault secret show
az acr credential show
security find-generic-password
security find-internet-password
secret-tool lookup
kubectl get secret
kubectl get secrets
oc get secret
kubectl config view
oc whoami -t
gpg --export-secret-keys
gpg --export-secret-key
gpg2 --export-secret-keys
heroku config
heroku auth:token
doppler secrets
infisical secrets
chamber read
fly auth token
vercel env pull
git credential fill
sops -d
sops --decrypt
ansible-vault view
age -d
age --decrypt
railway variables
netlify env:list
supabase secrets
stripe config
npm token
docker secret inspect
keyctl print
keyctl pipe
pass
firebase login:ci
""".strip().splitlines()
)
_PRINTERS = frozenset(words[0] for words in _PRINTS)
_PASS_VERBS = make_set("show ls list find insert edit generate rm mv cp git init help version grep")
_NEEDS: Mapping[tuple[str, ...], str] = {("kubectl", "config", "view"): "--raw"}


def prints_secret(texts: Sequence[str]) -> bool:
    """Return whether a call with these words prints a secret."""
    name = texts[0].rpartition("/")[2] if texts else ""
    if name not in _PRINTERS:
        return False
    rest = [text for text in texts[1:] if UNKNOWN not in text]
    for words in _PRINTS:
        if words[0] != name or not _begins_with(rest, words[1:]):
            continue
        if words == ("pass",):
            return bool(rest) and rest[0] not in _PASS_VERBS and not rest[0].startswith("-")
        if words[:3] == ("aws", "configure", "get"):
            return any("secret" in text or "token" in text for text in rest)
        needed = _NEEDS.get(words)
        if needed is not None and needed not in rest:
            continue
        return True
    return False


def _begins_with(rest: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the words come in this order before any other operand."""
    wanted = list(words)
    for text in rest:
        if not wanted:
            return True
        if text == wanted[0]:
            del wanted[0]
        elif not text.startswith("-"):
            return False
    return not wanted
