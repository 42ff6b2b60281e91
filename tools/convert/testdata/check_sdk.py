"""Reads a .db3 of librealsense: the order of the first message, and each message's header."""
import sqlite3, struct, sys
db = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True)
first = db.execute('select name from messages join topics on topics.id = topic_id order by timestamp, messages.id').fetchone()
assert first[0] == '/file_version', first
for kind, data in db.execute('select type, data from messages join topics on topics.id = topic_id'):
    assert data[:4] == b'\0\1\0\0', data[:4]
    if kind == 'std_msgs/msg/String':
        n, = struct.unpack_from('<I', data, 4)
        assert len(data) == 8 + n and data[-1] == 0, (len(data), n)
