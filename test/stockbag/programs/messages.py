"""Reads bags with Debian's rosbag for Python. It says what messages.cpp says."""

import sys
import zlib

import rosbag

for path in sys.stdin:
    try:
        with rosbag.Bag(path.rstrip("\n")) as bag:
            for topic, message, time in bag.read_messages(raw=True):
                data = message[1]
                print(time.to_nsec(), "%d:%08x" % (len(data), zlib.crc32(data)), topic)
        print("end", flush=True)
    except Exception as error:
        print("error", type(error).__name__, error, flush=True)
