"""Nodes of rclpy and ours, in one graph."""

import collections
import importlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import sqlite3
import struct
import subprocess
import time

import pytest
import rclpy
from mcap.reader import make_reader
from rcl_interfaces.msg import Parameter, ParameterEvent, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.serialization import deserialize_message
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, Image, Imu
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from type_description_interfaces.msg import KeyValue

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
WITHIN = 30  # seconds that a machine under load may take


@pytest.fixture
def node():
    rclpy.init()
    n = rclpy.create_node("judge")
    yield n
    n.destroy_node()
    rclpy.shutdown()


def spin(node, until, what):
    end = time.monotonic() + WITHIN
    while not until():
        assert time.monotonic() < end, "not within %d s: %s" % (WITHIN, what)
        rclpy.spin_once(node, timeout_sec=0.02)


@pytest.mark.parametrize("width,height", [(8, 4), (160, 144), (1280, 720)])
def test_our_images_arrive(node, ours, width, height):
    got = []
    pixels = bytes(i % 251 for i in range(3 * width * height))
    node.create_subscription(Image, "/img", lambda m: got.append((m.header.stamp.sec, m.width, m.step, bytes(m.data) == pixels)), 10)
    p = ours("pub", "-topic", "/img", "-count", 20, "-width", width, "-height", height, "-rate", 10, "-wait", "-seconds", WITHIN)
    spin(node, lambda: len(got) == 20, "20 images")
    assert got == [(k, width, 3 * width, True) for k in range(20)]
    assert "lost 0, flush <nil>" in p.communicate()[0]


def test_graph(node, ours):
    p = ours("latch", "-topic", "/text", "-latched", "-seconds", WITHIN)
    spin(node, lambda: node.get_publishers_info_by_topic("/text"), "our publisher")
    spin(node, lambda: ("ours", "/ns") in node.get_node_names_and_namespaces(), "our node")
    info = node.get_publishers_info_by_topic("/text")[0]
    assert (info.node_name, info.node_namespace, info.topic_type) == ("ours", "/ns", "std_msgs/msg/String")
    assert (info.qos_profile.reliability, info.qos_profile.durability) == (ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)
    assert str(info.topic_type_hash).endswith("df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18")
    p.terminate()
    left = time.monotonic()
    spin(node, lambda: ("ours", "/ns") not in node.get_node_names_and_namespaces(), "our node has left")
    assert time.monotonic() - left < 15, "it left the graph only when its lease ended"


@pytest.mark.parametrize("best_effort", [False, True])
def test_their_images_arrive(node, ours, best_effort):
    p = ours("sub", "-topic", "/img", "-seconds", 8, *(["-best-effort"] if best_effort else []))
    publisher = node.create_publisher(Image, "/img", qos_profile_sensor_data if best_effort else 10)
    spin(node, lambda: publisher.get_subscription_count() == 1, "our subscriber")
    time.sleep(1)  # best effort: ours must know the publisher, too
    image = Image(height=720, width=1280, encoding="rgb8", step=3840, data=bytes(3 * 1280 * 720))
    for k in range(15):
        image.header.stamp.sec = k + 1
        publisher.publish(image)
        time.sleep(0.05)
    out = p.communicate()[0]
    assert "got 15, malformed 0" in out and "received 15 lost 0" in out, out


def test_a_subscriber_that_falls_behind_goes_on(node, ours):
    """A GAP for an image of which a subscriber has fragments makes it loop for ever."""
    got = []
    node.create_subscription(Image, "/img", lambda m: got.append(m.header.stamp.sec), 5)
    p = ours("pub", "-topic", "/img", "-depth", 2, "-rate", 200, "-count", 300, "-seconds", WITHIN)
    spin(node, lambda: p.poll() is not None, "the publisher's end")
    spin(node, lambda: got and got[-1] == 299, "the last image")
    assert got == sorted(set(got)), (got, p.communicate()[0])


