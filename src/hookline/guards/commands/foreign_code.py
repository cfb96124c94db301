"""Rules about code of other languages: it ends processes, or deletes what a cloud holds."""

from __future__ import annotations

from hookline.guards.commands.hits import Hit
from hookline.text import lazy_re as re
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

# What shows that code talks to a cloud or a cluster.
_LIBRARIES = re.compile(
    r"boto3?\b|aws-sdk|@aws-sdk|aws_sdk|Aws::|google[./-]cloud|googleapiclient|@google-cloud|azure"
    r"|kubernetes|@pulumi|digitalocean|hcloud|openstack|libcloud|minio",
    re.IGNORECASE,
)
# Methods without `_` and capitals: `delete_bucket` and `DeleteBucketCommand` are one.
_METHODS = make_set("""
deletebucket deletebuckets deleteobjects terminateinstances deletevolume deletevpc deletesnapshot
deletedbinstance deletedbcluster deletetable deletestack deletecluster deletenodegroup
deletefilesystem deletefunction deleteservice schedulekeydeletion deletehostedzone
deletecachecluster deletereplicationgroup deleteproject deleteinstance deletedisk deletedatabase
deletenamespace deletenamespaceddeployment deletenamespacedstatefulset deletenamespaceddaemonset
deletecollectionnamespaceddeployment deletecollectionnamespacedpod deletenode
deletepersistentvolume deletenamespacedpersistentvolumeclaim deletecontainer deletedroplet
begindelete removebucket
""")
_CALLED = re.compile(r"(?:\.|\bnew\s+|->)([A-Za-z]\w{5,60})\s*\(")
_EVERYTHING = re.compile(r"\.(?:objects|object_versions)(?:\.all\(\))?\.delete\(")

_FORKS = re.compile(
    r"(?:while|loop|until|for ?\( ?;).{0,60}\bfork\b"
    r"|\bfork\b.{0,20}(?:while|until|for \w+ in (?:iter|itertools))\b"
)
_KILLS = re.compile(r"\bkill\(?\s*(?:-1\b|9,\s*-1\b)")


def judge_process_code(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge code that ends all processes, or starts itself without end."""
    if _KILLS.search(call.code):
        yield Hit("system", "it ends all processes", "end one process by its number")
    if _FORKS.search(" ".join(call.code.split())):
        yield Hit("dos.forkbomb", "it starts itself again and again", "use a bounded loop")


def judge_cloud_code(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge code that deletes by a library of a cloud what its own program may not delete."""
    if not _LIBRARIES.search(call.code):
        return
    for match in _CALLED.finditer(call.code):
        name = match[1].replace("_", "").lower()
        if name.removesuffix("command").removesuffix("sync").removesuffix("async") in _METHODS:
            yield Hit(
                "infra.destroy",
                f"it deletes what a cloud holds (`{match[1]}`)",
                "let the user run it",
            )
            return
    if _EVERYTHING.search(call.code):
        yield Hit("infra.destroy", "it deletes the objects of a bucket", "let the user run it")
