"""Files that a system does not work without: settings, accounts, programs, libraries."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hookline.text import lazy_re as re
from hookline.text.script.reading import make_set

VITAL = re.compile(
    r"/etc/(?:passwd|shadow|gshadow|group|sudoers|fstab|crypttab|inittab|ld\.so\.\w+|nsswitch\.conf"
    r"|hosts|pam\.d/.*|ssh/(?:sshd_config|ssh_host_.*)|default/grub|machine-id|profile|securetty"
    r"|sudoers\.d|login\.defs|systemd/system\.conf)-?$"
    r"|/(?:boot|bin|sbin|lib|lib32|lib64|usr/bin|usr/sbin|usr/lib|usr/lib64|usr/libexec)/.+"
    r"|/(?:vmlinuz|initrd).*|/System/.+"
)
# Files that a glob such as `/etc/pass?d` may name.
_USUAL = tuple(
    sorted(
        make_set("""/etc/passwd /etc/shadow /etc/gshadow /etc/group /etc/sudoers /etc/fstab
/etc/crypttab /etc/hosts /etc/ssh/sshd_config /etc/nsswitch.conf /etc/profile /etc/login.defs
/bin/sh /bin/bash /usr/bin/env /usr/bin/sudo""")
    )
)
# Programs and libraries that a system does not work without.
PROGRAMS = re.compile(
    r"/(?:usr/)?s?bin/(?:(?:ba|da|z|k)?sh|ls|cp|mv|rm|cat|ln|chmod|chown|mkdir|sudo|su|login|passwd"
    r"|mount|umount|init|systemd|systemctl|env|id|ps|kill|grep|sed|awk|tar|gzip|find|xargs|ssh|sshd"
    r"|getty|agetty|ip|apt|apt-get|dpkg|rpm|dnf|yum|apk|pacman|python3?|perl|useradd|usermod|visudo"
    r"|crontab|cron|reboot|shutdown|modprobe|fsck|dd)$"
    r"|/(?:usr/)?lib(?:32|64)?/(?:[\w-]+/)?(?:lib(?:c|m|dl|pthread|pam|crypto|ssl|systemd)|ld-linux\S*"
    r"|ld-musl\S*)[.-][\w.-]*$"
)
ACCOUNT_FILE = re.compile(r"/etc/(?:passwd|shadow|gshadow|group|sudoers|fstab|crypttab)$")
ACCOUNT_OR_BOOT_FILE = re.compile(
    r"/etc/(?:passwd|shadow|gshadow|group|sudoers|fstab|crypttab)-?$|/boot/.+"
)
INSTEAD = "append, or write to a file of your own"


def name_usual(path: str) -> str:
    """Return the file of the system that a glob names; the path itself if it names none."""
    if not any(sign in path for sign in "*?["):
        return path
    return next((each for each in _USUAL if fnmatchcase(each, path)), path)