def test_latched(node, ours):
    heard = []
    ours("latch", "-topic", "/text", "-latched", "-seconds", WITHIN)
    node.create_subscription(String, "/text", lambda m: heard.append(m.data), LATCHED)
    spin(node, lambda: heard, "our latched text")
    assert heard == ["ours latched"]
    node.create_publisher(String, "/theirs", LATCHED).publish(String(data="theirs"))
    p = ours("tail", "-topic", "/theirs", "-latched", "-seconds", 5)
    assert p.communicate()[0] == "heard theirs\n"


def ask(node, typ, name, request):
    client = node.create_client(typ, name)
    spin(node, client.service_is_ready, name)
    answer = client.call_async(request)
    spin(node, answer.done, "answer of " + name)
    node.destroy_client(client)
    return answer.result()


def test_services(node, ours):
    ours("serve", "-topic", "/ask", "-seconds", WITHIN)
    answer = ask(node, Trigger, "/ask", Trigger.Request())
    assert (answer.success, answer.message) == (True, "our answer")

    def reply(_, r):
        r.success, r.message = True, "their answer"
        return r

    node.create_service(Trigger, "/theirs", reply)
    p = ours("call", "-topic", "/theirs", "-seconds", WITHIN)
    spin(node, lambda: p.poll() is not None, "our call")
    assert 'answer true "their answer"' in p.communicate()[0]


def test_hashes_of_services(node, ours):
    """Halves of our servers and clients have the hashes that theirs have, of requests and of responses."""
    node.create_service(Trigger, "/theirs", lambda _, r: r)
    node.create_client(Trigger, "/called")
    ours("parameters", "-name", "node", "-seconds", WITHIN)
    ours("serve", "-name", "server", "-topic", "/ask", "-seconds", WITHIN)
    ours("call", "-name", "client", "-topic", "/nobody", "-seconds", WITHIN)
    announced = collections.defaultdict(dict)
    for line in ours("hashes", "-seconds", 4).communicate()[0].splitlines():
        at, kind, server, sends, digest = line.split(" ")
        announced[at][kind, server, sends] = digest
    theirs = announced["/judge"]
    mine = announced["/ns/node"] | announced["/ns/server"] | announced["/ns/client"]
    assert len(mine) == 2 * (6 + 1 + 1 + 1) and set(mine) == set(theirs) and mine == theirs, (mine, theirs)


def test_types_are_described(node, ours):
    node.create_publisher(Image, "/img", 1)
    p = ours("describe", "-topic", "/img", "-seconds", WITHIN)
    spin(node, lambda: p.poll() is not None, "their description")
    out = p.communicate()[0]
    assert out.startswith("sensor_msgs/msg/Image of /judge: ") and "hash as ours true" in out and "MSG: std_msgs/Header" in out, out

    from type_description_interfaces.srv import GetTypeDescription

    ours("latch", "-topic", "/text", "-latched", "-seconds", WITHIN)
    spin(node, lambda: node.get_publishers_info_by_topic("/text"), "our publisher")
    request = GetTypeDescription.Request(type_name="std_msgs/msg/String", include_type_sources=True)
    assert not ask(node, GetTypeDescription, "/ns/ours/get_type_description", request).successful
    request.type_hash = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
    answer = ask(node, GetTypeDescription, "/ns/ours/get_type_description", request)
    field = answer.type_description.type_description.fields[0]
    assert (answer.successful, field.name, field.type.type_id) == (True, "data", 17), answer.failure_reason
    assert [s.raw_file_contents for s in answer.type_sources] == ["string data\n"]


def test_parameters(node, ours):
    ours("parameters", "-seconds", WITHIN)
    name, at = "depth_module.exposure", "/ns/ours/"
    listed = ask(node, ListParameters, at + "list_parameters", ListParameters.Request()).result
    assert (listed.names, listed.prefixes) == ([name], ["depth_module"])
    got = ask(node, GetParameters, at + "get_parameters", GetParameters.Request(names=[name, "none"])).values
    assert [(v.type, v.integer_value) for v in got] == [(ParameterType.PARAMETER_INTEGER, 33), (ParameterType.PARAMETER_NOT_SET, 0)]
    about = ask(node, DescribeParameters, at + "describe_parameters", DescribeParameters.Request(names=[name])).descriptors[0]
    r = about.integer_range[0]
    assert (about.description, r.from_value, r.to_value, r.step) == ("in microseconds", 1, 200, 1)
    for value, done in (44, True), (201, False):
        p = Parameter(name=name, value=ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=value))
        results = ask(node, SetParameters, at + "set_parameters", SetParameters.Request(parameters=[p])).results
        assert [r.successful for r in results] == [done], results
    assert ask(node, GetParameters, at + "get_parameters", GetParameters.Request(names=[name])).values[0].integer_value == 44


