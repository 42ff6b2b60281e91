#!/usr/bin/python3
"""check_v3.py BAG... - does a bag keep the rules that librealsense's player needs?

Independent of this project's code: reads with ROS's own rosbag package. Prints
one line for each broken rule; exit code 1 if there is any. The rules are those of
docs/internals/format-realsense.md, "Rules of a playable file".
"""
import re
import struct
import sys

import rosbag

INFO = """Name;Serial Number;Firmware Version;Recommended Firmware Version;Physical Port;Debug Op Code;Advanced Mode;
Product Id;Camera Locked;Usb Type Descriptor;Product Line;Asic Serial Number;Firmware Update Id;Ip Address;
Dfu Device Path;Connection Type""".replace("\n", "").split(";")

METADATA = """Frame Counter;Frame Timestamp;Sensor Timestamp;Actual Exposure;Gain Level;Auto Exposure;White Balance;
Time Of Arrival;Temperature;Backend Timestamp;Actual Fps;Frame Laser Power;Frame Laser Power Mode;Exposure Priority;
Exposure Roi Left;Exposure Roi Right;Exposure Roi Top;Exposure Roi Bottom;Brightness;Contrast;Saturation;Sharpness;
Auto White Balance Temperature;Backlight Compensation;Hue;Gamma;Manual White Balance;Power Line Frequency;
Low Light Compensation;Frame Emitter Mode;Frame Led Power;Raw Frame Size;Gpio Input Data;Sequence Name;Sequence Id;
Sequence Size;Trigger;Preset;Input Width;Input Height;Sub Preset Info;Calib Info;Crc""".replace("\n", "").split(";")

# Since librealsense 2.57; version 2.56 passes over them.
LATER_METADATA = """Safety Depth Frame Counter;Safety Level1;Safety Level1 Origin;Safety Level2;Safety Level2 Origin;
Safety Level1 Verdict;Safety Level2 Verdict;Safety Operational Mode;Safety Vision Verdict;Safety Hara Events;
Safety Preset Integrity;Safety Preset Id Selected;Safety Preset Id Used;Safety Sip Degradation Used;
Safety Sip Generic Metrics Activate;Safety Sip Generic Metrics State;Safety Sip Generic Metrics Value1;
Safety Sip Generic Metrics Value2;Safety Sip Generic Metrics Threshold1;Safety Sip Generic Metrics Threshold2;
Safety Zero Monitoring Enabled;Safety Hara History Mode;Safety Soc Fusa Events;Safety Soc Fusa Action;
Safety Soc L0 Counter;Safety Soc L0 Rate;Safety Soc L1 Counter;Safety Soc L1 Rate;Safety Soc Gmt Status;
Safety Soc Hkr Critical Error Gpio;Safety Soc Monitor L2 Error Type;Safety Soc Monitor L3 Error Type;
Safety Soc Safety And Security;Safety Depth Frame Timestamp;Safety Smcu Processing Timestamp;
Safety Pipeline Propagation Delay;Safety Smcu Debug Status Bitmask;Safety Smcu Debug Info Internal State;
Safety Smcu Debug Info Bist Status;Safety Non Fusa Gpio Out;Safety Smcu Hw Monitor Status;
Safety Smcu Sw Monitor Status;Safety Non Fusa Gpio In;Safety Mb Fusa Event;Safety Mb Fusa Action;Safety Mb Status;
Safety Smcu Liveliness;Safety Smcu State;Safety Preset Id;Sensor Angle Roll;Sensor Angle Pitch;
Diagnostic Zone Median Height;Floor Detection;Diagnostic Zone Fill Rate;Depth Fill Rate;Depth Stdev;
Occupancy Grid Rows;Occupancy Grid Columns;Occupancy Cell Size;Number Of 3d Vertices;Safety Preset Error Type;
Safety Preset Error Param 1;Safety Preset Error Param 2;Danger Zone Point 0 X Cord;Danger Zone Point 0 Y Cord;
Danger Zone Point 1 X Cord;Danger Zone Point 1 Y Cord;Danger Zone Point 2 X Cord;Danger Zone Point 2 Y Cord;
Danger Zone Point 3 X Cord;Danger Zone Point 3 Y Cord;Warning Zone Point 0 X Cord;Warning Zone Point 0 Y Cord;
Warning Zone Point 1 X Cord;Warning Zone Point 1 Y Cord;Warning Zone Point 2 X Cord;Warning Zone Point 2 Y Cord;
Warning Zone Point 3 X Cord;Warning Zone Point 3 Y Cord;Diagnostic Zone Point 0 X Cord;
Diagnostic Zone Point 0 Y Cord;Diagnostic Zone Point 1 X Cord;Diagnostic Zone Point 1 Y Cord;
Diagnostic Zone Point 2 X Cord;Diagnostic Zone Point 2 Y Cord;Diagnostic Zone Point 3 X Cord;
Diagnostic Zone Point 3 Y Cord;Embedded Filters""".replace("\n", "").split(";")

