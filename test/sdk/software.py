"""A software device with all kinds of streams, which librealsense's recorder records."""

import time

import numpy as np
import pyrealsense2 as rs

import sdk
from recording import Frame, Recording

WIDTH, HEIGHT, FPS = 64, 48, 30
EPOCH = 1_700_000_000_000.0  # milliseconds; timestamps are made up
IMAGES = 45
# Options since 2.58.4.
NEW = ("readout_shaping", "detection_distance", "sensors_config_mode", "dual_rgb_rectification", "emitter_mode", "enable_aligned_depth")
SAMPLES = 6  # of each inertial stream, and poses, for an image


def intrinsics(focal, model):
    i = rs.intrinsics()
    i.width, i.height, i.model = WIDTH, HEIGHT, model
    i.fx, i.fy, i.ppx, i.ppy = focal * WIDTH, focal * WIDTH * 1.001, WIDTH / 2 + 0.25, HEIGHT / 2 - 0.5
    i.coeffs = [0.0125, -0.025, 0.001, 0.002, 0.0] if model == rs.distortion.inverse_brown_conrady else [0.0] * 5
    return i


def video(kind, index, pixel, size, uid, focal=0.6, model=rs.distortion.brown_conrady):
    s = rs.video_stream()
    s.type, s.index, s.uid, s.width, s.height, s.fps, s.bpp, s.fmt = kind, index, uid, WIDTH, HEIGHT, FPS, size, pixel
    s.intrinsics = intrinsics(focal, model)
    return s


def motion(kind, uid, fps):
    s = rs.motion_stream()
    s.type, s.index, s.uid, s.fps, s.fmt = kind, 0, uid, fps, rs.format.motion_xyz32f
    i = rs.motion_device_intrinsic()
    i.data = [[1 + 0.001 * uid if r == c else 0.001 * (4 * r + c) for c in range(4)] for r in range(3)]
    i.noise_variances, i.bias_variances = [0.001, 0.002, 0.003], [0.004, 0.005, 0.006]
    s.intrinsics = i
    return s


def pose(uid):
    s = rs.pose_stream()
    s.type, s.index, s.uid, s.fps, s.fmt = rs.stream.pose, 0, uid, 200, rs.format.six_dof
    return s


def moved(x):
    e = rs.extrinsics()
    e.rotation, e.translation = [1, 0, 0, 0, 1, 0, 0, 0, 1], [x, 0.00021, -0.00035]
    return e


def range_of(lowest, highest, step, default):
    r = rs.option_range()  # its constructor mixes up step and default
    r.min, r.max, r.step, r.default = lowest, highest, step, default
    return r


