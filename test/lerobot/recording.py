"""A robot with two cameras, as other programs record it: rosbags writes the bag, Pillow the compressed images."""

import io
import struct

import numpy
from PIL import Image
from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_typestore

WIDTH, HEIGHT = 64, 48
START = 1_700_000_000_000_000_000
JOINTS = ["elbow", "wrist"]
JOINT_STEP, ACTION_STEP = 10_000_000, 25_000_000
LATE = {"front": 0, "wrist": 2_000_000}  # of a camera's frames, in ns

types = get_typestore(Stores.ROS1_NOETIC)


def message(name, /, **fields):
    return types.types[name](**fields)


def header(at, number):
    stamp = message("builtin_interfaces/msg/Time", sec=at // 10**9, nanosec=at % 10**9)
    return message("std_msgs/msg/Header", seq=number, stamp=stamp, frame_id="frame")


def colour(camera, number):
    """The pixels of a frame, smooth so that lossy codecs keep them."""
    y, x = numpy.mgrid[:HEIGHT, :WIDTH]
    base = 20 if camera == "front" else 60
    return numpy.stack([base + 2 * x, base + 2 * y, numpy.full_like(x, base + 4 * number)], axis=-1).astype(numpy.uint8)


def depth(camera, number):
    """Millimetres, with a column that has none."""
    y, x = numpy.mgrid[:HEIGHT, :WIDTH]
    mm = (500 if camera == "front" else 2500) + 13 * x + 7 * y + number
    mm[:, 0] = 0
    return mm.astype(numpy.uint16)


def joints(number):
    return [number, -number / 2]


def png(pixels):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


class Bag:
    def __init__(self, path):
        self.path, self.messages = path, []

    def put(self, at, topic, value):
        self.messages.append((at, topic, value))

    def image(self, at, number, topic, pixels):
        encoding = "rgb8" if pixels.ndim == 3 else "16UC1"
        data = numpy.frombuffer(pixels.tobytes(), numpy.uint8)
        head = header(at, number)
        self.put(at, topic, message("sensor_msgs/msg/Image", header=head, height=HEIGHT, width=WIDTH, encoding=encoding, is_bigendian=0, step=len(data) // HEIGHT, data=data))

    def compressed(self, at, number, topic, form, data):
        data = numpy.frombuffer(data, numpy.uint8)
        self.put(at, topic, message("sensor_msgs/msg/CompressedImage", header=header(at, number), format=form, data=data))

    def calibration(self, at, number, topic):
        k = numpy.array([60, 0, WIDTH / 2, 0, 60, HEIGHT / 2, 0, 0, 1], float)
        p = numpy.insert(k.reshape(3, 3), 3, 0, axis=1).ravel()
        roi = message("sensor_msgs/msg/RegionOfInterest", x_offset=0, y_offset=0, height=0, width=0, do_rectify=False)
        info = dict(D=numpy.zeros(5), K=k, R=numpy.eye(3).ravel(), P=p, binning_x=0, binning_y=0, roi=roi)
        self.put(at, topic, message("sensor_msgs/msg/CameraInfo", header=header(at, number), height=HEIGHT, width=WIDTH, distortion_model="plumb_bob", **info))

    def joint(self, at, number, topic):
        position = numpy.array(joints(number), float)
        empty = numpy.array([], float)
        self.put(at, topic, message("sensor_msgs/msg/JointState", header=header(at, number), name=JOINTS, position=position, velocity=empty, effort=empty))

    def close(self):
        with Writer(self.path) as out:
            topics = {}
            for at, topic, value in sorted(self.messages, key=lambda m: m[0]):
                name = value.__msgtype__
                if topic not in topics:
                    topics[topic] = out.add_connection(topic, name, typestore=types)
                out.write(topics[topic], at, types.serialize_ros1(value, name))


def write(path, rate, frames, wrong=None):
    """The front camera has raw images, the wrist's are PNG and compressed depth. Joints come before the first frame.
    wrong spoils one value of the last frame, for judges that must see it."""
    bag, step = Bag(path), 10**9 // rate
    for number in range(frames):
        for camera, late in LATE.items():
            spoilt = wrong if number == frames - 1 and camera == "wrist" else None
            at = START + number * step + late + (spoilt == "stamp") * 10_000
            for stream in ["color/image_raw", "depth/image_rect_raw"]:
                bag.calibration(at, number, f"/{camera}/{stream.split('/')[0]}/camera_info")
            pixels, mm = colour(camera, number), depth(camera, number)
            pixels[5, 7, 1] += spoilt == "colour"
            mm[5, 7] += spoilt == "depth"
            if camera == "front":
                bag.image(at, number, "/front/color/image_raw", pixels)
                bag.image(at, number, "/front/depth/image_rect_raw", mm)
                continue
            bag.compressed(at, number, "/wrist/color/image_raw/compressed", "rgb8; png compressed bgr8", png(pixels))
            head = struct.pack("<iff", 0, 0, 0)
            bag.compressed(at, number, "/wrist/depth/image_rect_raw/compressedDepth", "16UC1; compressedDepth png", head + png(mm))
    for topic, every in [("/joint_states", JOINT_STEP), ("/joint_command", ACTION_STEP)]:
        for number in range((frames * step + 10**8) // every):
            bag.joint(START - 10**8 + number * every, number + (wrong == topic), topic)
    bag.close()


def joint_at(stamp, every):
    """The number of the last message at or before a time."""
    return (stamp - START + 10**8) // every