RECORDING = "test/data/librealsense/sw_small_lz4.bag"


@pytest.fixture
def bridge(program):
    """A bridge of everything, and the master of its ROS 1."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    os.environ.update(ROS_MASTER_URI="http://127.0.0.1:%d" % port, ROS_IP="127.0.0.1")
    program(os.environ["RS_NODE"], "-q", "master", "--port", port)
    return program(os.environ["RS_NODE"], "-q", "bridge", "-a")


def test_bridge_to_ros1(node, program, bridge, tmp_path):
    """A type that is known here, and one that their node describes; kept messages; services."""
    from type_description_interfaces.msg import KeyValue

    bag = tmp_path / "theirs.bag"
    text, pair = node.create_publisher(String, "/text", 10), node.create_publisher(KeyValue, "/pair", 10)
    node.create_publisher(String, "/kept", LATCHED).publish(String(data="kept"))
    recorder = program(os.environ["RS_NODE"], "-q", "record", "/text", "/pair", "/kept", "-O", bag)
    spin(node, lambda: text.get_subscription_count() and pair.get_subscription_count(), "the bridge's subscriptions")
    time.sleep(1)  # volatile: the bridge must know the publishers, too
    for k in range(20):
        text.publish(String(data="text %d" % k))
        pair.publish(KeyValue(key="k", value=str(k)))
    time.sleep(2)
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait() == 0
    lines = subprocess.run([os.environ["RS_NODE"], "cat", "--json", bag], capture_output=True, text=True).stdout.splitlines()
    got = {}
    for line in map(json.loads, lines):
        got.setdefault(line["topic"], []).append(line["message"])
    assert got.get("/text") == [{"data": "text %d" % k} for k in range(20)]
    assert got.get("/pair") == [{"key": "k", "value": str(k)} for k in range(20)]
    assert got.get("/kept") == [{"data": "kept"}]


def test_bridge_of_services(node, program, bridge):
    program(os.environ["RS_NODE"], "-q", "play", "--pause", "--loop", RECORDING)
    assert ask(node, SetBool, "/pause_playback", SetBool.Request(data=False)).message == "Playback is now resumed"


@pytest.mark.parametrize("flags", [["--ros", "2"], ["--ros", "2", "-i"], ["--ros", "1"]])
def test_play(node, program, request, tmp_path, flags):
    """What arrives, from ROS 1 over a bridge, is what convert writes; RTPS pads messages to 4 bytes."""
    if "1" in flags:
        request.getfixturevalue("bridge")
    converted = tmp_path / "converted.db3"
    subprocess.run([os.environ["RS_NODE"], "-q", "convert", "--ros", "2", RECORDING, "-o", converted], capture_output=True)
    rows = sqlite3.connect(converted).execute(
        "SELECT name, type, data FROM topics JOIN messages ON topics.id = topic_id ORDER BY timestamp, messages.id").fetchall()
    want, got = {}, {}
    for topic, typ, data in rows:
        package, _, name = typ.split("/")
        topic = re.sub(r"/(\d)", r"/_\1", topic)  # ROS 2 allows no part that begins with a digit
        if package not in ("sensor_msgs", "std_msgs", "geometry_msgs"):
            continue  # PyPI doesn't have the others
        if topic not in want:
            want[topic], got[topic] = [], []
            kind = getattr(importlib.import_module(package + ".msg"), name)
            node.create_subscription(kind, topic, got[topic].append, 1000, raw=True)
        want[topic].append(data)
    p = program(os.environ["RS_NODE"], "-q", "play", "--delay", "6", *flags, RECORDING)
    spin(node, lambda: p.poll() is not None, "the end of the replay")
    assert p.returncode == 0
    spin(node, lambda: all(len(got[t]) >= len(want[t]) for t in want), "all messages")
    assert len(want) > 20
    for topic in want:
        same = [g[: len(w)] == w and len(g) - len(w) < 4 for g, w in zip(got[topic], want[topic])]
        assert len(got[topic]) == len(want[topic]) and all(same), topic


def test_listeners_follow_the_clock(program, tmp_path):
    converted = tmp_path / "converted.db3"
    subprocess.run([os.environ["RS_NODE"], "-q", "convert", "--ros", "2", RECORDING, "-o", converted], capture_output=True)
    first, last = sqlite3.connect(converted).execute("SELECT MIN(timestamp), MAX(timestamp) FROM messages").fetchone()
    rclpy.init()
    node = rclpy.create_node("follower", parameter_overrides=[rclpy.Parameter("use_sim_time", value=True)])
    try:
        times = []
        node.create_timer((last - first) / 4e9, lambda: times.append(node.get_clock().now().nanoseconds))
        program(os.environ["RS_NODE"], "-q", "play", "--ros", "2", "--clock", "--file-time", "--loop", RECORDING)
        spin(node, lambda: len(times) >= 3, "a timer of the replay's time")
        assert all(first <= t <= last + 10**7 for t in times), (first, times, last)
    finally:
        node.destroy_node()
        rclpy.shutdown()


def stored(path):
    """The messages of a recording by topic, as others' readers find them: (type, hash, definition, QoS) and the bytes."""
    kinds, messages = {}, collections.defaultdict(list)
    if path.suffix == ".mcap":
        with open(path, "rb") as f:
            for schema, channel, message in make_reader(f).iter_messages():
                meta = channel.metadata
                kinds[channel.topic] = (schema.name, meta["topic_type_hash"], schema.data.decode(), meta["offered_qos_profiles"])
                messages[channel.topic].append(message.data)
        return kinds, messages
    db = sqlite3.connect(path)
    for name, *kind in db.execute("""SELECT name, type, topics.type_description_hash, encoded_message_definition,
            offered_qos_profiles FROM topics LEFT JOIN message_definitions ON topic_type = type"""):
        kinds[name] = tuple(kind)
    for name, data in db.execute("SELECT name, data FROM topics JOIN messages ON topics.id = topic_id ORDER BY messages.id"):
        messages[name].append(data)
    return kinds, messages


