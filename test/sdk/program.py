"""The command lines of rs-ros-node. What its commands and flags are called is known here only."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time

PROGRAM = os.environ.get("RS_PROGRAM", "bin/rs-ros-node")
SMALL = {"depth": "424x240@30", "infra1": "424x240@30", "infra2": "424x240@30", "color": "424x240@30"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def environment():
    """Each node has a master of its own, so that several can run."""
    return {**os.environ, "ROS_MASTER_URI": f"http://127.0.0.1:{free_port()}"}


def start(*arguments, env=None, **options):
    return subprocess.Popen([PROGRAM, *map(str, arguments)], env=env, **options)


def run(*arguments, codes=(0,)):
    """Runs a command and returns what it printed. Fails on any other exit code than those of codes."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, env=environment())
    if done.returncode not in codes:
        raise AssertionError(f"{arguments}: exit code {done.returncode}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def live_arguments(out, device="sim", **profiles):
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in profiles.items()]
    return ["live", "--device", device, "--master", "embedded", "--quiet", "--record", out, *flags]


def record(out, seconds, **profiles):
    """Records the simulated camera, or the device of profiles."""
    run(*live_arguments(out, **profiles), f"--duration={seconds}s")


def record_two(out, seconds, together=False):
    """Records two cameras: into one file, or into two that are named after out and the camera."""
    flags = ["--record-together"] if together else []
    second = ["--device", "sim:2", "--camera", "front", "--camera", "rear", *flags]
    run(*live_arguments(out, "sim:1", **SMALL), *second, f"--duration={seconds}s")


def record_and_kill(out, enough, **profiles):
    """Records until the file has so many bytes, and ends the recorder with kill -9."""
    recorder = start(*live_arguments(out, **profiles), env=environment())
    try:
        while not (os.path.exists(out) and os.path.getsize(out) > enough):
            if recorder.poll() is not None:
                raise AssertionError("the recorder ended by itself")
            time.sleep(0.01)
    finally:
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()


def record_topics(out, seconds, **profiles):
    """Records the simulated camera's topics in ROS 1, while it is published."""
    env = environment()
    flags = [f"--{name}={value}" for name, value in profiles.items()]
    camera = start("live", "--device=sim", "--naming=sdk", "--master=embedded", "--quiet", *flags, env=env)
    try:
        done = subprocess.run([PROGRAM, "record", "-O", out, "-e", "/device_0/.*", f"--duration={seconds}s", "--quiet"], env=env)
        assert done.returncode == 0, done.returncode
    finally:
        camera.send_signal(signal.SIGINT)
        camera.wait()


def convert(source, out, *, ros=None, storage=None, sdk=None, zstd=None, codes=(0,)):
    flags = [f"--{k}={v}" for k, v in {"ros": ros, "storage": storage, "sdk": sdk, "zstd": zstd}.items() if v]
    run("convert", source, "-o", out, "--quiet", *flags, codes=codes)


def filter_times(source, out, begin, end):
    run("filter", source, "-o", out, "--quiet", f"--start={begin}", f"--end={end}")


def filter_topics(source, out, without):
    run("filter", source, "-o", out, "--quiet", "--exclude", without)


def filter_expression(source, out, expression):
    run("filter", source, "-o", out, expression, "--quiet")


def merge(out, *sources):
    run("merge", "--quiet", "-o", out, *sources)


def compress(source, folder):
    run("compress", "--lz4", "--quiet", "-o", f"{folder}/", source)


def decompress(source, folder):
    run("decompress", "--quiet", "-o", f"{folder}/", source)


def recover(source, out):
    """Something may be lost: a kill leaves a torn end."""
    return json.loads(run("recover", "--json", "-o", out, source, codes=(0, 3)))


def process(source, out, *filters, **settings):
    flags = [f"--set={k.replace('__', '.')}={v}" for k, v in settings.items()]
    run("process", source, "-o", out, "--quiet", f"--filters={','.join(filters)}", *flags)


def export_images(source, folder, ply=False):
    run("export", source, "-o", folder, *(["--ply"] if ply else []))


def export_set(source, folder, form, *filters):
    """The exit code is 3 if sets lack a frame."""
    flags = [f"--filters={','.join(filters)}"] if filters else []
    run("export", source, "-o", folder, "--as", form, *flags, codes=(0, 3))


def catalog(folder, out):
    """The exit code is 3 if one of the recordings is damaged."""
    run("catalog", folder, "-o", out, "--quiet", codes=(0, 3))


def info(path, codes=(0,)):
    return json.loads(run("info", "--json", "--realsense", path, codes=codes))


def check(path, codes=(0,)):
    return json.loads(run("check", "--json", path, codes=codes))


def messages(path, codes=(0,), topics=None):
    """Yields each message as cat prints it, in the order of the file's times."""
    select = ["--topics", topics, "-e"] if topics else []
    for line in run("cat", "--json", *select, path, codes=codes).splitlines():
        yield json.loads(line)


@contextlib.contextmanager
def recorder_of_graph(out, topics):
    """Records topics of a graph; yields the environment in which others find it."""
    env = environment()
    recorder = start("record", "--master", "embedded", "--quiet", "-O", out, *topics, env=env)
    try:
        yield env
    finally:
        recorder.send_signal(signal.SIGINT)
        recorder.wait()


def play(path, topics, env):
    """Plays topics that all have subscribers, without losing messages."""
    flags = ["--wait-for-subscribers", "--quiet", "--queue=0", "--rate=4"]
    player = start("play", path, *flags, "--topics", *topics, env=env)
    if player.wait() != 0:
        raise AssertionError(f"play: exit code {player.returncode}")


def live_again(path, out):
    """Plays a recording as a device, and records that; it ends with the recording."""
    run(*live_arguments(out, device=path))


def start_view(path):
    """Serves a recording to browsers; returns the process and the page's address."""
    process = start("view", path, "--no-open", "--quiet", stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def stop(process):
    process.send_signal(signal.SIGINT)
    process.communicate()


def manifest(folder):
    """What export says of its files."""
    with open(os.path.join(folder, "manifest.json")) as file:
        return json.load(file)
