"""Evaluates expressions over the messages of a bag as rosbag filter does."""
import sys, json, rosbag
texts = json.load(sys.stdin)
fns = [eval("lambda topic, m, t: %s" % text) for text in texts]
out = [[] for _ in texts]
for i, (topic, m, t) in enumerate(rosbag.Bag(sys.argv[1]).read_messages()):
    if i % 211 and i > 60:
        continue
    for fn, results in zip(fns, out):
        try:
            v = fn(topic, m, t)
            results.append(["T" if v else "F", str(v) if isinstance(v, (bool, int, float, str, type(None), type(t), type(t - t), list, tuple, bytes)) else ""])
        except Exception as e:
            results.append(["E", ""])
json.dump(out, sys.stdout)