@pytest.fixture
def recorder(program):
    """Starts record, and returns what ends it and returns its exit code and what it says."""

    def start(path, *args):
        p = program(os.environ["RS_NODE"], "-q", "record", "--ros", "2", "-O", path, *args, stderr=subprocess.PIPE)

        def end():
            p.send_signal(signal.SIGINT)
            said = p.communicate(timeout=WITHIN)[1]
            return p.returncode, said

        return end

    return start


def record_subscribes(node, *topics):
    def recorded(t):
        return any(e.node_name.startswith("record_") for e in node.get_subscriptions_info_by_topic(t))

    spin(node, lambda: all(recorded(t) for t in topics), "the recorder's subscriptions")
    time.sleep(0.5)  # it knows the publishers, too


@pytest.mark.parametrize("name", ["x.mcap", "x.db3"])
def test_record(node, recorder, program, tmp_path, name):
    """What play publishes and record stores is what convert writes."""
    converted = tmp_path / "converted.db3"
    subprocess.run([os.environ["RS_NODE"], "-q", "convert", "--ros", "2", RECORDING, "-o", converted], capture_output=True)
    kinds, want = stored(converted)
    end = recorder(tmp_path / name, "-e", "/device_0/.*", "/file_version")
    p = program(os.environ["RS_NODE"], "-q", "play", "--ros", "2", "-i", "--delay", "4", RECORDING)
    spin(node, lambda: p.poll() is not None, "the end of the replay")
    assert (p.returncode, end()) == (0, (0, ""))
    got_kinds, got = stored(tmp_path / name)
    assert len(got) == len(want) > 50
    for topic in want:
        there = re.sub(r"/(\d)", r"/_\1", topic).replace(" ", "_")
        assert got_kinds[there][:3] == kinds[topic][:3], topic
        same = [g[: len(w)] == w and len(g) - len(w) < 4 for g, w in zip(got[there], want[topic])]
        assert len(got[there]) == len(want[topic]) and all(same), topic


