"""A rospy node: listener.py N counts messages on chatter until it has heard N; with "follow" it also
prints the cached parameter /loud whenever it changes."""
import signal
import threading

import rospy
from std_msgs.msg import String

arguments = rospy.myargv()[1:]
wanted, follow = int(arguments[0]), "follow" in arguments
heard = []


def hear(message):
    heard.append(message.data)
    if len(heard) == wanted:
        rospy.signal_shutdown("heard enough")


# rospy shuts down in its signal handler, which waits forever for locks that the interrupted call holds.
interrupted = threading.Event()
rospy.init_node("listener", disable_signals=True)
signal.signal(signal.SIGINT, lambda number, frame: interrupted.set())
subscriber = rospy.Subscriber("chatter", String, hear)
was = None
while not rospy.is_shutdown() and not interrupted.wait(0.05):
    if follow:
        now = rospy.get_param_cached("/loud", "unset")
        if now != was:
            print("loud is", now)
            was = now
rospy.signal_shutdown("the end")
print("heard", len(heard), set(heard))
