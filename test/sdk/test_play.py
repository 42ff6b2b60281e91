"""librealsense plays our recordings: every frame with its pixels, times and metadata, calibration and options."""

import time

import pyrealsense2 as rs
import pytest

import ours
import sdk
from recording import Recording, differences, without_made_up
from recordings import RECORDINGS

PLAYABLE = [made for made in RECORDINGS if sdk.READS_DB3 or made.file.endswith(".bag")]
VERSION = ".".join(map(str, sdk.VERSION))
EXAMPLES = ["librealsense/sw_small_lz4.bag", "librealsense/sw_small_raw.bag", "librealsense/sw_small_pause.bag"]
EXAMPLES += ["db3/sdk_rec_raw.db3"] if sdk.READS_DB3 else []
CONTROLLED = ["live.bag", "live.db3"] if sdk.READS_DB3 else ["live.bag"]


def only(expected, seen):
    """The part of expected that a recording with fewer streams or frames has. What it has must be consecutive."""
    frames = {}
    for stream, list_ in seen.frames.items():
        numbers = {f.number for f in list_}
        first, last = min(numbers), max(numbers)
        frames[stream] = [f for f in expected.frames[stream] if first <= f.number <= last]
    return Recording(frames=frames)


@pytest.mark.parametrize("made", PLAYABLE, ids=lambda made: made.file)
def test_every_frame(made, folder, read, count):
    seen = sdk.play(folder / made.file)
    expected = read(made.source or made.file)
    if made.partly:
        assert seen.count() > 50
        assert differences(only(expected, seen), seen, description=False) == []
    else:
        assert differences(expected, seen) == []
    count(f"pyrealsense2 {VERSION} plays ours, frames", seen.count())


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, bags, count):
    """Recordings of the SDK are the same to it and to us. Of files with one frame a stream, its playback sometimes ends before the frame."""
    seen, expected = without_made_up(sdk.play(bags / name)), without_made_up(ours.read(bags / name))
    assert differences(expected, seen) == []
    count(f"pyrealsense2 {VERSION} and we read examples, frames", seen.count())


@pytest.mark.parametrize("name", CONTROLLED)
def test_seek(name, folder, read, count):
    """A paused seek shows the last frame of each stream up to a time. From there all frames follow, but for the one that the SDK skips."""
    seen = Recording()
    playback = sdk.load(folder / name)
    with sdk.Playing(playback, seen) as playing:
        playback.seek(playback.get_duration() * 0.5)
        playing.wait(lambda: len(seen.frames) == 6)
        first = {stream: frames[0].number for stream, frames in seen.frames.items()}
        playing.run()
    assert_continues(seen, read(name), first)
    count(f"pyrealsense2 {VERSION} seeks in ours, frames", seen.count())


def assert_continues(seen, expected, first):
    skipped = 0
    for stream, frames in expected.frames.items():
        after = {f.number: f for f in frames if f.number >= first[stream]}
        came = {f.number: f for f in seen.frames[stream]}
        assert differences(Recording(frames={stream: list(came.values())}), Recording(frames={stream: [after[n] for n in came]}), description=False) == []
        skipped += len(after) - len(came)
    assert skipped <= 1
    middle = [f.number for f in expected.frames["Depth_0"]][len(expected.frames["Depth_0"]) // 2]
    assert abs(first["Depth_0"] - middle) <= 2


@pytest.mark.parametrize("name", CONTROLLED)
def test_pause(name, folder, read, count):
    """A pause loses no frame and repeats none."""
    seen = Recording()
    playback = sdk.load(folder / name)
    with sdk.Playing(playback, seen) as playing:
        playback.resume()
        for part in (1, 2, 3) if sdk.READS_DB3 else (1,):  # 2.56 waits up to ten seconds for a pause in Python
            playing.wait(lambda: seen.count() > part * 150)
            playback.pause()
            assert playback.current_status() == rs.playback_status.paused or not sdk.READS_DB3
            playback.resume()
        playing.run()
    assert differences(read(name), seen, description=False) == []
    count(f"pyrealsense2 {VERSION} pauses ours, frames", seen.count())


@pytest.mark.parametrize("name", CONTROLLED)
@pytest.mark.parametrize("repeat", [False, True], ids=["once", "repeat"])
def test_pipeline(name, repeat, folder, read, count):
    """What most programs do: a pipeline on a file, with or without beginning again at the end."""
    expected = {stream: {f.number: f for f in frames} for stream, frames in read(name).frames.items()}
    rounds, last, sets = 0, 0, 0
    for frames in pipeline(folder / name, repeat):
        sets += 1
        for frame in frames:
            one = sdk.describe_frame(frame)
            stream = sdk.stream_name(frame.get_profile())
            same = Recording(frames={stream: [expected[stream][one.number]]})
            assert differences(same, Recording(frames={stream: [one]}), description=False) == []
        rounds += frames.get_depth_frame().get_frame_number() < last
        last = frames.get_depth_frame().get_frame_number()
        if rounds == 2:
            break
    assert rounds == (2 if repeat else 0)
    assert sets >= 20
    count(f"pyrealsense2 {VERSION} pipeline on ours, frame sets", sets)


def pipeline(path, repeat):
    pipe, config = rs.pipeline(), rs.config()
    config.enable_device_from_file(str(path), repeat_playback=repeat)
    playback = pipe.start(config).get_device().as_playback()
    playback.set_real_time(False)
    try:
        while True:
            ok, frames = pipe.try_wait_for_frames(10_000 if repeat else 1000)
            if not ok:
                return
            yield frames
    finally:
        pipe.stop()


def test_real_time(folder):
    """In real time a recording takes as long as it is."""
    seen = Recording()
    playback = sdk.load(folder / "live.bag")
    playback.set_real_time(True)
    begin = time.monotonic()
    with sdk.Playing(playback, seen) as playing:
        playing.run()
    assert time.monotonic() - begin > playback.get_duration().total_seconds() * 0.9
    assert seen.count() > 0  # it drops what comes too fast for Python
