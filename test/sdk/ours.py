"""Reads a RealSense recording as rs-ros-node does: the messages of cat, as a Recording."""

import base64
import re
from collections import defaultdict
from hashlib import md5

import program
from recording import Frame, Recording

STREAM = re.compile(r"/device_0/sensor_(\d+)/([A-Za-z]+(?:_[A-Za-z]+)*_\d+)/(.*)")
SENSOR = re.compile(r"/device_0/sensor_(\d+)/(info|post_processing|option/(.*)/value|notification/.*)")
FORMATS = {"mono16": "Z16", "8UC1": "Y8", "16UC1": "Y16", "mono8": "RAW8", "yuv422": "UYVY", "6DOF": "SIX_DOF"}
# Metadata that describes the frame, beside the values that the SDK reports.
OWN = {"system_time", "timestamp_domain", "timestamp", "Frame number", "frame_timestamp", "Tracker Confidence", "Mapper Confidence", "depth_units"}


def read(path, codes=(0,)):
    """Returns the device, calibration and frames of device 0."""
    reader = Reader()
    for m in program.messages(path, codes):
        reader.message(m["topic"], m["time"], m["message"])
    return reader.result()


class Reader:
    """Takes messages in the order of time. A bag has a message for each value, a .db3 has text."""

    def __init__(self):
        self.out = Recording()
        self.names = {}  # sensor number → name
        self.data = defaultdict(dict)  # stream → time → parts of a frame
        self.metadata = defaultdict(lambda: defaultdict(dict))  # stream → time → name → text
        self.sensor_options = defaultdict(dict)
        self.sensor_filters = defaultdict(int)

    def message(self, topic, time, m):
        if stream := STREAM.fullmatch(topic):
            self.stream(stream[2], stream[3], time, m)
        elif sensor := SENSOR.fullmatch(topic):
            self.sensor(int(sensor[1]), sensor[2], sensor[3], time, m)
        elif topic == "/device_0/info":
            self.out.device.update(pairs(m))

    def sensor(self, number, part, option, time, m):
        if part == "info":
            self.names[number] = pairs(m).get("Name", self.names.get(number))
        elif part == "post_processing":
            self.sensor_filters[number] += len(m["data"].split(";"))
        elif part.startswith("notification/"):
            self.out.notifications.append(notification(m))
        elif time <= 1e-9:  # later ones are changes
            self.sensor_options[number][option.replace("_", " ")] = float(m["data"])

    def stream(self, stream, part, time, m):
        if part == "info":
            self.info(stream, pairs(m) if "data" in m else m)
        elif part in ("info/camera_info", "camera_info", "imu_intrinsic"):
            self.out.geometry[stream] = geometry(m)
        elif part.startswith("tf/"):
            self.out.extrinsics[stream] = extrinsics(m)
        elif part.endswith("/metadata"):
            self.metadata[stream][time].update(pairs(m))
        elif part.endswith("/data"):
            self.data[stream].setdefault(time, {})[part] = m

    def info(self, stream, m):
        encoding = m["encoding"]
        self.out.profiles[stream] = (FORMATS.get(encoding, encoding.upper()), int(m["fps"]))
        self.out.geometry.setdefault(stream, ())

    def result(self):
        # The SDK knows the filters of a bag of version 3 by the camera's Product Id, not by the bag's list.
        listed = "Product Id" in self.out.device
        for number, name in self.names.items():
            self.out.options[name] = self.sensor_options[number]
            self.out.filters[name] = self.sensor_filters[number] if listed else 0
        for stream, times in self.data.items():
            frames = [(parts, self.metadata[stream][time]) for time, parts in times.items()]
            self.out.frames[stream] = [self.frame(stream, *frame) for frame in frames if is_whole(*frame)]
        return self.out

    def frame(self, stream, parts, metadata):
        # A torn recording may have a frame without its metadata.
        number, timestamp = identity(parts, metadata)
        units = self.out.options["Stereo Module"]["Depth Units"] if stream == "Depth_0" else 0
        values = {k: int(v) for k, v in metadata.items() if k not in OWN}
        return Frame(number, timestamp, metadata.get("timestamp_domain", ""), content(stream, parts), values, units)


def pairs(m):
    """One KeyValue of a bag, or the text of a .db3."""
    if "key" in m:
        return {m["key"]: m["value"]}
    return dict(p.split("=", 1) for p in m["data"].split(";") if "=" in p)


def numbers(text):
    return tuple(float(x) for x in text.split(","))


def is_whole(parts, metadata):
    """Of a torn recording, the last frame may lack its number or timestamp, or a pose one of its messages."""
    if any(part.startswith("pose/") for part in parts):
        return len(parts) == 3 and metadata.keys() >= {"Frame number", "frame_timestamp"}
    return "Frame number" not in metadata or "timestamp" in metadata


def identity(parts, metadata):
    """Number and timestamp: in a bag in the header, of a pose and in a .db3 in the metadata."""
    if "Frame number" in metadata:
        return int(metadata["Frame number"]), float(metadata.get("timestamp") or metadata["frame_timestamp"])
    header = next(iter(parts.values()))["header"]
    return header["seq"], header["stamp"]["secs"] * 1e3 + header["stamp"]["nsecs"] / 1e6


def vector(v):
    return (v["x"], v["y"], v["z"])


def content(stream, parts):
    if "image/data" in parts:
        return md5(base64.b64decode(parts["image/data"]["data"])).hexdigest()
    if "imu/data" in parts:
        return vector(parts["imu/data"]["angular_velocity" if stream.startswith("Gyro") else "linear_acceleration"])
    place, moves, turns = (parts[f"pose/{p}/data"] for p in ("transform", "twist", "accel"))
    r = place["rotation"]
    vectors = place["translation"], moves["linear"], turns["linear"], moves["angular"], turns["angular"], r
    return (*(x for v in vectors for x in vector(v)), r["w"])


def geometry(m):
    """Intrinsics of images: size, focal lengths, centre, model, coefficients. Of samples: scales, noise, bias."""
    if "K" in m:
        k = m["K"]
        return (m["width"], m["height"], k[0], k[4], k[2], k[5], m["distortion_model"], *m["D"])
    if "noise_variances" in m:
        return (*m["data"], *m["noise_variances"], *m["bias_variances"])
    p = pairs(m)
    if "noise_variances" in p:
        return (*numbers(p["data"]), *numbers(p["noise_variances"]), *numbers(p["bias_variances"]))
    places = (float(p[k]) for k in ("fx", "fy", "ppx", "ppy"))
    return (int(p["width"]), int(p["height"]), *places, p["model"], *numbers(p["coeffs"]))


def extrinsics(m):
    """The rotation by columns, as in rs2_extrinsics, and the translation."""
    if "data" in m:
        p = pairs(m)
        return numbers(p["rotation"]) + numbers(p["translation"])
    x, y, z, w = (m["rotation"][k] for k in "xyzw")
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return tuple(rows[r][c] for c in range(3) for r in range(3)) + vector(m["translation"])


def notification(m):
    p = pairs(m) if "data" in m else {**m, "data": m["serialized_data"]}
    return (p["category"], p["severity"], p["description"], p["data"])