def test_record_what_publishers_offer(node, recorder, program, tmp_path):
    """Topics by type and by name: best effort, latched, and of a type that this program doesn't know. play offers the same."""
    kept = node.create_publisher(String, "/kept", LATCHED)
    kept.publish(String(data="latched"))
    quick = node.create_publisher(Image, "/quick", qos_profile_sensor_data)
    unknown = node.create_publisher(KeyValue, "/unknown", 10)
    node.create_publisher(String, "/other", 10)
    path = tmp_path / "x.mcap"
    end = recorder(path, "/kept", "/unknown", "--types", "sensor_msgs/msg/Image")
    record_subscribes(node, "/kept", "/quick", "/unknown")
    for k in range(5):
        quick.publish(Image(height=1, width=k, encoding="mono8"))
        unknown.publish(KeyValue(key="k", value=str(k)))
        rclpy.spin_once(node, timeout_sec=0.02)
    end_at = time.monotonic() + 1
    spin(node, lambda: time.monotonic() > end_at, "the last messages")
    assert end() == (0, "")
    kinds, got = stored(path)
    assert {t: len(m) for t, m in got.items()} == {"/kept": 1, "/quick": 5, "/unknown": 5}
    typ, digest, definition, qos = kinds["/unknown"]
    info = node.get_publishers_info_by_topic("/unknown")[0]
    assert (typ, digest) == ("type_description_interfaces/msg/KeyValue", str(info.topic_type_hash))
    assert "string key" in definition and "reliability: 1" in qos
    assert "reliability: 2" in kinds["/quick"][3] and "durability: 1" in kinds["/kept"][3]
    assert [deserialize_message(m, KeyValue).value for m in got["/unknown"]] == list("01234")
    program(os.environ["RS_NODE"], "-q", "play", "--ros", "2", "--pause", path)

    def replayed(topic):
        found = [e for e in node.get_publishers_info_by_topic(topic) if e.node_name.startswith("play")]
        return found and (found[0].qos_profile.reliability.name, found[0].qos_profile.durability.name)

    spin(node, lambda: all(map(replayed, got)), "the replay's publishers")
    assert {t: replayed(t) for t in got} == {
        "/kept": ("RELIABLE", "TRANSIENT_LOCAL"), "/quick": ("BEST_EFFORT", "VOLATILE"), "/unknown": ("RELIABLE", "VOLATILE")}


@pytest.mark.parametrize("flags", [[], ["-best-effort"]])
def test_record_counts_what_was_lost(node, recorder, ours, tmp_path, flags):
    """A publisher drops more than it sends; received and lost together are what it published."""
    path = tmp_path / "x.mcap"
    end = recorder(path, "/img")
    p = ours("pub", "-topic", "/img", "-depth", 2, "-rate", 1000, "-count", 400, "-width", 640, "-height", 240,
             "-seconds", 10, *flags)
    spin(node, lambda: p.poll() is not None, "the publisher's end")
    code, said = end()
    assert code == 3
    lost = int(re.search(r"(\d+) messages were lost before arrival \(gaps in their publishers' numbers\)", said)[1])
    received = len(stored(path)[1]["/img"])
    if flags:  # what is lost before the first or after the last image isn't known
        assert 0 < received < 400 and 200 < received + lost <= 400, (received, lost, p.communicate()[0])
    else:
        assert 0 < received < 400 and received + lost == 400, (received, lost, p.communicate()[0])


