"""Prints the types of all topics and services of the graph with their md5s, as rostopic and rosservice load them."""
import rosgraph
import roslib.message
import rosservice

master = rosgraph.Master("/known_types")
for name in sorted({name for _, name in master.getTopicTypes()} - {"*"}):
    print(name, getattr(roslib.message.get_message_class(name), "_md5sum", "unknown"))
for name in sorted({rosservice.get_service_type(service) for service in rosservice.get_service_list()} - {None}):
    print(name, getattr(roslib.message.get_service_class(name), "_md5sum", "unknown"))