# Since librealsense 2.57; version 2.56 takes a change of one for an option without a name.
LATER_OPTIONS = {"Safety Preset Active Index", "Safety Mode", "Rgb Tnr Enabled", "Safety Mcu Temperature",
                 "Left Ir Temperature", "Embedded Filter Enabled", "Disparity Shift", "Threshold", "Downscale Ratio"}

EXTRA = {"system_time", "timestamp_domain", "Tracker Confidence", "Mapper Confidence", "frame_timestamp", "Frame number"}
V3_SENSORS = {"Stereo Module", "Coded-Light Depth Sensor", "RGB Camera", "Motion Module"}

MD5 = {
    "file_version": "304a39449588c7f8ce2df6e8001c5fce",
    "info": "cf57fdc6617a881a88c16e768132149c",
    "stream": "311d7e24eac31bb87271d041bf70ff7d",
    "camera_info": "c9a58c1b0b154e0e6da7578cb991d214",
    "imu_intrinsic": "aebdc2f8f9726f1c3ca823ab56e47429",
    "value": "73fcbf46b49191e672908e50842a83d4",
    "string": "992ce8a1687cec8c8bd883ec73ca41d1",
    "image": "060021388200f6f0f447d0fcd9c64743",
    "imu": "6a62c6daae103f4ff57a132d6f95cec2",
    "transform": "ac9eff44abf714214112b05d54a3cf9b",
    "twist": "9f195f881246fdfa2798d1d3eebca84a",
    "occupancy": "3381f2d731d4076ec5c71b0759edbe4e",
    "notification": "cdb7a97a510446301f8e6fb67d8cccb0",
}

SENSOR = r"^/device_0/sensor_(\d+)/"
STREAM = SENSOR + r"((?:Depth|Color|Infrared|Fisheye|Gyro|Accel|Pose|Confidence|Motion|Occupancy)_\d+)/"
# Expressions of librealsense that find topics of every device.
SDK = r"/device_\d+/sensor_\d+/option/.*/value|/device_\d+/sensor_\d+/notification/.*|/device_0/"
# topic pattern, md5, time: "static" is exactly 1 ns
TABLE = [
    (r"^/file_version$", "file_version", "static"),
    (r"^/device_0/info$", "info", "static"),
    (SENSOR + r"info$", "info", "static"),
    (SENSOR + r"option/[^/ ]+/value$", "value", "any"),
    (SENSOR + r"option/[^/ ]+/description$", "string", "static"),
    (SENSOR + r"post_processing$", "string", "static"),
    (SENSOR + r"notification/[^/ ]+$", "notification", "later"),
    (STREAM + r"info$", "stream", "static"),
    (STREAM + r"info/camera_info$", "camera_info", "static"),
    (STREAM + r"imu_intrinsic$", "imu_intrinsic", "static"),
    (STREAM + r"tf/0$", "transform", "static"),
    (STREAM + r"image/data$", "image", "later"),
    (STREAM + r"imu/data$", "imu", "later"),
    (STREAM + r"pose/transform/data$", "transform", "later"),
    (STREAM + r"pose/(?:accel|twist)/data$", "twist", "later"),
    (STREAM + r"occupancy_map/data$", "occupancy", "later"),
    (STREAM + r"(?:image|imu|pose|occupancy_map)/metadata$", "info", "later"),
]


