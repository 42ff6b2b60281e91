"""A client of view: docs/internals/view-protocol.md from the side of the page."""

import json
import struct
import time
from collections import defaultdict
from hashlib import md5

from websockets.sync.client import connect

import program
from recording import Frame

HEADER = struct.Struct("<BBHIQQQHHIII")
VIDEO, MOTION = 1, 2
RAW = 0
# Whatever is asked for must have arrived after this many seconds.
PATIENCE = 30


class Viewer:
    """Shows a recording paused at its start. What arrives is kept once for each number, and must be the same each time."""

    def __init__(self, path):
        self.path = path
        self.requests = 0
        self.frames = defaultdict(dict)  # stream of images → number → Frame
        self.samples = defaultdict(dict)  # stream of samples → number → numbers

    def __enter__(self):
        self.process, address = program.start_view(self.path)
        try:
            self.connection = connect(address.replace("http", "ws", 1) + "api/ws", subprotocols=["rs-ros.view.v1"], max_size=None)
            self.socket = self.connection.__enter__()
            self.hello()
            self.request("pause")
        except BaseException:
            program.stop(self.process)
            raise
        return self

    def __exit__(self, *error):
        self.connection.__exit__(*error)
        program.stop(self.process)

    def hello(self):
        hello = json.loads(self.socket.recv(timeout=PATIENCE))
        source = hello["source"]
        self.sets, self.state = source["frameSets"], hello["state"]
        self.streams = {s["id"]: s for s in source["streams"]}
        self.sensors = {s["id"]: s["name"] for s in source["sensors"]}
        self.options = {s["name"]: values(s["options"]) for s in source["sensors"]}

    def send(self, op, **fields):
        self.socket.send(json.dumps({"op": op, **fields}))

    def request(self, op, **fields):
        self.requests += 1
        self.send(op, id=self.requests, **fields)
        while True:
            m = self.receive()
            if m.get("op") == "answer" and m["id"] == self.requests:
                assert m["ok"], m
                return m

    def receive(self):
        """Takes the next message; returns it if it is text."""
        m = self.socket.recv(timeout=PATIENCE)
        if isinstance(m, bytes):
            self.binary(m)
            return {}
        m = json.loads(m)
        if m["op"] == "state":
            self.state = m
        elif m["op"] == "options":
            self.options[self.sensors[m["sensor"]]] = values(m["options"])
        elif m["op"] == "option":
            self.options[self.sensors[m["sensor"]]][m["id"]] = m["value"]
        return m

    def until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"frames don't arrive: {[(s, len(f)) for s, f in (*self.frames.items(), *self.samples.items())]}"
            self.receive()

    def binary(self, m):
        kind, codec, stream, sequence, number, _, _, width, height, stride, length, _ = HEADER.unpack_from(m)
        metadata, body = m[HEADER.size : HEADER.size + length], m[HEADER.size + length :]
        name = self.streams[stream]["name"]
        self.send("credit", stream=stream, upto=sequence)
        if kind == VIDEO:
            assert (codec, len(body)) == (RAW, height * stride), (name, codec, len(body))
            keep(self.frames[name], number, self.image(stream, number, json.loads(metadata), body))
        elif kind == MOTION:
            for i, (_, *axes) in enumerate(struct.iter_unpack("<4d", body)):
                keep(self.samples[name], number + i, tuple(axes))

    def image(self, stream, number, metadata, body):
        units = self.streams[stream].get("depthUnits", 0)
        return Frame(number, metadata["timestamp"], metadata["domain"], md5(body).hexdigest(), metadata["values"], units)

    def subscribe(self, kinds):
        for stream in self.streams.values():
            if stream["kind"] in kinds:
                self.send("subscribe", stream=stream["id"], codec="raw", divisor=1)

    def step_through(self):
        """Steps through the frame sets; yields the number of each when a new frame of every video stream has come."""
        images = [s["name"] for s in self.streams.values() if s["kind"] == "video"]
        self.subscribe(["video"])
        self.request("seek", set=0)
        for n in range(self.sets):
            if n:
                self.request("step", sets=1)
            self.until(lambda: all(len(self.frames[name]) > n for name in images))
            yield n

    def play_through(self, counts):
        """Plays from the start until there are so many samples of each stream."""
        self.subscribe(["motion"])
        self.request("play")
        self.until(lambda: all(len(self.samples[name]) >= count for name, count in counts.items()))


def keep(held, key, value):
    assert held.setdefault(key, value) == value, f"{held[key]} came as {value}"


def values(options):
    return {o["id"]: o["value"] for o in options}
