"""A rospy node: listener.py N counts messages on chatter until it has heard N; with "follow" it also
prints the cached parameter /loud whenever it changes."""
import rospy
from std_msgs.msg import String

arguments = rospy.myargv()[1:]
wanted, follow = int(arguments[0]), "follow" in arguments
heard = []


def hear(message):
    heard.append(message.data)
    if len(heard) == wanted:
        rospy.signal_shutdown("heard enough")


rospy.init_node("listener")
subscriber = rospy.Subscriber("chatter", String, hear)
was = None
while not rospy.is_shutdown():
    if follow:
        now = rospy.get_param_cached("/loud", "unset")
        if now != was:
            print("loud is", now)
            was = now
    try:
        rospy.sleep(0.05)
    except rospy.ROSInterruptException:
        pass
print("heard", len(heard), set(heard))
