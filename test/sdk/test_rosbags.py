"""The rosbags package reads and decodes every message of ours, and converts like convert."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

import program
import values

# Files without definitions, such as librealsense's .db3, need types from elsewhere.
TYPES = get_typestore(Stores.ROS2_JAZZY)
SOURCES = ["live.bag", "pose.bag", "lz4.bag", "together.bag", "recovered.bag", "live.db3", "recovered.db3"]
CONVERTED = ["db3", "mcap", "folder", "folder of mcap"]
EXAMPLES = ["public/d435_2018_v3.bag", "public/example-unsorted-chunks.bag", "public/no-messages.bag", "public/test_sample.bag"]


def decode(path):
    """(topic, ns, message) of every message. Descriptions in a .db3 are at time 0, which cat prints as 1 ns."""
    with AnyReader([Path(path)], default_typestore=TYPES) as reader:
        return [(c.topic, max(t, 1), reader.deserialize(raw, c.msgtype)) for c, t, raw in reader.messages()]


def raw(path):
    """(topic, ns, type, bytes) of every message."""
    with AnyReader([Path(path)], default_typestore=TYPES) as reader:
        return [(c.topic, t, c.msgtype, bytes(data)) for c, t, data in reader.messages()]


def convert(source, folder, form):
    """To ROS 2, in one of the forms of CONVERTED."""
    out = folder / {"db3": "a.db3", "mcap": "a.mcap"}.get(form, "a")
    program.convert(source, out, ros=2, storage="mcap" if form == "folder of mcap" else None)
    return out


@pytest.mark.parametrize("name", SOURCES)
def test_every_message(name, folder, count):
    printed = list(program.messages(folder / name))
    assert values.differences(printed, decode(folder / name)) == []
    count("rosbags reads ours, messages", len(printed))


@pytest.mark.parametrize("form", CONVERTED)
def test_every_converted_message(form, folder, tmp_path, count):
    out = convert(folder / "lz4.bag", tmp_path, form)
    printed = [values.without_seq(m) for m in program.messages(folder / "lz4.bag")]
    assert values.differences(printed, decode(out)) == []
    count("rosbags reads convert's, messages", len(printed))


@pytest.mark.parametrize("name", EXAMPLES)
def test_converts_examples_alike(name, bags, tmp_path, count):
    compare_conversions(bags / name, tmp_path, count)


def test_converts_ours_alike(folder, tmp_path, count):
    compare_conversions(folder / "lz4.bag", tmp_path, count)


def compare_conversions(source, folder, count):
    """Byte for byte, but for logs: convert makes them ROS 2's rcl_interfaces/Log, rosbags keeps a type that ROS 2 doesn't have."""
    theirs, ours = folder / "theirs", folder / "ours"
    subprocess.run([str(Path(sys.executable).with_name("rosbags-convert")), "--src", source, "--dst", theirs], check=True)
    program.convert(source, ours, ros=2, codes=(0, 3))
    a, b = raw(theirs), raw(ours)
    assert len(a) == len(b)
    only_theirs, only_ours = Counter(a) - Counter(b), Counter(b) - Counter(a)
    assert {kind for _, _, kind, _ in only_theirs} <= {"rosgraph_msgs/msg/Log"}
    assert {kind for _, _, kind, _ in only_ours} <= {"rcl_interfaces/msg/Log"}
    count("rosbags converts like convert, messages", len(a) - sum(only_theirs.values()))
