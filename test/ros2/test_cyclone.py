"""Cyclone DDS and ours, in one graph. It has no nodes: rmw_cyclonedds isn't on PyPI."""

import os
import time
from dataclasses import dataclass

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import int32, sequence, uint8, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

WITHIN = 30  # seconds that a machine under load may take
QOS = Qos(Policy.Reliability.Reliable(duration(seconds=5)), Policy.History.KeepLast(10))


@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time
    frame_id: str


@dataclass
class Image(IdlStruct, typename="sensor_msgs.msg.dds_.Image_"):
    header: Header
    height: uint32
    width: uint32
    encoding: str
    is_bigendian: uint8
    step: uint32
    data: sequence[uint8]


def wait(until, what):
    end = time.monotonic() + WITHIN
    while not until():
        assert time.monotonic() < end, "not within %d s: %s" % (WITHIN, what)
        time.sleep(0.02)


def participant():
    return DomainParticipant(int(os.environ["ROS_DOMAIN_ID"]))


def test_our_images_arrive(program):
    p = participant()
    reader, got = DataReader(p, Topic(p, "rt/camera/camera/color/image_raw", Image, qos=QOS), qos=QOS), []
    program(os.environ["RS_NODE"], "-q", "live", "--device", "sim", "--ros", "2", "--depth", "off", "--color", "1280x720@15")

    def ten():
        got.extend(m for m in reader.take(10) if isinstance(m, Image))
        return len(got) >= 10

    wait(ten, "ten images")
    assert {(m.encoding, m.width, m.step, len(m.data)) for m in got} == {("rgb8", 1280, 3840, 720 * 3840)}
    stamps = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in got]
    steps = [b - a for a, b in zip(stamps, stamps[1:])]
    assert max(steps) < 1.5 * min(steps), "an image is missing: %s" % steps


def test_their_images_arrive(ours):
    p = ours("sub", "-topic", "/img", "-seconds", 6)
    there = participant()
    writer = DataWriter(there, Topic(there, "rt/img", Image, qos=QOS), qos=QOS)
    wait(writer.get_matched_subscriptions, "our subscriber")
    time.sleep(0.5)  # ours must know the writer, too
    for k in range(15):
        writer.write(Image(Header(Time(k + 1, 0), "x"), 720, 1280, "rgb8", 0, 3840, bytes(720 * 3840)))
        time.sleep(0.05)
    out = p.communicate()[0]
    assert "got 15, malformed 0" in out and "received 15 lost 0" in out, out
