"""Compares what the module rs_ros_node returns with what librealsense was given:  frames.py MANIFEST TORN FILE..."""

import json
import sys
import warnings

import numpy

import rs_ros_node

manifest, torn, files = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3:]
given = {name.split("/")[1]: frames for name, frames in manifest["streams"].items()}


def fnv1a64(data):
    hash = 0xCBF29CE484222325
    for byte in data:
        hash = (hash ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return "%016x" % hash


warnings.simplefilter("error")
for path in files:
    for stream, shape, kind in (("Depth_0", (48, 64), "uint16"), ("Color_0", (48, 64, 3), "uint8"), ("Gyro_0", (3,), "float64")):
        frames = list(rs_ros_node.frames(path, stream=stream))
        want = given[stream]
        assert [f.number for f in frames] == [w["num"] for w in want], (path, stream, len(frames), len(want))
        for f, w in zip(frames, want):
            assert (f.stream, f.array.shape, f.array.dtype) == (stream, shape, kind), f
            assert abs(f.timestamp - w["ts"]) < 0.002 and f.domain == w["domain"], (f, w)
            for key, value in w.get("md", {}).items():
                assert f.metadata[key] == value, (f, key, value)
            if stream == "Gyro_0":
                assert list(f.array) == w["xyz"], f
        for f, w in list(zip(frames, want))[::10]:
            assert "xyz" in w or fnv1a64(f.array.tobytes()) == w["fnv1a64"], f
    both = {f.stream for f in rs_ros_node.frames(path, stream=["Depth_0", "Infrared_1"], start=0.5, end=0.7)}
    assert both == {"Depth_0", "Infrared_1"}, both
    assert rs_ros_node.info(path)["messages"] > 1000

for frame in rs_ros_node.frames(files[0]):
    break  # the program ends with the iterator

# An image with padded rows is seen without them.
head = {"stream": "/image", "number": 1, "time_ns": 1, "timestamp_ms": 1, "width": 2, "height": 2, "stride": 5, "encoding": "16UC1", "bigendian": True}
assert rs_ros_node.Frame(head, bytearray(b"\0\1\0\2-\0\3\0\4")).array.tolist() == [[1, 2], [3, 4]]
for encoding, kind, channels in (("8UC3", "u1", 3), ("32FC1", "f4", 1), ("16SC2", "i2", 2), ("bayer_rggb16", "u2", 1)):
    assert rs_ros_node._pixel(encoding) == (kind, channels), encoding

for path, stream, said in (("no such.bag", None, "no such file"), (files[0], "Depth_7", "there are: Depth_0"), (files[0], "/chatter", "no topic")):
    try:
        list(rs_ros_node.frames(path, stream=stream))
        raise SystemExit("%s was read" % stream)
    except rs_ros_node.Error as err:
        assert said in str(err), err

try:
    list(rs_ros_node.frames(files[0], camera="nobody"))
    raise SystemExit("a camera called nobody was read")
except rs_ros_node.Error as err:
    assert "nobody" in str(err), err

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    some = len(list(rs_ros_node.frames(torn, stream="Depth_0")))
assert 0 < some < len(given["Depth_0"]) and [w.category for w in caught] == [rs_ros_node.Incomplete], (some, caught)
print("all is as it should be")
