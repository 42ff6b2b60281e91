"""The other judges catch a wrong stamp and a lost frame, too."""

import mcap_ros1.decoder
import pandas
import pytest

import breaks
import program
import test_mcap
import test_poses
import test_rosbags
import values

BREAKS = [(breaks.lose_frame, "is missing"), (breaks.move_stamp, "is another message")]


@pytest.fixture(scope="module")
def printed(folder):
    return list(program.messages(folder / "live.bag"))


@pytest.mark.parametrize("spoil, complaint", BREAKS)
def test_rosbags_catches(spoil, complaint, folder, read, printed, tmp_path):
    spoil(folder / "live.bag", tmp_path / "a.bag", breaks.number_of(read("live.bag")))
    found = values.differences(printed, test_rosbags.decode(tmp_path / "a.bag"))
    assert found[-1].startswith(f"{breaks.STREAM}/data at ") and found[-1].endswith(complaint)


@pytest.mark.parametrize("spoil, complaint", BREAKS)
def test_mcap_catches(spoil, complaint, folder, read, printed, tmp_path):
    spoil(folder / "live.bag", tmp_path / "a.bag", breaks.number_of(read("live.bag")))
    path = test_mcap.make(tmp_path / "a.bag", tmp_path, ros=1)
    found = values.differences(printed, test_mcap.decode(path, mcap_ros1.decoder.DecoderFactory()))
    assert found[-1].startswith(f"{breaks.STREAM}/data at ") and found[-1].endswith(complaint)


@pytest.mark.parametrize("form", test_poses.READERS)
def test_evo_catches(form, folder, read, tmp_path):
    poses = read("pose.bag").frames["Pose_0"]
    path = test_poses.export(folder / "pose.bag", tmp_path / "set", form)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(AssertionError):
        test_poses.compare(form, path, poses)
    split = "," if form == "euroc" else " "
    stamp, rest = lines[-1].split(split, 1)
    moved = str(int(stamp) + 500_000) if form == "euroc" else f"{float(stamp) + 0.0005:.9f}"
    path.write_text("\n".join([*lines[:-1], moved + split + rest]) + "\n")
    with pytest.raises(AssertionError):
        test_poses.compare(form, path, poses)


def test_catalog_catches(folder, read, tmp_path):
    """A catalog has no stamps of frames, but the number of messages: one is missing."""
    breaks.lose_frame(folder / "live.bag", tmp_path / "a.bag", breaks.number_of(read("live.bag")))
    program.catalog(tmp_path / "a.bag", tmp_path / "a.jsonl")
    (row,) = pandas.read_json(tmp_path / "a.jsonl", lines=True, dtype=False).itertuples()
    assert row.messages == program.info(folder / "live.bag")["messages"] - 1
