"""We read what librealsense records: whole, with a pause, cut and spoiled; as a file, played and as a device."""

import random

import pytest

import ours
import program
import sdk
import software
from recording import differences, frame_differences, without_made_up
from viewer import Viewer

VERSION = ".".join(map(str, sdk.VERSION))
FORM = "db3" if sdk.READS_DB3 else "bag"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recording, and what went into it. 2.58 and later record no poses."""
    path = tmp_path_factory.mktemp("recorded") / f"theirs.{FORM}"
    sent = software.record(path, with_pose=FORM == "bag")
    return path, sent


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The same uncompressed, where damage stays where it is."""
    path = tmp_path_factory.mktemp("plain") / f"theirs.{FORM}"
    sent = software.record(path, with_pose=FORM == "bag", compress=False)
    return path, sent


def read(path, codes=(0,)):
    """As we read it. Images may be compressed in a .db3: convert unpacks them."""
    if path.suffix == ".bag":
        return ours.read(path, codes)
    bag = path.with_suffix(".unpacked.bag")
    if not bag.exists():
        program.convert(path, bag, codes=codes)
    return ours.read(bag)


@pytest.mark.parametrize("form", ["recorded", "plain"])
def test_every_frame(form, request, count):
    path, sent = request.getfixturevalue(form)
    seen = read(path)
    assert differences(sent, seen, description=False) == []
    assert seen.options["Stereo Module"]["Depth Units"] == pytest.approx(0.00025)
    assert program.check(path)["outcome"] == "sound"
    described = program.info(path)["realsense"]
    assert {s["stream"]: s["frames"] for sensor in described["sensors"] for s in sensor["streams"] or []} == {k: len(v) for k, v in sent.frames.items()}
    count(f"pyrealsense2 {VERSION} records for us, frames", seen.count())


def test_description(recorded):
    """Device, options, profiles, calibration and extrinsics are as the SDK itself reads them."""
    path, _ = recorded
    assert differences(read(path), without_made_up(sdk.play(path))) == []


def test_pause(tmp_path, count):
    """Text of the notification isn't compared: in Python, the SDK sends what is freed already. Nor is the order of frames:
    what comes while resume takes effect is recorded with times that are too late by the pause.
    """
    sent = software.record(tmp_path / f"paused.{FORM}", with_pose=False, pause=(10, 20), note=True)
    seen = read(tmp_path / f"paused.{FORM}", codes=(0, 3))
    changed = differences(sent, seen, description=False)
    assert [text for text in changed if "out of order" not in text] == []
    assert [n[:2] for n in seen.notifications] == [("Hardware Event", "Warn")]
    count(f"pyrealsense2 {VERSION} records for us, frames", seen.count())


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_cut(part, plain, tmp_path, count):
    """Of a file without its end, recover keeps whole frames only, as they were."""
    path, sent = plain
    cut, saved = tmp_path / f"cut.{FORM}", tmp_path / f"saved.{FORM}"
    cut.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])
    program.recover(cut, saved)
    check_rest(sent, saved, part * 0.5 if FORM == "bag" else 0.05, count)


@pytest.mark.parametrize("seed", range(3))
def test_spoiled(seed, plain, tmp_path, count):
    """A few bytes are wrong somewhere: what recover keeps is as it was, but for frames that the bytes were in."""
    path, sent = plain
    data, choice = bytearray(path.read_bytes()), random.Random(seed)
    for _ in range(3):
        data[choice.randrange(len(data) // 2, len(data))] ^= 0xFF
    spoiled, saved = tmp_path / f"spoiled.{FORM}", tmp_path / f"saved.{FORM}"
    spoiled.write_bytes(data)
    program.recover(spoiled, saved)
    check_rest(sent, saved, 0.3, count)


def check_rest(sent, saved, least, count):
    """The frames of saved are those of sent; at least this part of them is there."""
    seen = read(saved, codes=(0, 3))
    changed = differences(sent, seen, description=False)
    changed = [text for text in changed if "missing" not in text]
    assert len(changed) <= 6, changed  # three bytes may be in a frame's number, or its stamp
    assert seen.count() >= least * sent.count()
    count(f"pyrealsense2 {VERSION} records for us, frames after damage", seen.count())


def test_play(recorded, tmp_path, count):
    """play publishes every message of it. A .db3 becomes ROS 1 messages."""
    path, _ = recorded
    topics = [t["topic"] for t in program.info(path)["topics"] if "/data" in t["topic"]]
    with program.recorder_of_graph(tmp_path / "played.bag", topics) as env:
        program.play(path, topics, env)
    expected = contents(path, topics)
    assert contents(tmp_path / "played.bag", topics) == expected
    count(f"play of pyrealsense2 {VERSION}'s recording, messages", sum(map(len, expected.values())))


def contents(path, topics):
    found = {topic: [] for topic in topics}
    for m in program.messages(path):
        if m["topic"] in found:
            message = m["message"]
            message.pop("header", None)  # a subscriber numbers it anew
            found[m["topic"]].append(message)
    return found


def test_device(recorded, tmp_path, count):
    """live plays it as a camera, which records every frame again."""
    path, sent = recorded
    again = tmp_path / "again.bag"
    program.live_again(path, again)
    seen = ours.read(again)
    assert differences(sent, seen, description=False) == []
    count(f"live with pyrealsense2 {VERSION}'s recording, frames", seen.count())


def test_view(recorded, count):
    """view shows it: every image while a viewer steps through it, every inertial sample while it plays. It may drop poses."""
    path, sent = recorded
    samples = {stream: {f.number: f.content for f in frames} for stream, frames in sent.frames.items() if stream in ("Gyro_0", "Accel_0")}
    with Viewer(path) as viewer:
        assert [*viewer.step_through()] == [*range(software.IMAGES)]
    with Viewer(path) as player:  # with images, it would begin with the first set
        player.play_through({stream: len(numbers) for stream, numbers in samples.items()})
    images = {stream: frames for stream, frames in sent.frames.items() if isinstance(frames[0].content, str)}
    shown = {stream: [*frames.values()] for stream, frames in viewer.frames.items()}
    assert frame_differences(images, shown) == []
    assert player.samples == samples
    count(f"view of pyrealsense2 {VERSION}'s recording, frames", sum(map(len, (*shown.values(), *samples.values()))))


# Values of Frames Queue Size by the image that they are set after.
CHANGES = {5: 18, 15: 21, 25: 24}


def test_changed_option(tmp_path, count):
    """An option that changes while recording has each value between the same images: in cat, as a camera recorded again, and in the SDK."""
    path, again = tmp_path / f"changes.{FORM}", tmp_path / "again.bag"
    software.record(path, with_pose=False, changes=CHANGES)
    program.live_again(path, again)
    for recording in (path, again):
        assert changes(recording) == CHANGES
        assert changes_in_playback(recording) == CHANGES
    count(f"changes of options that pyrealsense2 {VERSION} recorded", 4 * len(CHANGES))


def changes(path):
    found, images = {}, 0
    for m in program.messages(path):
        images += "/Depth_0/image/data" in m["topic"]
        if images and m["topic"] == "/device_0/sensor_0/option/Frames_Queue_Size/value":
            found[images - 1] = float(m["message"]["data"])
    return found


def changes_in_playback(path):
    playback = sdk.load(path)
    sensor = playback.query_sensors()[0]
    values = sdk.option_at_frames(playback, sensor, "Depth_0", sdk.rs.option.frames_queue_size)
    return {n: after for n, (before, after) in enumerate(zip(values, values[1:])) if before != after}
