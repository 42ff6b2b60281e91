"""Makes the recordings that are judged, with the program itself:  recordings.py FOLDER

Each has a source: the recording whose frames it must have. A source of its own is itself.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import program


@dataclass(frozen=True)
class Made:
    file: str
    source: str = ""
    partly: bool = False  # it has only some of the source's frames

    def from_itself(self):
        return self.source in ("", self.file)


RECORDINGS = [
    Made("live.bag"),
    Made("live.db3"),
    Made("default.bag"),
    Made("fast.bag"),
    Made("pose.bag"),
    Made("lz4.bag"),
    Made("two_front.bag"),
    Made("two_rear.bag"),
    Made("together.bag"),
    Made("killed.bag", partly=True),  # readers with an index see the last checkpoint; cat also reads what follows
    Made("killed.db3"),
    Made("converted.bag", "live.db3"),
    Made("converted.db3", "live.bag"),
    Made("ros2.db3", "live.bag"),
    Made("zstd.db3", "live.bag"),
    Made("round.bag", "live.bag"),
    Made("middle.bag", "live.bag", partly=True),
    Made("middle.db3", "middle.bag"),
    Made("no_infrared.bag", "live.bag", partly=True),
    Made("merged.bag", "live.bag"),
    Made("compressed/live.bag", "live.bag"),
    Made("decompressed/lz4.bag", "lz4.bag"),
    Made("recovered.bag", "killed.bag"),
    Made("recovered.db3", "killed.db3"),
]
SECONDS = 2


def make_live(folder):
    """Recordings of the camera take their time but little of the processor: some at once."""
    small = program.SMALL
    with ThreadPoolExecutor(3) as pool:
        jobs = [
            pool.submit(program.record, folder / "live.bag", SECONDS, **small),
            pool.submit(program.record, folder / "live.db3", SECONDS, **small),
            pool.submit(program.record, folder / "pose.bag", SECONDS, pose="true", depth="424x240@30", infra1="424x240@30", infra2="off", color="off"),
            pool.submit(program.record, folder / "lz4.bag", 1, lz4="true", **small),
            pool.submit(program.record_two, folder / "two.bag", 1),
            pool.submit(program.record_two, folder / "together.bag", 1, together=True),
            pool.submit(program.record_and_kill, folder / "killed.bag", 30e6, **small),
            pool.submit(program.record_and_kill, folder / "killed.db3", 30e6, **small),
        ]
    for job in jobs:
        job.result()
    program.record(folder / "default.bag", 1)
    fast = {"depth": "256x144@300", "infra1": "256x144@300", "infra2": "off", "color": "424x240@60"}
    program.record(folder / "fast.bag", 1, gyro=400, accel=250, **fast)


def make_derived(folder):
    live, live_db3 = folder / "live.bag", folder / "live.db3"
    program.convert(live_db3, folder / "converted.bag")
    program.convert(live, folder / "converted.db3")
    program.convert(live, folder / "ros2.db3", sdk="ros2")
    program.convert(live, folder / "zstd.db3", zstd="true")
    program.convert(folder / "converted.db3", folder / "round.bag")
    program.filter_times(live, folder / "middle.bag", 0.5, 1.5)
    program.convert(folder / "middle.bag", folder / "middle.db3")
    program.filter_topics(live, folder / "no_infrared.bag", ".*Infrared.*")
    make_merged(folder, live)
    program.compress(live, folder / "compressed")
    program.decompress(folder / "lz4.bag", folder / "decompressed")
    for kind in ("bag", "db3"):
        program.recover(folder / f"killed.{kind}", folder / f"recovered.{kind}")


def make_merged(folder, live):
    """Takes the colour camera's frames out of a recording and puts them back."""
    color = "/device_0/sensor_1/Color_0/image/.*"
    parts = [folder / "without_color.bag", folder / "color.bag"]
    program.filter_topics(live, parts[0], color)
    program.filter_expression(live, parts[1], "'/Color_0/image/' in topic")
    program.merge(folder / "merged.bag", *parts)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    for name in ("compressed", "decompressed"):
        (target / name).mkdir(parents=True)
    make_live(target)
    make_derived(target)
