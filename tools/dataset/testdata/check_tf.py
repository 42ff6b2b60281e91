"""Prints the poses of a frame in another one, as tf's transformations compute them from a bag.

    python3 check_tf.py BAG FROM TO

At each stamp of the transform from odom to base: number x y z qx qy qz qw.
"""
import bisect
import sys

import rosbag
from tf import transformations as tf

links = {}
for topic, m, _ in rosbag.Bag(sys.argv[1]).read_messages():
    if topic in ("/tf", "/tf_static"):
        for t in m.transforms:
            parent, child = t.header.frame_id.lstrip("/"), t.child_frame_id.lstrip("/")
            links.setdefault(child, (parent, topic, []))[2].append((t.header.stamp.to_nsec(), t.transform))


def at(child, stamp):
    _, topic, list = links[child]
    i = bisect.bisect_left([s for s, _ in list], stamp)
    if topic == "/tf_static":
        i, stamp = 0, list[0][0]
    (b, u) = list[i]
    (a, t) = list[max(i - 1, 0)] if b != stamp else (b, u)
    part = (stamp - a) / (b - a) if a != b else 0.0
    xyz = [(1 - part) * getattr(t.translation, k) + part * getattr(u.translation, k) for k in "xyz"]
    q = tf.quaternion_slerp(*[[getattr(x.rotation, k) for k in "xyzw"] for x in (t, u)], part)
    return tf.concatenate_matrices(tf.translation_matrix(xyz), tf.quaternion_matrix(q))


def pose(stamp):
    m, frame = tf.identity_matrix(), sys.argv[3]
    while frame != sys.argv[2]:
        m, frame = at(frame, stamp) @ m, links[frame][0]
    return m


for i, (stamp, _) in enumerate(links["base"][2]):
    m = pose(stamp)
    print(i, *m[:3, 3], *tf.quaternion_from_matrix(m))
