"""Plays a recording with librealsense, and records one."""

import importlib.metadata
import threading
import time
from hashlib import md5

import numpy as np
import pyrealsense2 as rs

from recording import Frame, Recording

VERSION = tuple(int(n) for n in importlib.metadata.version("pyrealsense2").split(".")[:3])
READS_DB3 = VERSION >= (2, 58)
# Every frame must have arrived after this many seconds.
PATIENCE = 60


def words(value):
    """The SDK's own name of a Python value: option.enable_auto_exposure is Enable Auto Exposure."""
    return str(value).split(".")[-1].replace("_", " ").title()


def stream_name(profile):
    """The stream's name in topics: Depth_0, Infrared_1."""
    return f"{words(profile.stream_type())}_{profile.stream_index()}"


def load(path):
    """Returns a playback that delivers every frame."""
    playback = rs.playback(rs.context().load_device(str(path)))
    playback.set_real_time(False)
    return playback


def play(path):
    """Plays a recording to its end and returns all that came."""
    playback = load(path)
    seen = describe(playback)
    with Playing(playback, seen) as playing:
        playing.run()
    return seen


class Playing:
    """A playback with all its streams opened. It starts paused, because frames for sensors that haven't started are dropped."""

    def __init__(self, playback, seen):
        self.playback, self.seen = playback, seen
        self.arrived = threading.Condition()
        self.started = []

    def __enter__(self):
        self.playback.pause()
        for sensor in self.playback.query_sensors():
            sensor.set_notifications_callback(self.notification)
            profiles = sensor.get_stream_profiles()
            if profiles:
                sensor.open(profiles)
                sensor.start(self.frame)
                self.started.append(sensor)
        return self

    def __exit__(self, *_):
        for sensor in self.started:
            sensor.stop()
            sensor.close()

    def notification(self, n):
        self.seen.notifications.append((words(n.category), words(n.severity), n.description, n.serialized_data))

    def frame(self, frame):
        one = describe_frame(frame)
        with self.arrived:
            self.seen.frames.setdefault(stream_name(frame.get_profile()), []).append(one)
            self.arrived.notify_all()

    def run(self):
        """Plays to the end. A callback for the status would be called while 2.56 holds the interpreter's lock in resume."""
        self.playback.resume()
        end = time.monotonic() + PATIENCE
        with self.arrived:
            while self.playback.current_status() != rs.playback_status.stopped:
                if time.monotonic() > end:
                    raise AssertionError(f"the playback didn't end; {self.seen.count()} frames came")
                self.arrived.wait(0.02)

    def wait(self, condition):
        """Waits for a state of the frames that have arrived."""
        with self.arrived:
            if not self.arrived.wait_for(condition, PATIENCE):
                raise AssertionError(f"frames don't arrive: {self.seen.count()}")


def option_at_frames(playback, sensor, stream, option):
    """Plays to the end; returns the option's value at each frame of a stream."""
    values = []

    class Watching(Playing):
        def frame(self, frame):
            if stream_name(frame.get_profile()) == stream:
                values.append(sensor.get_option(option))
            super().frame(frame)

    with Watching(playback, Recording()) as playing:
        playing.run()
    return values


def describe(device):
    seen = Recording(device=infos(device))
    depth = None
    for number, sensor in enumerate(device.query_sensors()):
        name = sensor.get_info(rs.camera_info.name)
        seen.options[name] = {words(o): sensor.get_option(o) for o in sensor.get_supported_options()}
        seen.filters[name] = len(sensor.get_recommended_filters())
        for profile in sensor.get_stream_profiles():
            stream = stream_name(profile)
            seen.profiles[stream] = (words(profile.format()).replace(" ", "_").upper(), profile.fps())
            seen.geometry[stream] = geometry(profile)
            depth = profile if stream == "Depth_0" else depth
    for sensor in device.query_sensors() if depth else []:
        for profile in sensor.get_stream_profiles():
            describe_extrinsics(seen, depth, profile)
    return seen


def describe_extrinsics(seen, depth, profile):
    try:
        e = depth.get_extrinsics_to(profile)
    except RuntimeError:  # "Requested extrinsics are not available!"
        return
    seen.extrinsics[stream_name(profile)] = tuple(e.rotation) + tuple(e.translation)


def infos(holder):
    keys = rs.camera_info.__members__.values()
    return {words(k): holder.get_info(k) for k in keys if holder.supports(k)}


def geometry(profile):
    """The numbers of the calibration, in the order of ours.py."""
    if profile.is_video_stream_profile():
        i = profile.as_video_stream_profile().get_intrinsics()
        return (i.width, i.height, i.fx, i.fy, i.ppx, i.ppy, words(i.model), *i.coeffs)
    if profile.is_motion_stream_profile():
        i = profile.as_motion_stream_profile().get_motion_intrinsics()
        return (*np.ravel(i.data).tolist(), *i.noise_variances, *i.bias_variances)
    return ()


def describe_frame(frame):
    keys = rs.frame_metadata_value.__members__.values()
    metadata = {words(k): frame.get_frame_metadata(k) for k in keys if frame.supports_frame_metadata(k)}
    units = frame.as_depth_frame().get_units() if frame.is_depth_frame() else 0
    return Frame(frame.get_frame_number(), frame.get_timestamp(), words(frame.get_frame_timestamp_domain()), content(frame), metadata, units)


def content(frame):
    if frame.is_motion_frame():
        d = frame.as_motion_frame().get_motion_data()
        return (d.x, d.y, d.z)
    if frame.is_pose_frame():
        d = frame.as_pose_frame().get_pose_data()
        r = d.rotation
        vectors = (d.translation, d.velocity, d.acceleration, d.angular_velocity, d.angular_acceleration)
        return (*(x for v in vectors for x in (v.x, v.y, v.z)), r.x, r.y, r.z, r.w)
    return digest(frame.get_data())


def digest(pixels):
    return md5(np.ascontiguousarray(pixels)).hexdigest()