def test_info_says_why_a_pair_does_not_match(node):
    node.create_publisher(Image, "/quick", qos_profile_sensor_data)
    node.create_subscription(Image, "/quick", print, 10)
    out = subprocess.run([os.environ["RS_NODE"], "info", "--ros", "2", "--json", "/quick"], capture_output=True, text=True).stdout
    got = json.loads(out)
    assert [n["name"] for n in got["nodes"]] == ["/judge"] and got["nodes"][0]["dds"] == "Fast DDS"
    (topic,) = got["topics"]
    assert (topic["types"], len(topic["publishers"])) == (["sensor_msgs/msg/Image"], 1)
    assert "the subscriber wants reliable, the publisher offers best effort" in topic["subscribers"][0]["mismatches"][0]


def test_live(node, program):
    """A node of one camera, with realsense-ros's names, and the program's services."""
    at, got = "/camera/camera/", {}
    for topic, kind in ("color/image_raw", Image), ("color/camera_info", CameraInfo), ("depth/image_rect_raw", Image), ("gyro/sample", Imu):
        node.create_subscription(kind, at + topic, lambda m, topic=topic: got.setdefault(topic, m), 10)
    program(os.environ["RS_NODE"], "-q", "live", "--device", "sim", "--ros", "2", "--depth", "424x240@6", "--color", "424x240@6")
    spin(node, lambda: len(got) == 4, "images, calibration and rotation")
    color, depth = got["color/image_raw"], got["depth/image_rect_raw"]
    assert (color.encoding, color.width, color.header.frame_id) == ("rgb8", 424, "camera_color_optical_frame")
    assert (depth.encoding, len(depth.data)) == ("16UC1", 2 * 424 * 240)
    assert got["color/camera_info"].k[0] > 100
    for topic, kind, digest in (
            ("extrinsics/depth_to_color", "Extrinsics", "5b651f221fc70fae909dda72e6c0470805a1860616ab829d88858482343dc65a"),
            ("gyro/imu_info", "IMUInfo", "a493ef4420d60fe083fa9687a7a272a188014448bea38e186805de7930fbfa63"),
            ("color/metadata", "Metadata", "83ba3fb1bb8c4e2ac17d181375dfddcbcb01e493d696facdc5c6c01409b3ce9e")):
        (info,) = node.get_publishers_info_by_topic(at + topic)
        assert (info.topic_type, str(info.topic_type_hash)) == ("realsense2_camera_msgs/msg/" + kind, "RIHS01_" + digest)
        latched = info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
        assert latched == (kind != "Metadata"), topic
    spin(node, lambda: ("camera", "/camera") in node.get_node_names_and_namespaces(), "the node's name")
    assert ask(node, SetBool, at + "pause_playback", SetBool.Request(data=True)).message == "Playback is now paused"
    events = []
    node.create_subscription(ParameterEvent, "/parameter_events", events.append, 100)
    names = ask(node, ListParameters, at + "list_parameters", ListParameters.Request()).result.names
    assert {"depth_module.exposure", "depth_module.enable_auto_exposure", "rgb_camera.gain"} <= set(names), names
    switch, level = "depth_module.enable_auto_exposure", "rgb_camera.gain"
    about = ask(node, DescribeParameters, at + "describe_parameters", DescribeParameters.Request(names=[switch, level])).descriptors
    assert [d.type for d in about] == [ParameterType.PARAMETER_BOOL, ParameterType.PARAMETER_INTEGER] and about[1].integer_range
    top = about[1].integer_range[0].to_value
    for value, done in (ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=top), True), \
            (ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=top + 1), False), \
            (ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=1.0), False):
        request = SetParameters.Request(parameters=[Parameter(name=level, value=value)])
        results = ask(node, SetParameters, at + "set_parameters", request).results
        assert [r.successful for r in results] == [done], results
    assert ask(node, GetParameters, at + "get_parameters", GetParameters.Request(names=[level])).values[0].integer_value == top
    spin(node, lambda: any(p.name == level and p.value.integer_value == top for e in events for p in e.changed_parameters), "the event")


