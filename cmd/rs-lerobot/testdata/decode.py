"""Decodes a video with PyAV and writes the pixels: decode.py FILE PIXEL_FORMAT."""
import sys

import av

with av.open(sys.argv[1]) as container:
    for frame in container.decode(video=0):
        if sys.argv[2] == "rgb24":
            frame = frame.reformat(format="rgb24")
        if frame.format.name != sys.argv[2]:
            sys.exit(f"frames are {frame.format.name}")
        plane = frame.planes[0]
        rows, step = bytes(plane), plane.line_size
        size = frame.width * {"rgb24": 3, "gray16le": 2, "gray12le": 2}[sys.argv[2]]
        for y in range(frame.height):
            sys.stdout.buffer.write(rows[y * step : y * step + size])
