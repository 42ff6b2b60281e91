"""Prints the output of rosbag info -y -k for each key, and a zero byte."""
import sys, rosbag
bag = rosbag.Bag(sys.argv[1], skip_index=True)
for key in sys.argv[2:]:
    print(bag._get_yaml_info(key=key), end="\n\0")
