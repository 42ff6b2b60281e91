"""The mcap package reads and decodes every message of our MCAP files, of ROS 1 and of ROS 2, and finds every checksum right."""

import mcap_ros1.decoder
import mcap_ros2.decoder
import pytest
from mcap.reader import NonSeekingReader, make_reader

import program
import values


def decode(path, factory, seek=True):
    """(topic, ns, message) of every message, by the index or in one pass."""
    with open(path, "rb") as file:
        kind = make_reader if seek else NonSeekingReader
        reader = kind(file, validate_crcs=True, decoder_factories=[factory])
        return [(channel.topic, message.log_time, decoded) for _, channel, message, decoded in reader.iter_decoded_messages()]


def make(source, folder, ros):
    out = folder / "a.mcap"
    program.convert(source, out, ros=ros)
    return out


@pytest.mark.parametrize("seek", [True, False], ids=["index", "one pass"])
@pytest.mark.parametrize("ros", [1, 2])
def test_every_message(ros, seek, folder, tmp_path, count):
    path = make(folder / "lz4.bag", tmp_path, ros)
    printed = list(program.messages(folder / "lz4.bag"))
    if ros == 2:
        printed = [values.without_seq(m) for m in printed]
    factory = mcap_ros1.decoder.DecoderFactory() if ros == 1 else mcap_ros2.decoder.DecoderFactory()
    assert values.differences(printed, decode(path, factory, seek)) == []
    count("mcap reads ours, messages", len(printed))


def test_pose(folder, tmp_path, count):
    program.convert(folder / "pose.bag", tmp_path / "a.mcap")
    printed = list(program.messages(folder / "pose.bag"))
    assert values.differences(printed, decode(tmp_path / "a.mcap", mcap_ros1.decoder.DecoderFactory())) == []
    count("mcap reads ours, messages", len(printed))
