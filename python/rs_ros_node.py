"""Recordings of cameras and robots as numpy arrays, without ROS and without librealsense:

    import rs_ros_node

    for frame in rs_ros_node.frames("walk.bag", stream="Depth_0"):
        print(frame.number, frame.timestamp, frame.array.mean() * frame.depth_m)

The program rs-ros-node reads them, so that it may be any recording and any address that the program takes. numpy is needed
for frame.array only. `python -m rs_ros_node` is the program itself.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import warnings

__all__ = ["Error", "Frame", "Incomplete", "frames", "info", "program"]


class Error(Exception):
    """What the program says, if it can't read a recording."""


class Incomplete(UserWarning):
    """Some of the recording is lost or damaged. All that can be read was returned."""


class Frame:
    """An image, or a sample of an inertial sensor or a tracker.

    stream     the name of a stream, "Depth_0", or of a topic
    number     of the frame; of a topic, header.seq, which ROS 2 doesn't have
    timestamp  milliseconds, on the clock that domain names; of a topic, since 1970
    domain     "Global Time", "Hardware Clock", "System Time"; "" for topics
    time       nanoseconds, in the recording
    width, height, encoding    of an image; the encoding of a sample is "float64"
    depth_m    metres per unit of a depth image of a RealSense recording, otherwise 0
    metadata   of the frame, by the SDK's names: {"Actual Exposure": 8500, ...}
    data       the bytes, rows padded to stride; writable
    """

    __slots__ = ("stream", "number", "timestamp", "domain", "time", "width", "height", "stride", "encoding", "bigendian",
                 "depth_m", "metadata", "data")

    def __init__(self, head, data):
        self.stream, self.number, self.time = head["stream"], head["number"], head["time_ns"]
        self.timestamp, self.domain = head["timestamp_ms"], head.get("domain", "")
        self.width, self.height, self.stride = head.get("width", 0), head.get("height", 0), head.get("stride", 0)
        self.encoding, self.bigendian = head["encoding"], head.get("bigendian", False)
        self.depth_m, self.metadata, self.data = head.get("depth_m", 0.0), head.get("metadata", {}), data

    def __repr__(self):
        size = "%dx%d " % (self.width, self.height) if self.width else ""
        return "<Frame %s %d, %s%s, %.3f ms>" % (self.stream, self.number, size, self.encoding, self.timestamp)

    @property
    def array(self):
        """A numpy array, without a copy: (height, width), with channels (height, width, n); the values of a sample.

        Samples are x, y, z of Gyro and Accel; of an inertial topic the orientation x y z w, the angular velocity and the
        acceleration; of Pose the position, the rotation x y z w, and four vectors of velocities and accelerations.
        """
        import numpy

        if self.encoding == "float64":
            return numpy.frombuffer(self.data, "<f8")
        kind, channels = _pixel(self.encoding)
        kind = numpy.dtype(kind).newbyteorder(">" if self.bigendian else "<")
        strides = (self.stride, kind.itemsize * channels, kind.itemsize)
        image = numpy.ndarray((self.height, self.width, channels), kind, self.data, strides=strides)
        return image[:, :, 0] if channels == 1 else image


_PIXELS = {"mono8": ("u1", 1), "mono16": ("u2", 1), "rgb8": ("u1", 3), "bgr8": ("u1", 3), "rgba8": ("u1", 4), "bgra8": ("u1", 4),
           "rgb16": ("u2", 3), "bgr16": ("u2", 3), "rgba16": ("u2", 4), "bgra16": ("u2", 4),
           "yuyv": ("u1", 2), "uyvy": ("u1", 2), "yuv422": ("u1", 2), "yuv422_yuy2": ("u1", 2)}


def _pixel(encoding):
    """The numpy type and the number of the values of a pixel."""
    if encoding in _PIXELS:
        return _PIXELS[encoding]
    opencv = re.match(r"(8|16|32|64)([USF])C([1-9])$", encoding)  # 16UC1
    if opencv:
        bits, kind, channels = opencv.groups()
        return kind.lower().replace("s", "i") + str(int(bits) // 8), int(channels)
    bayer = re.match(r"bayer_[rgb]{4}(8|16)$", encoding)
    if bayer:
        return "u" + str(int(bayer.group(1)) // 8), 1
    raise ValueError("no numpy type for pixels of encoding %r; frame.data has the bytes" % encoding)


def program():
    """The path of the program: that of this environment, otherwise that of PATH."""
    name = "rs-ros-node.exe" if os.name == "nt" else "rs-ros-node"
    user = {"nt": "nt_user", "posix": "posix_user"}.get(os.name)
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user) if user else "",
               os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")]  # of pip install --target
    for folder in folders:
        path = os.path.join(folder, name)
        if folder and os.path.isfile(path):
            return path
    path = shutil.which(name)
    if not path:
        raise Error("the program rs-ros-node isn't in %s, and not in PATH" % " or ".join(filter(None, folders)))
    return path


def frames(path, stream=None, start=None, end=None, camera=None):
    """Yields the frames of a recording in the order of their times, one after another as they are read.

    path    a .bag, .db3, .mcap, a folder of rosbag2, or an address: s3://, https://
    stream  "Depth_0", "Gyro_0"; a topic, "/camera/depth/image_rect_raw"; a list of these; all, if it is None
    start, end    seconds from the first message or since 1970, or a date, "2026-05-03 12:30:00"
    camera  of a recording of several, the name of one, which info lists; without it, streams are "NAME/Depth_0"

    Compressed images are decompressed. Streams of a RealSense recording come before the topics that are in the same file.
    """
    command = [program(), "export", "-o", "-"]
    for name in [stream] if isinstance(stream, str) else stream or []:
        command += ["--topics", re.escape(name) if name.startswith("/") else ".*/" + re.escape(name) + "/.*", "--regex"]
    for flag, value in (("--start", start), ("--end", end), ("--camera", camera)):
        if value is not None:
            command += [flag, str(value)]
    with tempfile.TemporaryFile() as log:
        running = subprocess.Popen(command + ["--", os.fspath(path)], stdout=subprocess.PIPE, stderr=log, bufsize=1 << 20)
        try:
            for line in running.stdout:
                head = json.loads(line)
                data = bytearray(head["size"])
                if running.stdout.readinto(data) < len(data):
                    break  # the exit code says why
                yield Frame(head, data)
            _check(running.wait(), path, log)
        finally:
            running.kill()
            running.stdout.close()
            running.wait()


def info(path):
    """What is in a recording, as `rs-ros-node info --json` prints it."""
    with tempfile.TemporaryFile() as log:
        done = subprocess.run([program(), "info", "--json", "--", os.fspath(path)], stdout=subprocess.PIPE, stderr=log)
        _check(done.returncode, path, log)
        return json.loads(done.stdout)


def _check(code, path, log):
    """Raises what an exit code means."""
    log.seek(0)
    text = "\n".join(log.read().decode(errors="replace").splitlines()[-20:])
    if code == 3:
        warnings.warn("%s: some of it is lost or damaged:\n%s" % (path, text), Incomplete, stacklevel=3)
    elif code:
        raise Error(text or "%s: the program ended with %d" % (path, code))


def main():
    """Runs the program with the arguments of this one."""
    try:
        command = [program()] + sys.argv[1:]
    except Error as err:
        sys.exit(str(err))
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
