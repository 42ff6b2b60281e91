"""The classes of this ROS package's messages and services, as rs-ros-node publishes them.

genpy makes them of the definitions in msg/ and srv/, beside src/, when msg or srv is imported.
"""

import glob
import os

import genmsg.msg_loader
import genpy.generator

_HEADER = "uint32 seq\ntime stamp\nstring frame_id"  # Debian has std_msgs' definitions in a package of their own
_KINDS = {
    "msg": (genmsg.msg_loader.load_msg_from_file, genpy.generator.msg_generator),
    "srv": (genmsg.msg_loader.load_srv_from_file, genpy.generator.srv_generator),
}


def _source(kind):
    """Returns the source of the classes of a kind."""
    load, generate = _KINDS[kind]
    context = genmsg.MsgContext.create_default()
    context.register("std_msgs/Header", genmsg.msg_loader.load_msg_from_string(context, _HEADER, "std_msgs/Header"))
    root = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
    lines = []
    for path in sorted(glob.glob(os.path.join(root, kind, "*." + kind))):
        name = os.path.splitext(os.path.basename(path))[0]
        lines += generate(context, load(context, path, __name__ + "/" + name), {})
    return "\n".join(lines)
