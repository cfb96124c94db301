"""Rules about code of other languages that deletes machines, data or clusters by a library."""

from __future__ import annotations

from hookline.guards.commands.hits import Hit
from hookline.text import lazy_re as re
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.commands.places import Scene
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


def judge_cloud_code(call: Call, _scene: Scene) -> Iterator[Hit]:
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
