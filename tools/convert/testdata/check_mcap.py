"""Reads an MCAP file by its specification (https://mcap.dev/spec), with nothing of the
library that wrote it: every length, checksum, offset and count is compared with what it
speaks of. Prints "time size:crc32 topic" of every message, in file order, or dies."""

import struct
import subprocess
import sys
import zlib

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, SUMMARY_OFFSET, DATA_END = 0x0B, 0x0E, 0x0F


class Fields:
    """A record's content, read front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert self.at + n <= len(self.data), "field goes past its record"
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def text(self):
        return self.take(self.number("I")).decode()

    def rest(self):
        return self.take(len(self.data) - self.at)

    def map(self, key, value):
        inner, found = Fields(self.take(self.number("I"))), {}
        while inner.at < len(inner.data):
            k = key(inner)
            assert k not in found
            found[k] = value(inner)
        return found

    def end(self):
        assert self.at == len(self.data), "a record has bytes to spare"


def records(data, at, end):
    while at < end:
        op, size = struct.unpack_from("<BQ", data, at)
        assert at + 9 + size <= end, "record at %d goes past %d" % (at, end)
        yield at, op, Fields(data[at + 9 : at + 9 + size])
        at += 9 + size


def schema(f):
    key = f.number("H")
    value = (f.text(), f.text(), f.take(f.number("I")))
    f.end()
    return key, value


def channel(f):
    key = f.number("H")
    value = (f.number("H"), f.text(), f.text(), tuple(f.map(Fields.text, Fields.text).items()))
    f.end()
    return key, value


class Data:
    """The data section."""

    def __init__(self, file):
        self.file, self.schemas, self.channels = file, {}, {}
        self.counts, self.chunks, self.times = {}, {}, []
        for self.pos, op, f in records(file, len(MAGIC), len(file)):
            if op == HEADER:
                assert self.pos == len(MAGIC) and f.text() == "ros1" and f.text(), "header"
                f.end()
            elif op == CHUNK:
                self.chunk(f)
            elif op == MESSAGE_INDEX:
                self.index(f)
            elif op == DATA_END:
                crc = f.number("I")
                assert crc in (0, zlib.crc32(file[: self.pos])), "checksum of the data section"
                self.end = self.pos + 13
                return
            else:
                raise AssertionError("record 0x%02x outside of a chunk" % op)
        raise AssertionError("no end of the data section")

    def chunk(self, f):
        start, end, size, crc = (f.number(c) for c in "QQQI")
        packing = f.text()
        stored = f.take(f.number("Q"))
        f.end()
        content = unpack(stored, packing)
        assert len(content) == size and zlib.crc32(content) == crc and crc, "chunk at %d" % self.pos
        self.messages = {}
        for at, op, r in records(content, 0, size):
            if op == SCHEMA:
                self.add(self.schemas, *schema(r))
            elif op == CHANNEL:
                key, value = channel(r)
                assert value[0] in self.schemas, "channel %d without a schema" % key
                self.add(self.channels, key, value)
            else:
                assert op == MESSAGE
                self.message(at, r)
        times = [t for entries in self.messages.values() for t, _ in entries]
        assert (min(times), max(times)) == (start, end), "times of the chunk at %d" % self.pos
        self.last = {"start": start, "end": end, "size": size, "stored": len(stored), "packing": packing,
                     "length": 9 + len(f.data), "index": {}, "index length": 0}
        self.chunks[self.pos] = self.last

    def message(self, at, r):
        key, number, time, _ = r.number("H"), r.number("I"), r.number("Q"), r.number("Q")
        data = r.rest()
        assert self.counts.get(key, 0) == number, "sequence number"
        self.counts[key] = number + 1
        self.times.append(time)
        self.messages.setdefault(key, []).append((time, at))
        print(time, "%d:%08x" % (len(data), zlib.crc32(data)), self.channels[key][1])

    def index(self, f):
        key, inner = f.number("H"), Fields(f.take(f.number("I")))
        entries = [struct.unpack("<QQ", inner.take(16)) for _ in range(len(inner.data) // 16)]
        inner.end()
        assert sorted(entries) == sorted(self.messages.get(key, [])), "message index at %d" % self.pos
        self.last["index"][key] = self.pos
        self.last["index length"] += 9 + len(f.data)

    @staticmethod
    def add(known, key, value):
        assert known.setdefault(key, value) == value, "%d means two things" % key


def unpack(data, packing):
    if packing == "":
        return data
    assert packing in ("lz4", "zstd"), packing
    return subprocess.run([packing, "-d", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def summary(file, data):
    """Everything behind the data section repeats it."""
    at = len(file) - len(MAGIC) - 29
    op, size = struct.unpack_from("<BQ", file, at)
    assert (op, size) == (FOOTER, 20), "footer"
    start, offsets, crc = struct.unpack_from("<QQI", file, at + 9)
    assert start == data.end and crc == zlib.crc32(file[start : at + 25]), "summary's checksum"
    found, groups = {}, {}
    for pos, op, f in records(file, start, offsets):
        found.setdefault(op, []).append(f)
        groups.setdefault(op, []).append(pos)
    assert dict(map(schema, found.pop(SCHEMA))) == data.schemas, "schemas"
    assert dict(map(channel, found.pop(CHANNEL))) == data.channels, "channels"
    for f in found.pop(CHUNK_INDEX):
        begin, end = f.number("Q"), f.number("Q")
        chunk = data.chunks.pop(f.number("Q"))
        assert (begin, end) == (chunk["start"], chunk["end"]) and f.number("Q") == chunk["length"]
        assert f.map(lambda g: g.number("H"), lambda g: g.number("Q")) == chunk["index"]
        assert f.number("Q") == chunk["index length"] and f.text() == chunk["packing"]
        assert (f.number("Q"), f.number("Q")) == (chunk["stored"], chunk["size"])
        f.end()
    assert not data.chunks, "chunks that the summary doesn't know"
    (f,) = found.pop(STATISTICS)
    chunks = len(groups[CHUNK_INDEX])
    counts = [f.number(c) for c in "QHIIIIQQ"]
    assert counts == [len(data.times), len(data.schemas), len(data.channels), 0, 0, chunks, min(data.times), max(data.times)], counts
    assert f.map(lambda g: g.number("H"), lambda g: g.number("Q")) == data.counts
    f.end()
    assert not found, "further records in the summary: %r" % found.keys()
    for _, op, f in records(file, offsets, at):
        assert op == SUMMARY_OFFSET
        group, first, length = f.number("B"), f.number("Q"), f.number("Q")
        places = groups.pop(group)
        assert places[0] == first and first <= places[-1] < first + length <= offsets
        f.end()
    assert not groups, "groups without an offset"


def main(path):
    with open(path, "rb") as f:
        file = f.read()
    assert file.startswith(MAGIC) and file.endswith(MAGIC), "magic bytes"
    summary(file, Data(file))


main(sys.argv[1])
