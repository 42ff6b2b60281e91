"""librealsense's blocks make of played frames what process and export make of the recording, byte for byte.

2.58 and later round in align otherwise (docs/internals/processing.md): there the share of equal pixels is what is known.
"""

import numpy as np
import pyrealsense2 as rs
import pytest

import ours
import program
import sdk

VERSION = ".".join(map(str, sdk.VERSION))


def disparity_chain():
    return [rs.disparity_transform(True), rs.spatial_filter(), rs.temporal_filter(), rs.disparity_transform(False)]


CHAINS = {
    "decimation": lambda: [rs.decimation_filter()],
    "threshold": lambda: [rs.threshold_filter(0.3, 3.0)],
    "spatial": lambda: [rs.spatial_filter()],
    "temporal": lambda: [rs.temporal_filter()],
    "hole_filling": lambda: [rs.hole_filling_filter()],
    "colorizer": lambda: [rs.colorizer()],
    "disparity_start,spatial,temporal,disparity_end": disparity_chain,
}
SETTINGS = {"threshold": {"threshold__min_distance": 0.3, "threshold__max_distance": 3.0}}
# Depth aligned with 2.58's rounding: how much of it equals 2.56's.
NEARLY = 0.3


def depth_frames(path, use):
    """Gives use every frame of depth, in order."""
    playback = sdk.load(path)
    sensor = next(s for s in playback.query_sensors() if s.is_depth_sensor())
    with Delivery(playback, sensor, use) as delivery:
        delivery.run()


class Delivery(sdk.Playing):
    """A playback of depth alone, whose frames are processed in the callback."""

    def __init__(self, playback, sensor, use):
        super().__init__(playback, sdk.Recording())
        self.sensor, self.use, self.failed = sensor, use, None

    def __enter__(self):
        self.playback.pause()
        self.sensor.open([p for p in self.sensor.get_stream_profiles() if sdk.stream_name(p) == "Depth_0"])
        self.sensor.start(self.frame)
        self.started.append(self.sensor)
        return self

    def frame(self, frame):
        try:
            self.use(frame)
        except Exception as error:  # an exception in a callback is lost otherwise
            self.failed = error

    def run(self):
        super().run()
        if self.failed:
            raise self.failed


@pytest.mark.parametrize("filters", CHAINS)
def test_blocks(filters, folder, tmp_path, count):
    blocks, theirs = CHAINS[filters](), {}

    def use(frame):
        for block in blocks:
            frame = block.process(frame)
        theirs[frame.get_frame_number()] = sdk.content(frame)

    depth_frames(folder / "live.bag", use)
    program.process(folder / "live.bag", tmp_path / "out.bag", *filters.split(","), **SETTINGS.get(filters, {}))
    frames = ours.read(tmp_path / "out.bag").frames["Depth_0"]
    assert {f.number: f.content for f in frames} == theirs
    count(f"pyrealsense2 {VERSION} processes as ours, frames", len(theirs))


def frame_sets(path):
    """Yields frame sets of a pipeline with their number; the pipeline loses the first."""
    pipe, config = rs.pipeline(), rs.config()
    config.enable_device_from_file(str(path), repeat_playback=False)
    pipe.start(config).get_device().as_playback().set_real_time(False)
    try:
        while (answer := pipe.try_wait_for_frames(1000))[0]:
            yield answer[1]
    finally:
        pipe.stop()


@pytest.mark.parametrize("target", ["color", "infrared", "depth"])
def test_align(target, folder, tmp_path, count):
    # With two infrared streams the SDK aligns to whichever comes first in the set.
    source = folder / ("pose.bag" if target == "infrared" else "live.bag")
    block = rs.align(getattr(rs.stream, target))
    stream = "Color_0" if target == "depth" else "Depth_0"
    theirs = {}
    for frames in frame_sets(source):
        if not taken_together(frames, target):
            continue
        aligned = block.process(frames)
        frame = aligned.get_color_frame() if target == "depth" else aligned.get_depth_frame()
        theirs[frame.get_frame_number()] = np.array(frame.get_data())
    program.process(source, tmp_path / "out.bag", f"align_to_{target}")
    mine = pixels(tmp_path / "out.bag", stream)
    both = mine.keys() & theirs.keys()
    assert len(both) > 20
    equal = np.mean([np.mean(mine[n] == theirs[n]) for n in both])
    assert equal == 1 if sdk.VERSION < (2, 58) else NEARLY < equal < 1
    count(f"pyrealsense2 {VERSION} aligns to {target} ({equal:.2%} of the pixels are ours), frames", len(both))


def taken_together(frames, target):
    """Whether a set has depth and the other image of one moment. Where one was lost, the SDK combines others than process does."""
    other = frames.get_infrared_frame() if target == "infrared" else frames.get_color_frame()
    return other and frames.get_depth_frame() and abs(other.get_timestamp() - frames.get_depth_frame().get_timestamp()) < 1000 / 60


def pixels(path, stream):
    """The images of a stream by frame number."""
    kind = {"Depth_0": (np.uint16, -1), "Color_0": (np.uint8, -1, 3)}[stream]
    found = {}
    for m in program.messages(path, topics=f".*/{stream}/image/data"):
        image = m["message"]
        data = np.frombuffer(ours.base64.b64decode(image["data"]), kind[0])
        found[image["header"]["seq"]] = data.reshape(image["height"], image["width"], *kind[2:])
    return found


def test_points(folder, tmp_path, count):
    """The points of export --ply are those of the SDK's block, and of its PLY files, in which y and z are turned."""
    out = tmp_path / "set"
    program.export_images(folder / "lz4.bag", out, ply=True)
    names = {f["number"]: f["file"].replace(".png", ".ply") for f in program.manifest(out)["files"] if f["stream"] == "Depth_0" and f["file"].endswith(".png")}
    block, done = rs.pointcloud(), 0
    for frames in frame_sets(folder / "lz4.bag"):
        depth, color = frames.get_depth_frame(), frames.get_color_frame()
        points = block.calculate(depth)
        vertices = np.asanyarray(points.get_vertices()).view(np.float32).reshape(-1, 3)
        mine = vertices_of(out / names[depth.get_frame_number()])
        np.testing.assert_array_equal(mine, vertices[vertices[:, 2] > 0])
        points.export_to_ply(str(tmp_path / "theirs.ply"), color)
        theirs = vertices_of(tmp_path / "theirs.ply") * np.float32([1, -1, -1])
        np.testing.assert_array_equal(mine, theirs)
        done += 1
    assert done > 8
    count(f"pyrealsense2 {VERSION} makes the points of ours, clouds", done)


def vertices_of(path):
    """The vertices of a binary PLY file whose vertices are three floats and a colour."""
    head, body = path.read_bytes().split(b"end_header\n", 1)
    count = int(head.split(b"element vertex ")[1].split()[0])
    kind = np.dtype([("xyz", "<f4", 3), ("rgb", "u1", 3)])
    return np.frombuffer(body, kind, count)["xyz"]
