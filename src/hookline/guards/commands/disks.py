"""Rules about disks: formatting, wiping, repartitioning, and writing to a device."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hookline.guards.commands.arguments import list_dd_targets, read_arguments
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.places import Place, classify, resolve_path
from hookline.text.script.reading import UNKNOWN, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

_INSTEAD = "name an image file, or ask the user to do it"


class Eraser(NamedTuple):
    """A program that erases a disk.

    `verbs`: the operands or options of which one makes it erase; empty: it always does.
    `is_volume`: its operand is a volume or pool, and no path. `dry`: options with which it changes
    nothing. `valued`: options that take a value.
    """

    verbs: frozenset[str]
    dry: frozenset[str]
    valued: tuple[str, ...]
    is_volume: bool


def _read(text: str) -> dict[str, Eraser]:
    rows = {}
    for line in text.replace("\n    ", " ").strip().splitlines():
        names, verbs, dry, valued, volume = (part.strip() for part in line.split("|"))
        row = Eraser(frozenset(verbs.split()), frozenset(dry.split()), tuple(valued.split()),
                     volume == "volume")  # fmt: skip
        rows.update(dict.fromkeys(names.split(), row))
    return rows


_HELP = frozenset(("--help", "-h", "--version", "-V", "-?"))
_ERASERS = _read("""
mkfs mke2fs mkswap mkntfs newfs | | -n --no-action | -t -L -b -U -O -E -m -I -i -N -T -d -s
    --label --type | path
mkfs.vfat mkfs.fat mkfs.msdos mkdosfs mkfs.exfat mkexfatfs | | | -n -F -s -S -r -R -f -i -b -D -M
    -g -h -L -c | path
mkfs.xfs | | -N | -b -d -i -l -L -m -n -p -r -s -c | path
mkfs.btrfs | | | -n -s -L -l -A -b -d -m -O -U -r --label --data --metadata | path
mkfs.minix mkfs.bfs mkfs.cramfs mkfs.f2fs mkfs.udf mkfs.jfs mkfs.reiserfs mkfs.nilfs2 | | | -n -N
    -i -l -L -b -c -e -o -s -t -U -V -E -J | path
wipefs | -a --all -o --offset -af -fa | -n --no-act | -t --types -o --offset | path
blkdiscard | | | -o -l -p --offset --length | path
shred wipe nwipe scrub | | | -n --iterations -s --size -p | path
sgdisk | -Z -z --zap-all --zap -o --clear -d --delete -n --new -g --mbrtogpt -og | -P --pretend
    | -t -c -u -A -N --typecode | path
sfdisk | | -l --list -d --dump -n --no-act -J --json -g -s -V --verify --show-size | -N -X
    --label | path
parted | mklabel mktable mkpart rm resizepart mkpartfs | | | path
cryptsetup | luksFormat erase luksErase reencrypt luksKillSlot | | --type -c -s -h --cipher
    --key-size --key-file -d | path
hdparm | --security-erase --security-erase-enhanced --trim-sector-ranges --make-bad-sector | | |
    path
nvme | format sanitize | | -n -s -l --ses --lbaf -a | path
badblocks | -w -wsv -wsvf -wv -ws -svw -swv | | -b -c -o -t -p -e -d | path
mdadm | --zero-superblock --create -C | | | path
zpool | destroy labelclear | -n | | volume
zfs | destroy | -n -nv -nvr -nrv | | volume
pvcreate | -f -ff --force -ffy -yff | -t --test | | path
vgremove lvremove pvremove | | -t --test | | volume
diskutil | eraseDisk eraseVolume eraseVolumes partitionDisk zeroDisk randomDisk secureErase
    reformat eraseAPFSVolumes deleteContainer deleteVolume | | | volume
fdisk gdisk cgdisk cfdisk | | -l --list -x | | path
Format-Volume Clear-Disk Initialize-Disk Remove-Partition | | -WhatIf | | volume
""")


def judge_device(word: Word, cwd: str, context: Context, what: str) -> Iterator[Hit]:
    """Yield a hit if a word is a disk."""
    path = resolve_path(word, cwd, context)
    if path and classify(path, context) is Place.DEVICE:
        shown = path.replace(UNKNOWN, "?")
        yield Hit("disk.erase", f"it {what} {shown}", _INSTEAD, (path,))


def _erase(call: Call, context: Context) -> Iterator[Hit]:
    name = call.program
    texts = call.texts[1:]
    row = _ERASERS.get(f"{name}.{_find_type(texts)}") or _ERASERS.get(name) or _ERASERS["mkfs"]
    if any(text in row.dry or text in _HELP for text in texts):
        return
    if row.verbs and not any(_is_verb(text, row.verbs) for text in texts):
        return
    given = read_arguments(call, row.valued)
    if row.is_volume:
        operands = [text for text in given.texts if text not in row.verbs]
        if operands or name.startswith(("Clear", "Format")):
            reason = f"it destroys {operands[0] if operands else 'a disk'}"
            yield Hit("disk.erase", reason.replace(UNKNOWN, "?"), _INSTEAD)
        return
    for word in given.operands:
        yield from judge_device(word, call.cwd, context, "erases")


def _find_type(texts: Sequence[str]) -> str:
    """Return the type in `mkfs -t TYPE`; empty if there is none."""
    named = [value for option, value in pairwise(texts) if option in ("-t", "--type")]
    named += [text.partition("=")[2] for text in texts if text.startswith("--type=")]
    return named[0] if named else ""


def _is_verb(text: str, verbs: Iterable[str]) -> bool:
    return any(text == verb or (verb.startswith("--") and text.startswith(f"{verb}="))
               or (verb.startswith("-") and not verb.startswith("--") and len(verb) == 2  # noqa: PLR2004
                   and text.startswith(verb)) for verb in verbs)  # fmt: skip


def _write_device(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `dd of=`."""
    for target in list_dd_targets(call):
        yield from judge_device(target, call.cwd, context, "writes to")


def _copy_to_device(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `cp IMAGE DEVICE`, `tee DEVICE` and their kin."""
    operands = read_arguments(call).operands
    targets = operands if call.program in ("tee", "truncate", "shred") else operands[-1:]
    if len(operands) > 1 or call.program in ("tee", "truncate"):
        for word in targets:
            yield from judge_device(word, call.cwd, context, "writes to")


def judge_disk_redirects(call: Call, context: Context) -> Iterator[Hit]:
    """Yield the redirections that write to a disk."""
    for redirect in call.redirects:
        if redirect.operator in (">", ">|", ">>", "&>", "&>>", "<>"):
            yield from judge_device(redirect.target, call.cwd, context, "writes to")


DISK_RULES: Rules = {
    **dict.fromkeys(_ERASERS, _erase),  # and every other `mkfs.TYPE`
    **dict.fromkeys(("dd", "dcfldd", "dc3dd"), _write_device),
    **dict.fromkeys(("cp", "mv", "tee", "truncate", "install", "ddrescue"), _copy_to_device),
}
