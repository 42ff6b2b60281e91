"""Every row that LeRobot reads from rs-lerobot's sets is compared with what the recordings were written from."""

import json
import os
import subprocess
import sys

import numpy
import pytest
import recording
from lerobot.datasets.lerobot_dataset import LeRobotDataset

TASK = "Stack the cups"
FPS = 10
RATES = [30, 10]  # of the recordings, brought together by --fps
ROWS = 8  # of each
ROBOT = """
robot_type: ur5e
state: [{topic: /joint_states}]
action: [{topic: /joint_command, joints: [wrist, elbow]}]
"""

# How far a form may be off: colour in steps of 255, depth in metres.
FORMS = {"png": ("png", "png", 0, 1e-6), "jpeg": ("jpeg", "png", 4, 1e-6), "video": ("h264", "hevc12", 12, 0.0023)}


def make(folder, form, wrong=None):
    images, depth, *_ = FORMS[form]
    recordings = []
    for rate in RATES:
        recordings.append(folder / f"{rate}.bag")
        recording.write(recordings[-1], rate, (ROWS - 1) * rate // FPS + 1, wrong)
    robot, out = folder / "robot.yaml", folder / "set"
    robot.write_text(ROBOT)
    flags = ["--task", TASK, "--robot", robot, "--fps", str(FPS), "--images", images, "--depth", depth]
    done = subprocess.run([os.environ["RS_LEROBOT"], *recordings, "-o", out, *flags], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module", params=FORMS)
def made(request, tmp_path_factory):
    return request.param, make(tmp_path_factory.mktemp(request.param), request.param)


def pixels(tensor):
    return numpy.moveaxis(tensor.numpy(), 0, -1).astype(float) * 255


def metres(tensor, info):
    scale = {"mm": 0.001, "m": 1}[info["depth_unit"]]
    return numpy.squeeze(tensor.numpy()).astype(float) * scale


def test_rows(made):
    compare(*made)


@pytest.mark.parametrize("wrong", ["stamp", "colour", "depth", "/joint_states", "/joint_command"])
def test_breaks(tmp_path, wrong):
    """One wrong value of one row is seen."""
    folder = make(tmp_path, "png", wrong)
    with pytest.raises(AssertionError):
        compare("png", folder)


def compare(form, folder):
    *_, colour_off, depth_off = FORMS[form]
    data = LeRobotDataset("local/cups", root=folder)
    assert (data.num_episodes, data.num_frames, data.fps, data.meta.robot_type) == (len(RATES), len(RATES) * ROWS, FPS, "ur5e")
    names = data.features["stamps"]["names"]
    assert data.features["observation.state"]["names"] == ["elbow", "wrist"]
    assert data.features["action"]["names"] == ["wrist", "elbow"]
    for index in range(len(data)):
        row, (episode, number) = data[index], divmod(index, ROWS)
        assert row["task"] == TASK
        assert (row["episode_index"].item(), row["frame_index"].item(), row["index"].item()) == (episode, number, index)
        assert row["timestamp"].item() == pytest.approx(number / FPS)
        stamps = dict(zip(names, row["stamps"].tolist(), strict=True))
        first = recording.START + number * 10**9 // FPS
        frame = number * RATES[episode] // FPS
        for camera, late in recording.LATE.items():
            key = f"observation.images.{camera}."
            assert abs(stamps[f"{camera}.color"] - first - late) < 1000
            assert abs(stamps[f"{camera}.depth"] - first - late) < 1000
            off = numpy.abs(pixels(row[key + "color"]) - recording.colour(camera, frame))
            assert off.max() <= colour_off + 1e-3
            want = recording.depth(camera, frame) / 1000
            if form == "video":
                want = want.clip(0.01, 10)  # a pixel without depth is the nearest
            off = numpy.abs(metres(row[key + "depth"], data.features[key + "depth"]["info"]) - want)
            assert off.max() <= depth_off
        state = recording.joint_at(stamps["observation.state:/joint_states"], recording.JOINT_STEP)
        action = recording.joint_at(stamps["action:/joint_command"], recording.ACTION_STEP)
        assert 0 <= first - stamps["observation.state:/joint_states"] <= recording.JOINT_STEP
        assert 0 <= first - stamps["action:/joint_command"] <= recording.ACTION_STEP
        assert row["observation.state"].tolist() == recording.joints(state)
        assert row["action"].tolist() == recording.joints(action)[::-1]


def test_history(made):
    """A policy takes the rows before, and the actions that follow, of its episode alone."""
    form, folder = made
    times = {"observation.state": [-1 / FPS, 0], "action": [0, 1 / FPS, 2 / FPS]}
    data = LeRobotDataset("local/cups", root=folder, delta_timestamps=times)
    last = data[ROWS - 1]
    assert last["observation.state"].shape == (2, 2) and last["action"].shape == (3, 2)
    assert last["action_is_pad"].tolist() == [False, True, True]
    assert data[ROWS]["observation.state_is_pad"].tolist() == [True, False]


def test_doctor(made):
    """What others check sets with before they train finds no fault."""
    _, folder = made
    doctor = os.path.join(os.path.dirname(sys.executable), "lerobot-doctor")
    done = subprocess.run([doctor, "check", "--json", folder], capture_output=True, text=True)
    found = json.loads(done.stdout[done.stdout.index("{") :])
    assert found["summary"]["FAIL"] == 0 and found["summary"]["PASS"] > 5, found
