"""A rospy node that publishes images of 1 MiB on images, whose queue has two places, or as many as its argument
says: as many as each line of its standard input says. It prints how many it has published. At the end of the input
it ends."""
import sys

import rospy
from sensor_msgs.msg import Image

rospy.init_node("overflow", disable_signals=True)
publisher = rospy.Publisher("images", Image, queue_size=int((sys.argv + [2])[1]))
image = Image(height=1024, width=1024, encoding="mono8", step=1024, data=bytes(1 << 20))
published = 0
for line in sys.stdin:
    for _ in range(int(line)):
        publisher.publish(image)
        published += 1
    print("published", published, flush=True)
rospy.signal_shutdown("the end")
