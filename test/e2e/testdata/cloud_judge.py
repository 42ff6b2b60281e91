"""A rospy node: cloud_judge.py N compares N ordered clouds with the aligned depth and the colour image
that have the same stamp, point by point."""
import struct

import rospy
import sensor_msgs.point_cloud2 as point_cloud2
from sensor_msgs.msg import Image, PointCloud2

wanted = int(rospy.myargv()[1])
sets = {}  # by stamp: the messages by what they are
compared, wrong, points = 0, 0, 0


def compare(depth, colour, cloud):
    """How many points of a cloud aren't those of the images, and how many there are."""
    bad, count = 0, 0
    millimetres = struct.unpack("<%dH" % (depth.width * depth.height), depth.data)
    fields = point_cloud2.read_points(cloud, field_names=("z", "rgb"))
    for i, (z, rgb) in enumerate(fields):
        if millimetres[i] == 0:
            bad += z == z
            continue
        count += 1
        blue, green, red, _ = struct.pack("<f", rgb)
        bad += abs(z * 1000 - millimetres[i]) > 1 or bytes((red, green, blue)) != colour.data[3 * i:3 * i + 3]
    return bad, count


def hear(message, what):
    global compared, wrong, points
    stamp = message.header.stamp.to_nsec()
    one = sets.setdefault(stamp, {})
    one[what] = message
    if len(one) < 3:
        return
    bad, count = compare(one["depth"], one["colour"], one["cloud"])
    compared, wrong, points = compared + 1, wrong + bad, points + count
    del sets[stamp]
    if compared == wanted:
        rospy.signal_shutdown("all were compared")


rospy.init_node("cloud_judge")
for topic, kind, what in (
    ("/camera/aligned_depth_to_color/image_raw", Image, "depth"),
    ("/camera/color/image_raw", Image, "colour"),
    ("/camera/depth/color/points", PointCloud2, "cloud"),
):
    rospy.Subscriber(topic, kind, hear, what, queue_size=100)
rospy.spin()
print("compared", compared, "wrong", wrong, "points" if points > 1000 * compared else "no points", "alone", len(sets))
