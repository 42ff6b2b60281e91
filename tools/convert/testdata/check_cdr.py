"""Compares a .db3 of ROS 2 with the bag of ROS 1 that it was made of: each message of the
database is read by the fields of genpy's class and must have the values that genpy reads
in the bag."""
import math
import sqlite3
import struct
import sys

import rosbag

NUMBERS = {'bool': '?', 'int8': 'b', 'byte': 'b', 'uint8': 'B', 'char': 'B', 'int16': 'h', 'uint16': 'H', 'int32': 'i',
           'uint32': 'I', 'int64': 'q', 'uint64': 'Q', 'float32': 'f', 'float64': 'd'}
# Types that have other fields in ROS 2.
OTHERS = ('visualization_msgs/Marker', 'visualization_msgs/MarkerArray', 'visualization_msgs/InteractiveMarker',
          'shape_msgs/SolidPrimitive', 'sensor_msgs/Range')
RENAMED = {'std_msgs/Time': 'builtin_interfaces/Time', 'std_msgs/Duration': 'builtin_interfaces/Duration',
           'realsense2_camera/IMUInfo': 'realsense2_camera_msgs/IMUInfo',
           'realsense2_camera/Metadata': 'realsense2_camera_msgs/Metadata'}


class Reader:
    def __init__(self, blob):
        assert blob[:4] == b'\0\1\0\0', blob[:4]
        self.body, self.at = blob[4:], 0

    def number(self, code):
        size = struct.calcsize('<' + code)
        self.at += -self.at % size
        value, = struct.unpack_from('<' + code, self.body, self.at)
        self.at += size
        return value

    def text(self):
        n = self.number('I')
        raw = self.body[self.at:self.at + n]
        assert len(raw) == n and raw[-1:] == b'\0', raw
        self.at += n
        return raw[:-1].decode()


def compare(reader, kind, value, path):
    if kind.endswith(']'):
        element, count = kind[:-1].rsplit('[', 1)
        n = int(count) if count else reader.number('I')
        assert n == len(value), (path, n, len(value))
        for i in range(n):
            compare(reader, element, value[i], '%s[%d]' % (path, i))
    elif kind in ('time', 'duration'):
        got = reader.number('i'), reader.number('I')
        assert got == (value.secs, value.nsecs), (path, got, value)
    elif kind == 'string':
        got = reader.text()
        assert got == value, (path, got, value)
    elif kind in NUMBERS:
        got = reader.number(NUMBERS[kind])
        if isinstance(value, bytes):
            value = value[0]
        if kind == 'bool':
            value = bool(value)
        assert got == value or math.isnan(got) and math.isnan(value), (path, got, value)
    else:
        fields = list(zip(value.__slots__, value._slot_types))
        if not fields:
            reader.number('B')
        for name, inner in fields:
            if value._type == 'std_msgs/Header' and name == 'seq':
                continue
            compare(reader, inner, getattr(value, name), path + '.' + name)


def main():
    bag, database = rosbag.Bag(sys.argv[1]), sqlite3.connect('file:%s?mode=ro' % sys.argv[2], uri=True)
    rows = {}
    for name, kind, at, data in database.execute(
            'SELECT name, type, timestamp, data FROM messages JOIN topics ON topics.id = topic_id'):
        assert rows.setdefault((name, at), (kind, data)) == (kind, data)
    recorded = {c.topic: c.datatype for c in bag._get_connections()}
    count, types = 0, set()
    for topic, message, at in bag.read_messages():
        kind, data = rows.pop((topic, at.to_nsec()))
        name = recorded[topic]  # genpy gives types of one md5 one class
        assert kind == RENAMED.get(name, name).replace('/', '/msg/'), (kind, name)
        if name in OTHERS or name.startswith('visualization_msgs/InteractiveMarker'):
            continue
        reader = Reader(data)
        if name == 'realsense2_camera/IMUInfo':  # its frame_id is in a header, after the time
            assert (reader.number('i'), reader.number('I')) == (0, 0), topic
        compare(reader, message._type, message, topic)
        assert reader.at == len(reader.body), (topic, reader.at, len(reader.body))
        count += 1
        types.add(name)
    assert not rows, list(rows)[:3]
    print('compared %d messages of %d types' % (count, len(types)))


main()