def ports(process):
    """The UDP ports of a process, without that which all participants share."""
    links = [os.readlink(f) for f in pathlib.Path("/proc/%d/fd" % process.pid).iterdir()]
    rows = [line.split() for line in open("/proc/net/udp").readlines()[1:]]
    all_ports = {int(r[1].split(":")[1], 16) for r in rows if "socket:[%s]" % r[9] in links}
    return all_ports - {7400 + 250 * int(os.environ["ROS_DOMAIN_ID"])}


def peak(process):
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/%d/status" % process.pid).read_text())[1]) << 10


def test_hostile_peers(node, program):
    """Random bytes, damaged datagrams, and more participants and endpoints than anybody has."""
    got = []
    topic = "/camera/camera/color/image_raw"
    node.create_subscription(Image, topic, got.append, 10)
    p = program(os.environ["RS_NODE"], "-q", "live", "--device", "sim", "--ros", "2", "--depth", "off", "--color", "424x240@30")
    spin(node, lambda: got, "an image")
    captured = {f.stem: f.read_bytes() for f in pathlib.Path("ros2/internal/rtps/testdata").glob("*.bin")}
    r = random.Random(4)

    def hostile():
        for data in captured.values():
            for _ in range(100):
                b = bytearray(data[: r.randrange(len(data) + 1)] if r.random() < 0.5 else data)
                for _ in range(min(len(b), r.choice((0, 1, 3, 30)))):
                    b[r.randrange(len(b))] = r.choice((0, 1, 0x7F, 0x80, 0xFF, r.randrange(256)))
                yield b
            yield data[:20] + r.randbytes(r.randrange(1400))
        spdp, sedp = captured["spdp-jazzy"], captured["sedp-jazzy"]
        data = sedp.index(b"\x15", 20)  # its first DATA, whose number is 16 bytes on
        for k in range(3000):
            prefix = r.randbytes(12) if k < 1000 else prefix
            if k < 1000:
                yield spdp.replace(spdp[8:20], prefix)
            b = bytearray(sedp.replace(sedp[8:20], prefix))
            struct.pack_into("<iI", b, data + 16, 0, 1 + max(0, k - 999))
            guid = b.index(b"\x5a\x00\x10\x00" + prefix) + 16
            b[guid:guid + 3] = r.randbytes(3)
            yield b

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        to = ports(p)
        for b in hostile():
            for port in to:
                s.sendto(b, ("127.0.0.1", port))
            rclpy.spin_once(node, timeout_sec=0)
    assert p.poll() is None and peak(p) < 300 << 20, peak(p)
    del got[:]
    again = []
    node.create_subscription(Image, topic, again.append, 10)
    spin(node, lambda: len(got) > 10 and len(again) > 10, "images for a subscriber from before, and a new one")


def test_arguments(node, program):
    """Namespace, remaps, parameters: of the program, of a camera's options, and those of realsense-ros that ROS 1 names otherwise."""
    got = []
    node.create_subscription(Image, "/rgb", got.append, 10)
    program(os.environ["RS_NODE"], "-q", "live", "--device", "sim", "--ros", "2", "--ros-args", "-r", "__ns:=/robot", "-r", "~/color/image_raw:=/rgb",
            "-p", "enable_depth:=false", "-p", "rgb_camera.color_profile:=424x240x6", "-p", "rgb_camera.gain:=77", "-p", "gyro_qos:=SENSOR_DATA")
    spin(node, lambda: got, "an image under its other name")
    assert got[0].width == 424
    spin(node, lambda: ("camera", "/robot") in node.get_node_names_and_namespaces(), "the node in its namespace")
    assert not node.get_publishers_info_by_topic("/robot/camera/depth/image_rect_raw")
    for topic, reliability in ("gyro", ReliabilityPolicy.BEST_EFFORT), ("accel", ReliabilityPolicy.RELIABLE):
        info = node.get_publishers_info_by_topic("/robot/camera/%s/sample" % topic)
        assert [i.qos_profile.reliability for i in info] == [reliability], info
    request = GetParameters.Request(names=["rgb_camera.gain"])
    assert ask(node, GetParameters, "/robot/camera/get_parameters", request).values[0].integer_value == 77
