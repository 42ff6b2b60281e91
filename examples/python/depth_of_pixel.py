"""Prints where the point that a pixel sees is, over time, in metres:  depth_of_pixel.py walk.bag 212 120

Needs: pip install pyrealsense2
"""

import sys

import pyrealsense2 as rs

path, x, y = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
pipeline, config = rs.pipeline(), rs.config()
config.enable_device_from_file(path, repeat_playback=False)
config.enable_stream(rs.stream.depth)  # no other stream, so that no frame waits for one
profile = pipeline.start(config)
profile.get_device().as_playback().set_real_time(False)
lens = profile.get_stream(rs.stream.depth).as_video_stream_profile().get_intrinsics()

print("milliseconds,x,y,z")
while True:
    more, frames = pipeline.try_wait_for_frames(1000)
    if not more:  # the end
        break
    depth = frames.get_depth_frame()
    metres = depth.get_distance(x, y)  # 0: the camera doesn't know
    point = rs.rs2_deproject_pixel_to_point(lens, [x, y], metres)
    print(f"{depth.get_timestamp():.3f}", *(f"{v:.4f}" for v in point), sep=",")
pipeline.stop()
