"""What a recording has, in plain values, whoever has read it; and how two of them differ."""

from dataclasses import dataclass, field

# librealsense has milliseconds as float64, which resolve 0.24 µs since 1970; bags have nanoseconds.
CLOCK = 0.001
# Calibrations are float32, quaternions in a bag and six decimals in a .db3.
SINGLE = 2e-6


@dataclass
class Frame:
    number: int
    timestamp: float  # milliseconds
    domain: str
    content: object  # hash of the pixels, or the numbers of a sample or pose
    metadata: dict
    units: float = 0  # metres, of depth


@dataclass
class Recording:
    device: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)  # sensor → option → value
    filters: dict = field(default_factory=dict)  # sensor → how many are recommended
    profiles: dict = field(default_factory=dict)  # stream → (format, rate)
    geometry: dict = field(default_factory=dict)  # stream → numbers of the calibration
    extrinsics: dict = field(default_factory=dict)  # stream → from depth: 9 of the rotation by columns, 3 of the translation
    frames: dict = field(default_factory=dict)  # stream → frames in order
    notifications: list = field(default_factory=list)  # (category, severity, description, data)

    def count(self):
        return sum(len(frames) for frames in self.frames.values())


def without_made_up(recording):
    """The SDK's playback makes up a Frame Counter of 0 for frames without one, and its converter writes it."""
    for frames in recording.frames.values():
        for frame in frames:
            if frame.metadata.get("Frame Counter") == 0:
                del frame.metadata["Frame Counter"]
    return recording


def near(a, b, tolerance):
    """Equal, with numbers as near as tolerance, absolute below 1 and relative above."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= tolerance * max(1, abs(a))
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(near(x, y, tolerance) for x, y in zip(a, b))
    return a == b


def differences(expected, seen, description=True):
    """Says in words where two recordings differ; an empty list if they don't."""
    found = frame_differences(expected.frames, seen.frames)
    if description:
        for part in ("device", "options", "filters", "profiles", "geometry", "extrinsics"):
            found += part_differences(part, getattr(expected, part), getattr(seen, part))
        if sorted(expected.notifications) != sorted(seen.notifications):
            found.append(f"notifications: {expected.notifications} became {seen.notifications}")
    return found


def part_differences(part, expected, seen):
    found = [f"{part} of {key} is missing" for key in expected.keys() - seen.keys()]
    found += [f"{part} of {key} is new" for key in seen.keys() - expected.keys()]
    for key in expected.keys() & seen.keys():
        a, b = expected[key], seen[key]
        if isinstance(a, dict):
            found += part_differences(f"{part} of {key}", a, b)
        elif not near(a, b, SINGLE):
            found.append(f"{part} of {key}: {a} became {b}")
    return found


def frame_differences(expected, seen):
    found = []
    for stream in sorted(expected.keys() | seen.keys()):
        before = {f.number: f for f in expected.get(stream, [])}
        after = {f.number: f for f in seen.get(stream, [])}
        if len(after) != len(seen.get(stream, [])):
            found.append(f"{stream}: a frame came twice")
        found += [f"{stream}: frame {n} is missing" for n in before.keys() - after.keys()]
        found += [f"{stream}: frame {n} is new" for n in after.keys() - before.keys()]
        for n in sorted(before.keys() & after.keys()):
            found += [f"{stream}: frame {n}: {text}" for text in one_frame(before[n], after[n])]
        if [f.number for f in seen.get(stream, [])] != sorted(after):
            found.append(f"{stream}: frames are out of order")
    return found


def one_frame(a, b):
    if abs(a.timestamp - b.timestamp) > CLOCK:
        yield f"timestamp {a.timestamp:.6f} became {b.timestamp:.6f}"
    for name in ("domain", "content", "metadata"):
        if getattr(a, name) != getattr(b, name):
            yield f"{name} {getattr(a, name)} became {getattr(b, name)}"
    if not near(a.units, b.units, 1e-9):
        yield f"units {a.units} became {b.units}"
