"""Prints the distance in the middle of each depth image:  depth_over_time.py walk.bag

Needs: pip install numpy, and the module rs_ros_node (docs/python.md)
"""

import sys

import rs_ros_node

for frame in rs_ros_node.frames(sys.argv[1], stream="Depth_0"):
    middle = frame.array[frame.height // 2, frame.width // 2] * frame.depth_m
    print(f"{frame.timestamp:.3f} ms: {middle:.3f} m, exposure {frame.metadata.get('Actual Exposure')}")
