"""Makes recordings that are wrong on purpose: one frame of depth lost, or its stamp moved by half a millisecond."""

import shutil
import sqlite3
import struct

import program

STREAM = "/device_0/sensor_0/Depth_0/image"


def number_of(recording):
    """The number of the frame that is spoiled."""
    return recording.frames["Depth_0"][20].number


def lose_frame(source, out, number):
    if source.suffix == ".bag":
        program.filter_expression(source, out, f"topic != '{STREAM}/data' or m.header.seq != {number}")
        return
    shutil.copy(source, out)
    edit_rows(out, number, delete_rows)


def move_stamp(source, out, number):
    shutil.copy(source, out)
    if source.suffix == ".bag":
        move_in_bag(source, out, number)
    else:
        edit_rows(out, number, move_in_rows)


def move_in_bag(source, out, number):
    """The header of the image is in an uncompressed chunk as it is: number, seconds, nanoseconds."""
    messages = program.messages(source, topics=f"{STREAM}/data")
    stamp = next(m["message"]["header"]["stamp"] for m in messages if m["message"]["header"]["seq"] == number)
    header = struct.pack("<III", number, stamp["secs"], stamp["nsecs"])
    tail = struct.pack("<I1sIII6s", 1, b"0", 240, 424, 6, b"mono16")  # the infrared images have the same header
    moved = struct.pack("<III", number, stamp["secs"], (stamp["nsecs"] + 500_000) % 1_000_000_000)
    data = out.read_bytes()
    assert data.count(header + tail) == 1
    out.write_bytes(data.replace(header + tail, moved + tail))


def delete_rows(db, rows):
    db.executemany("delete from messages where id = ?", [(row,) for row, _ in rows])


def edit_rows(path, number, edit):
    """Calls edit with the rows of the frame and of its metadata, which have the same time: (id, data)."""
    with sqlite3.connect(path) as db:
        topics = "select id from topics where name like ?"
        text = f"Frame number={number};".encode()
        one = db.execute(f"select timestamp from messages where topic_id in ({topics}) and instr(data, ?)", (f"{STREAM}/metadata", text))
        (at,) = one.fetchone()
        rows = db.execute(f"select id, data from messages where topic_id in ({topics}) and timestamp = ?", (f"{STREAM}/%data", at))
        edit(db, rows.fetchall())


def move_in_rows(db, rows):
    """The stamp is in the text of the metadata."""
    for row, data in rows:
        if b"Frame number=" in data:
            before, after = data.split(b";timestamp=", 1)
            stamp, rest = after.split(b";", 1)
            moved = f"{float(stamp) + 0.5:.6f}".encode()
            assert len(moved) == len(stamp)
            db.execute("update messages set data = ? where id = ?", (before + b";timestamp=" + moved + b";" + rest, row))