class Device:
    """The device, its profiles, and what it has sent."""

    def __init__(self, with_pose):
        self.device = rs.software_device()
        self.sent = Recording()
        self.describe()
        self.add_video()
        self.add_motion()
        self.tracking = self.device.add_sensor("Tracking Module") if with_pose else None
        if with_pose:
            self.pose = self.tracking.add_pose_stream(pose(7))
            self.tracking.add_read_only_option(rs.option.frames_queue_size, 16)

    def describe(self):
        info = rs.camera_info
        texts = {info.name: "Synthetic Software Device", info.serial_number: "012345678901", info.firmware_version: "5.16.0.1",
                 info.physical_port: "synthetic-port-1", info.product_line: "D400", info.usb_type_descriptor: "3.2"}
        for key, text in texts.items():
            self.device.register_info(key, text)

    def add_video(self):
        self.stereo, self.rgb = self.device.add_sensor("Stereo Module"), self.device.add_sensor("RGB Camera")
        self.stereo.add_read_only_option(rs.option.depth_units, 0.00025)
        self.stereo.add_read_only_option(rs.option.stereo_baseline, 49.875)
        self.stereo.add_option(rs.option.laser_power, range_of(0, 360, 30, 150), True)
        self.rgb.add_option(rs.option.white_balance, range_of(2800, 6500, 10, 4600), True)
        for name in NEW:
            if hasattr(rs.option, name):
                self.stereo.add_read_only_option(getattr(rs.option, name), 1)
        infrared = rs.stream.infrared, rs.format.y8
        self.images = {
            "Depth_0": self.stereo.add_video_stream(video(rs.stream.depth, 0, rs.format.z16, 2, 1)),
            "Infrared_1": self.stereo.add_video_stream(video(infrared[0], 1, infrared[1], 1, 2)),
            "Infrared_2": self.stereo.add_video_stream(video(infrared[0], 2, infrared[1], 1, 3)),
            "Color_0": self.rgb.add_video_stream(video(rs.stream.color, 0, rs.format.rgb8, 3, 4, 0.9, rs.distortion.inverse_brown_conrady)),
        }
        for n, stream in enumerate(("Infrared_1", "Infrared_2", "Color_0")):
            self.images["Depth_0"].register_extrinsics_to(self.images[stream], moved(-0.05 * n))

    def add_motion(self):
        self.motion = self.device.add_sensor("Motion Module")
        self.motion.add_option(rs.option.enable_motion_correction, range_of(0, 1, 1, 1), True)
        self.samples = {"Gyro_0": self.motion.add_motion_stream(motion(rs.stream.gyro, 5, 200)),
                        "Accel_0": self.motion.add_motion_stream(motion(rs.stream.accel, 6, 200))}

    def sensors(self):
        """Each sensor with its profiles."""
        yield self.stereo, [self.images[s] for s in ("Depth_0", "Infrared_1", "Infrared_2")]
        yield self.rgb, [self.images["Color_0"]]
        yield self.motion, list(self.samples.values())
        if self.tracking:
            yield self.tracking, [self.pose]

    def keep(self, frame):
        self.sent.frames.setdefault(sdk.stream_name(frame.get_profile()), []).append(sdk.describe_frame(frame))

    def send_image(self, stream, n, at):
        frame = rs.software_video_frame()
        sensor = self.rgb if stream == "Color_0" else self.stereo
        size = {"Depth_0": 2, "Color_0": 3}.get(stream, 1)
        rows = np.random.default_rng(1000 * size + n).integers(0, 256, (HEIGHT, WIDTH * size), np.uint8)
        frame.pixels, frame.stride, frame.bpp = rows, WIDTH * size, size
        frame.timestamp, frame.domain = EPOCH + at, rs.timestamp_domain.hardware_clock
        frame.frame_number, frame.profile = 100 + n, self.images[stream].as_video_stream_profile()
        if stream == "Depth_0":
            frame.depth_units = 0.00025
        sensor.set_metadata(rs.frame_metadata_value.frame_counter, 100 + n)
        sensor.set_metadata(rs.frame_metadata_value.actual_exposure, 8500 + n)
        sensor.set_metadata(rs.frame_metadata_value.temperature, -7)
        sensor.on_video_frame(frame)

    def send_sample(self, stream, n, at):
        frame = rs.software_motion_frame()
        frame.data = vector(n * 0.1, n * 0.2, -9.80665)
        frame.timestamp, frame.domain = EPOCH + at, rs.timestamp_domain.global_time
        frame.frame_number, frame.profile = 1000 + n, self.samples[stream].as_motion_stream_profile()
        self.motion.set_metadata(rs.frame_metadata_value.frame_timestamp, 4_000_000_000 + n)
        self.motion.on_motion_frame(frame)

    def send_pose(self, n, at):
        frame, data = rs.software_pose_frame(), rs.pose()
        for k, name in enumerate(("translation", "velocity", "acceleration", "angular_velocity", "angular_acceleration")):
            setattr(data, name, vector(0.01 * n, k, -k))
        data.rotation = quaternion(0, 0.6, 0, 0.8)
        frame.data = data
        frame.timestamp, frame.domain = EPOCH + at, rs.timestamp_domain.global_time
        frame.frame_number, frame.profile = 5000 + n, self.pose.as_pose_stream_profile()
        self.tracking.on_pose_frame(frame)

    def send_notification(self):
        n = rs.software_notification()
        n.category, n.type, n.severity = rs.notification_category.hardware_event, 7, rs.log_severity.warn
        n.description, n.serialized_data = "synthetic hardware event", ""
        self.stereo.on_notification(n)

    def send(self, n):
        """What happens in one interval of the images."""
        at = n * 1000 / FPS
        for stream in self.images:
            self.send_image(stream, n, at)
        for j in range(SAMPLES):
            number, later = n * SAMPLES + j, at + j * 1000 / FPS / SAMPLES
            for stream in self.samples:
                self.send_sample(stream, number, later)
            if self.tracking:
                self.send_pose(number, later)


def vector(x, y, z):
    v = rs.vector()
    v.x, v.y, v.z = x, y, z
    return v


def quaternion(x, y, z, w):
    q = rs.quaternion()
    q.x, q.y, q.z, q.w = x, y, z, w
    return q


def record(path, with_pose, pause=(0, 0), note=False, compress=True, changes=()):
    """Records the device, and returns what it sent while the recorder wasn't paused: pause is the first image without, and the first with again.
    changes has values of the depth sensor's Frames Queue Size, each set after an image: of a software sensor's options, only this one's changes are recorded.
    """
    device = Device(with_pose)
    recorder = rs.recorder(str(path), device.device, compress)
    for sensor, profiles in device.sensors():
        sensor.open(profiles)
        sensor.start(device.keep)
    begin = time.monotonic()
    for n in range(IMAGES):
        time.sleep(max(0, begin + n / FPS - time.monotonic()))  # the recorder stamps by its own clock
        if n == pause[0] != pause[1]:
            recorder.pause()
            kept = {stream: len(frames) for stream, frames in device.sent.frames.items()}
        if n == pause[1] != pause[0]:
            for stream, frames in device.sent.frames.items():
                del frames[kept[stream]:]
            recorder.resume()
        device.send(n)
        if n in changes:
            device.stereo.set_option(rs.option.frames_queue_size, changes[n])
        if note and n == IMAGES // 2:
            device.send_notification()
    for sensor, _ in device.sensors():
        sensor.stop()
        sensor.close()
    return device.sent
