"""Writes the images of a bag as PNG, and their list, as scripts for TUM's layout do.

    python3 export.py BAG FOLDER LEVEL
"""
import os
import sys

import rosbag
from PIL import Image

bag, folder, level = sys.argv[1:]
lists = {}
for place in ("rgb", "depth"):
    os.makedirs(os.path.join(folder, place))
    lists[place] = open(os.path.join(folder, place + ".txt"), "w")
for topic, m, _ in rosbag.Bag(bag).read_messages(topics=["/camera/color/image_raw", "/camera/depth/image_raw"]):
    place, mode = ("rgb", "RGB") if m.encoding == "rgb8" else ("depth", "I;16")
    name = "%s/%d.%09d.png" % (place, m.header.stamp.secs, m.header.stamp.nsecs)
    Image.frombytes(mode, (m.width, m.height), m.data).save(os.path.join(folder, name), compress_level=int(level))
    lists[place].write("%s %s\n" % (m.header.stamp, name))