class Checker:
    def __init__(self, path):
        self.path, self.bad = path, 0
        self.times = {}    # data topic -> list of ns
        self.count = {}    # topic -> messages
        self.values = {}   # (metadata topic, ns) -> keys
        self.info = {}     # info topic -> {key: value}
        self.last = 0
        self.first = None

    def fail(self, rule, text):
        self.bad += 1
        print("%s: rule %d: %s" % (self.path, rule, text))

    def run(self):
        with rosbag.Bag(self.path) as bag:
            self.container(bag)
            for topic, msg, t in bag.read_messages():
                self.message(topic, msg, t.to_nsec())
            self.layout(bag)
        return self.bad

    def container(self, bag):
        if bag.version != 200:
            self.fail(1, "version %d" % bag.version)
        for chunk, header in bag._chunk_headers.items():
            if header.compression not in ("none", "lz4"):
                self.fail(1, "chunk at %d is %s" % (chunk, header.compression))
            if header.compression == "lz4":
                self.lz4(header)
        topics = [c.topic for c in bag._connections.values()]
        for t in sorted(set(x for x in topics if topics.count(x) > 1)):
            self.fail(7, "%s has %d connections" % (t, topics.count(t)))
        for c in bag._connections.values():
            for field in ("callerid", "latching"):
                if field in c.header and self.row(c.topic)[0]:
                    self.fail(7, "%s: connection has a field %s" % (c.topic, field))

    def lz4(self, header):
        with open(self.path, "rb") as f:
            f.seek(header.data_pos)
            magic, flg, bd = struct.unpack("<IBB", f.read(6))
        if magic != 0x184D2204 or flg != 0x64 or bd >> 4 not in (4, 5, 6, 7):
            self.fail(15, "chunk data at %d: LZ4 magic %08x flags %02x %02x" % (header.data_pos, magic, flg, bd))

    def row(self, topic):
        for pattern, md5, when in TABLE:
            if re.match(pattern, topic):
                return md5, when
        return None, None

    def message(self, topic, msg, ns):
        self.count[topic] = self.count.get(topic, 0) + 1
        if self.first is None:
            self.first = topic
        if ns < 1:
            self.fail(2, "%s at 0" % topic)
        md5, when = self.row(topic)
        if md5 is None:
            if topic.startswith("/device_0/") and not re.match(SENSOR + "time$", topic):
                self.fail(4, "%s is in no row of the table" % topic)
            elif not topic.startswith("/device_0/") and re.search(SDK, topic):
                self.fail(4, "%s would be taken for one of device 0" % topic)
            return
        if msg._md5sum != MD5[md5]:
            self.fail(14, "%s has md5 %s" % (topic, msg._md5sum))
        if when == "static" and ns != 1:
            self.fail(2, "%s at %d ns" % (topic, ns))
        if when == "later" and ns <= 1:
            self.fail(8, "%s at %d ns" % (topic, ns))
        self.content(topic, msg, ns)

    def content(self, topic, msg, ns):
        if topic == "/file_version" and msg.data != 3:
            self.fail(3, "version %d" % msg.data)
        if re.match(r"^/device_0/(sensor_\d+/)?info$", topic):
            if msg.key not in INFO:
                self.fail(11, "%s: key %r" % (topic, msg.key))
            if msg.key in self.info.setdefault(topic, {}):
                self.fail(11, "%s: key %r twice" % (topic, msg.key))
            self.info[topic][msg.key] = msg.value
        if topic.endswith("/metadata"):
            if msg.key not in METADATA and msg.key not in LATER_METADATA and msg.key not in EXTRA:
                self.fail(12, "%s: key %r" % (topic, msg.key))
            self.values.setdefault((topic, ns), []).append(msg.key)
        if topic.endswith("/data"):
            self.times.setdefault(topic, []).append(ns)
            self.last = max(self.last, ns)
        if topic.endswith("/occupancy_map/data") and len(msg.data) != msg.info.width * msg.info.height:
            self.fail(13, "%s: %d cells of %dx%d" % (topic, len(msg.data), msg.info.width, msg.info.height))
        if topic.endswith("/image/data"):
            if msg.header.frame_id != "0":
                self.fail(13, "%s: frame_id %r" % (topic, msg.header.frame_id))
            if len(msg.data) != msg.step * msg.height:
                self.fail(13, "%s: %d bytes in %d rows of %d" % (topic, len(msg.data), msg.height, msg.step))

    def layout(self, bag):
        if self.count.get("/file_version") != 1:
            self.fail(3, "%d file_version messages" % self.count.get("/file_version", 0))
        sensors = sorted({int(re.match(SENSOR, t).group(1)) for t in self.count if re.match(SENSOR, t)})
        named = [n for n in sensors if "Name" in self.info.get("/device_0/sensor_%d/info" % n, {})]
        if sensors != list(range(len(sensors))):
            self.fail(4, "sensors %s" % sensors)
        if named != sensors:
            self.fail(5, "sensors %s, with a name %s" % (sensors, named))
        names = {v.get("Name") for t, v in self.info.items() if "sensor" in t}
        if "Product Id" in self.info.get("/device_0/info", {}) and not names <= V3_SENSORS:
            self.fail(5, "a Product Id with sensors %s" % sorted(names - V3_SENSORS))
        self.streams()
        self.options(bag)
        self.frames()

    def streams(self):
        prefixes = {m.group(0) for m in (re.match(STREAM, t) for t in self.count) if m}
        for p in sorted(prefixes):
            kind = p.split("/")[3].split("_")[0]
            if kind == "Occupancy":
                if self.count.get(p + "info"):
                    self.fail(6, "%s: librealsense refuses a StreamInfo of this kind" % p)
                continue
            if self.count.get(p + "info") != 1:
                self.fail(6, "%s: %d StreamInfo" % (p, self.count.get(p + "info", 0)))
            companion = "imu_intrinsic" if kind in ("Gyro", "Accel", "Motion") else "info/camera_info"
            if kind != "Pose" and self.count.get(p + companion) != 1:
                self.fail(6, "%s: %d %s" % (p, self.count.get(p + companion, 0), companion))

    def options(self, bag):
        for topic in [t for t in self.count if re.match(SENSOR + "option/.*/value$", t)]:
            initial = [1 for _, _, t in bag.read_messages(topics=[topic]) if t.to_nsec() == 1]
            if len(initial) != 1:
                self.fail(10, "%s: %d values at 1 ns" % (topic, len(initial)))
            if topic.split("/")[4].replace("_", " ") in LATER_OPTIONS and self.count[topic] > 1:
                self.fail(10, "%s: it changes" % topic)

    def frames(self):
        if self.times and min(min(v) for v in self.times.values()) > 10 ** 9:
            self.fail(9, "first frame at %d ns" % min(min(v) for v in self.times.values()))
        if self.last > 10 ** 9 * 86400 * 365:
            self.fail(9, "last frame at %d ns" % self.last)
        for topic, times in self.times.items():
            if len(set(times)) != len(times):
                self.fail(8, "%s: two frames at one time" % topic)
        for topic, times in self.times.items():
            if "/pose/transform/" in topic:
                for part in ("accel", "twist"):
                    other = self.times.get(topic.replace("transform", part), [])
                    if sorted(other) != sorted(times):
                        self.fail(8, "%s and %s differ in times" % (topic, part))
        data = {re.sub(r"/(pose/transform/)?data$", "", t): set(v) for t, v in self.times.items()}
        for (topic, ns), keys in self.values.items():
            frames = data.get(topic[:-len("/metadata")], data.get(topic[:-len("/pose/metadata")], set()))
            if ns not in frames:
                self.fail(8, "%s at %d ns: no frame there" % (topic, ns))
            known = [k for k in keys if k in METADATA]
            if len(known) > 36:
                self.fail(12, "%s at %d ns: %d values" % (topic, ns, len(known)))
            if len(keys) - len(EXTRA & set(keys)) > 98:
                self.fail(12, "%s at %d ns: %d values in all" % (topic, ns, len(keys)))
            if len(set(keys)) != len(keys):
                self.fail(12, "%s at %d ns: a key twice" % (topic, ns))


if __name__ == "__main__":
    sys.exit(1 if sum(Checker(path).run() for path in sys.argv[1:]) else 0)
