"""Reads a topic of images into one array, with rosbags:  topic_to_numpy.py walk.bag /device_0/sensor_0/Depth_0/image/data

It reads .bag, .mcap of ROS 2, .db3 and folders of rosbag2. Needs: pip install rosbags
"""

import sys
from pathlib import Path

import numpy as np
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

KINDS = {"mono16": np.uint16, "16UC1": np.uint16, "mono8": np.uint8, "8UC1": np.uint8, "rgb8": np.dtype((np.uint8, 3))}


def image(message):
    """An image as an array of rows; step is the length of a row in bytes."""
    kind = np.dtype(KINDS[message.encoding])
    rows = message.data.reshape(message.height, message.step)[:, : message.width * kind.itemsize]
    return np.ascontiguousarray(rows).view(kind.base).reshape(message.height, message.width, *kind.shape)


path, topic = Path(sys.argv[1]), sys.argv[2]
# The .db3 files of librealsense don't have the definitions of their types.
with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
    connections = [c for c in reader.connections if c.topic == topic]
    images, times = [], []
    for connection, time, data in reader.messages(connections):
        images.append(image(reader.deserialize(data, connection.msgtype)))
        times.append(time)

images = np.stack(images)
print(images.shape, images.dtype, "mean", images.mean(), "from", times[0], "to", times[-1], "ns")
