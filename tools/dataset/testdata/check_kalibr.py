"""Prints the messages of a bag for Kalibr, one on each line: topic, stamps, and what they hold.

    python3 check_kalibr.py BAG
"""
import hashlib
import sys

import rosbag

for topic, m, t in rosbag.Bag(sys.argv[1]).read_messages():
    row = [topic, t.to_nsec(), m.header.stamp.to_nsec()]
    if topic == "/imu0":
        w, a = m.angular_velocity, m.linear_acceleration
        row += [repr(v) for v in (w.x, w.y, w.z, a.x, a.y, a.z)]
    else:
        assert len(m.data) == m.step * m.height
        row += [m.encoding, m.width, m.height, hashlib.sha256(m.data).hexdigest()]
    print(*row)
