"""The scripts of examples/python, as a user runs them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import program

EXAMPLES = Path(__file__).parents[2] / "examples/python"
DEPTH = "/device_0/sensor_0/Depth_0/image/data"


def run(script, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / script, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dataset(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("set") / "set"
    program.export_set(folder / "live.bag", out, "tum", "align_to_color")
    return out


@pytest.mark.parametrize("name", ["live.bag", "live.db3"])
def test_play_realsense(name, folder):
    lines = run("play_realsense.py", folder / name).splitlines()
    assert int(lines[-1].split()[0]) > 20
    assert sum(line.startswith("frame ") for line in lines) == int(lines[-1].split()[0])


@pytest.mark.parametrize("name", ["live.bag", "live.db3"])
def test_depth_of_pixel(name, folder, read):
    rows = [line.split(",") for line in run("depth_of_pixel.py", folder / name, 212, 120).splitlines()[1:]]
    stamps = {f"{f.timestamp:.3f}" for f in read(name).frames["Depth_0"]}
    assert len(rows) > 0.9 * len(stamps)  # the pipeline loses the first, perhaps
    assert {row[0] for row in rows} <= stamps
    assert np.median([float(row[3]) for row in rows]) > 0.3


@pytest.mark.parametrize("name", ["live.bag", "live.db3", "ros2.db3"])
def test_topic_to_numpy(name, folder, read):
    frames = read(name).frames["Depth_0"]
    assert f"({len(frames)}, 240, 424) uint16" in run("topic_to_numpy.py", folder / name, DEPTH)


def test_dataset_to_opencv(dataset):
    lines = run("dataset_to_opencv.py", dataset).splitlines()
    sets = (dataset / "associations.txt").read_text().splitlines()
    assert [line.split()[0] for line in lines] == [line.split()[2] for line in sets]
    assert all("(240, 424, 3) (240, 424)" in line for line in lines)


def test_query_catalog(folder, tmp_path):
    program.catalog(folder, tmp_path / "walks.jsonl")
    printed = run("query_catalog.py", tmp_path / "walks.jsonl")
    assert "Intel RealSense D435I (simulated)" in printed
    assert DEPTH in printed
