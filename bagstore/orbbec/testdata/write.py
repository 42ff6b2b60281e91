"""Writes a bag as OrbbecSDK 2.4.8 does, by docs/format-orbbec.md: python3 write.py OUT [damaged].

The container is stock rosbag's, the messages are packed here. Depth has 6 images of 4x3 pixels, number 3
is missing; colour has a JPEG's first bytes; the gyroscope has 5 samples.
"""
import struct
import sys

import genpy
import rosbag

HEADER_TEXT = "Header header\n"
HEADER_SPEC = "\n" + "=" * 80 + "\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"
IMAGE_TEXT = HEADER_TEXT + (
    "uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\nuint64 number\n"
    "uint64 timestamp_usec\nuint64 timestamp_systemusec\nuint64 timestamp_globalusec\nuint8[] metadata\nuint32 metadatasize\n" + HEADER_SPEC)
IMU_TEXT = HEADER_TEXT + (
    "geometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\ngeometry_msgs/Vector3 angular_velocity\n"
    "float64[9] angular_velocity_covariance\ngeometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n"
    "uint8[] data      \nuint32 datasize   \nuint64 number \nfloat temperature \nuint64 timestamp_usec \nuint64 timestamp_systemusec\n"
    "uint64 timestamp_globalusec \n" + HEADER_SPEC
    + "\n" + "=" * 80 + "\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"
    + "\n" + "=" * 80 + "\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n")
DUMMY = "0123456789abcdef0123456789abcdef"


def text(s):
    b = s.encode()
    return struct.pack("<I", len(b)) + b


def blob(b):
    return struct.pack("<I", len(b)) + b


def header(t):
    return struct.pack("<III", 0, t.secs, t.nsecs) + text("")


def image(t, encoding, width, height, step, data, number, extra=b""):
    us = t.to_nsec() // 1000
    return (header(t) + struct.pack("<II", height, width) + text(encoding) + struct.pack("<BI", 0, step) + blob(data)
            + struct.pack("<fQQQQ", 0.0, number, us, 1_700_000_000_000_000 + us, 1_700_000_000_500_000 + us)
            + blob(b"meta") + struct.pack("<IB", 4, 16) + extra)


def gyro(t, number, x, y, z):
    us = t.to_nsec() // 1000
    return (header(t) + struct.pack("<4d", 0, 0, 0, 0) + struct.pack("<9d", *[0] * 9) + struct.pack("<3d", x, y, z) + struct.pack("<9d", *[0] * 9)
            + struct.pack("<3d", 0, 0, 0) + struct.pack("<9d", *[0] * 9) + blob(struct.pack("<3f", x, y, z))
            + struct.pack("<IQfQQQ", 12, number, 36.5, us, 1_700_000_000_000_000 + us, 0))


def profile(t, stream, form, width, height, fps, rotation, translation, intrinsics, distortion, model):
    return (header(t) + struct.pack("<BB", stream, form) + struct.pack("<9f", *rotation) + struct.pack("<3f", *translation)
            + struct.pack("<HHH", width, height, fps) + struct.pack("<4f", *intrinsics) + struct.pack("<8f", *distortion) + struct.pack("<B", model))


def prop(t, number, value):
    return header(t) + struct.pack("<I", number) + blob(value) + struct.pack("<I", len(value))


def device(t):
    return (header(t) + text("Gemini 335") + text("Orbbec Gemini 335") + text("MX6600") + struct.pack("<HH", 0x2BC5, 0x0800) + text("1-4.2")
            + text("CP0000000001") + text("1.4.60") + text("0.1") + text("1.9.2") + text("USB3.2") + struct.pack("<HB", 1, 0) + text("") + text(""))


def main(path, damaged):
    bag = rosbag.Bag(path, "w", compression="lz4")

    def write(topic, kind, md5, definition, data, t):
        known = {"topic": topic, "type": kind, "md5sum": md5, "message_definition": definition}
        of = type("Any", (), {"_type": kind, "_md5sum": md5, "_full_text": definition})
        bag.write(topic, (kind, data, md5, of), t, raw=True, connection_header=known)

    now = genpy.Time(1_700_000_000, 0)
    write("/cam/property", "custom_msg/OBProperty", DUMMY, "std_msgs/Header header\nuint8 propertyId\nuint8[] data  \nuint32 datasize\n",
          prop(now, 176, struct.pack("<f", 0.25)), now)
    write("/cam/property", "custom_msg/OBProperty", DUMMY, "std_msgs/Header header\nuint8 propertyId\nuint8[] data  \nuint32 datasize\n",
          prop(now, 85, b"\x01"), now)
    md5 = "060021388200f6f0f447d0fcd9c64743"
    for i in range(6):
        t = genpy.Time(100, i * 33_000_000)
        number = i if i < 3 else i + 1
        pixels = b"".join(struct.pack("<H", 1000 * i + p) for p in range(12))
        extra = b"more" if damaged and i == 4 else b""
        write("/cam/sensor_3/frameType_3", "sensor_msgs/Image", md5, IMAGE_TEXT, image(t, "z16", 4, 3, 8, pixels, number, extra), t)
        if i % 2 == 0:
            write("/cam/sensor_2/frameType_2", "sensor_msgs/Image", md5, IMAGE_TEXT, image(t, "mjpg", 640, 480, 0, b"\xff\xd8\xff" + bytes([i]), i), t)
    for i in range(5):
        t = genpy.Time(100, i * 5_000_000)
        write("/cam/sensor_5/frameType_7", "sensor_msgs/Imu", "6a62c6daae103f4ff57a132d6f95cec2", IMU_TEXT, gyro(t, i, 0.5, -1.25, i), t)
    t = genpy.Time(100, 0)
    info = "std_msgs/Header header\nuint8 streamType\nuint8 format\n"
    write("/cam/streamProfileType_3", "custom_msg/OBStreamProfileInfo", DUMMY, info,
          profile(t, 3, 28, 4, 3, 30, [1, 0, 0, 0, 1, 0, 0, 0, 1], [-15, 0.5, 2], [2.5, 2.75, 2, 1.5], [0] * 8, 3), t)
    write("/cam/streamProfileType_2", "custom_msg/OBStreamProfileInfo", DUMMY, info,
          profile(t, 2, 5, 640, 480, 30, [0] * 9, [0] * 3, [600, 601, 320, 240], [0.1, -0.2, 0.3, 0, 0, 0, 0.01, 0.02], 4), t)
    write("/cam/deviceInfo", "custom_msg/OBDeviceInfo", "afef5328bb4abebd1a309e1ea8b26b3a", "std_msgs/Header header\nstring name\n" + HEADER_SPEC, device(t), t)
    bag.close()


main(sys.argv[1], len(sys.argv) > 2)
