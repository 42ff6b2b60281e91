"""Plays a recording with librealsense, frame by frame, without losing any:  play_realsense.py walk.bag

Needs: pip install pyrealsense2
"""

import sys

import pyrealsense2 as rs

pipeline, config = rs.pipeline(), rs.config()
config.enable_device_from_file(sys.argv[1], repeat_playback=False)
playback = pipeline.start(config).get_device().as_playback()
playback.set_real_time(False)  # wait for this program instead of dropping frames

print(playback.get_info(rs.camera_info.name), playback.get_duration())
sets = 0
while True:
    more, frames = pipeline.try_wait_for_frames(1000)
    if not more:  # the end
        break
    sets += 1
    depth = frames.get_depth_frame()
    if depth:
        middle = depth.get_distance(depth.get_width() // 2, depth.get_height() // 2)
        print(f"frame {depth.get_frame_number()} at {depth.get_timestamp():.3f} ms: {middle:.3f} m in the middle")
pipeline.stop()
print(sets, "frame sets")
