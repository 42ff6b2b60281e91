"""Prints the first small messages of each topic as rostopic echo does, as JSON."""
import sys, json, collections, rosbag, genpy.message
seen, out = collections.Counter(), []
for topic, (kind, data, md5, pos, cls), t in rosbag.Bag(sys.argv[1]).read_messages(raw=True):
    if len(data) > 5000 or seen[topic] >= 150:
        continue
    seen[topic] += 1
    m = cls()
    m.deserialize(data)
    out.append([topic, genpy.message.strify_message(m)])
json.dump(out, sys.stdout)
