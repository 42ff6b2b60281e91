"""Rerun takes every topic of our MCAP files, and each message of it."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import breaks
import program

RERUN = Path(sys.executable).with_name("rerun")
CHUNK = re.compile(r"Chunk\(\S+\) with (\d+) rows .*? - (\S+) - data columns: \[(.*)\]")


def run(*arguments):
    return subprocess.run([RERUN, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def logged(path):
    """How often Rerun has logged each entity. A message is one row, in some components or in all of its entity."""
    run("mcap", "convert", "-o", path.with_suffix(".rrd"), path)
    rows = Counter()
    for line in run("rrd", "print", path.with_suffix(".rrd")).splitlines():
        if chunk := CHUNK.match(line):
            number, entity, components = chunk.groups()
            rows.update({(entity, c): int(number) for c in components.split() if not c.startswith(("McapChannel", "McapSchema"))})
    most = Counter()
    for (entity, _), number in rows.items():
        most[entity] = max(most[entity], number)
    del most["/__mcap_properties"]
    return most


def recorded(path):
    return Counter({t["topic"]: t["messages"] for t in program.info(path)["topics"]})


@pytest.mark.parametrize("ros", [1, 2])
def test_converted(ros, folder, tmp_path, count):
    program.convert(folder / "live.bag", tmp_path / "a.mcap", ros=ros)
    want = recorded(folder / "live.bag")
    assert logged(tmp_path / "a.mcap") == want
    count("Rerun reads ours, messages", want.total())


def test_recorded(tmp_path, count):
    program.record_topics(tmp_path / "a.mcap", 2, **program.SMALL)
    want = recorded(tmp_path / "a.mcap")
    assert want["/device_0/sensor_0/Depth_0/image/data"] > 20
    assert logged(tmp_path / "a.mcap") == want
    count("Rerun reads ours, messages", want.total())


def test_catches_a_lost_frame(folder, read, tmp_path):
    breaks.lose_frame(folder / "live.bag", tmp_path / "a.bag", breaks.number_of(read("live.bag")))
    program.convert(tmp_path / "a.bag", tmp_path / "a.mcap", ros=2)
    assert recorded(folder / "live.bag") - logged(tmp_path / "a.mcap") == {f"{breaks.STREAM}/data": 1}
