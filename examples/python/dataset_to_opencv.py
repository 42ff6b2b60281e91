"""Reads the frame sets of export --as tum: colour and depth of the same moment, with the calibration:  dataset_to_opencv.py set

    rs-ros-node export walk.bag -o set --as tum --filters align_to_color

Needs: pip install numpy opencv-python-headless
"""

import sys
from pathlib import Path

import cv2
import numpy as np

folder = Path(sys.argv[1])
lines = (folder / "calibration.txt").read_text().splitlines()
factor = next(float(line.split()[1]) for line in lines if line.startswith("depth_factor"))  # metres = value / factor
for line in (folder / "associations.txt").read_text().splitlines():
    _, color_name, stamp, depth_name = line.split()
    color = cv2.imread(str(folder / color_name))  # BGR
    metres = cv2.imread(str(folder / depth_name), cv2.IMREAD_UNCHANGED) / factor
    near = np.where((metres > 0) & (metres < 2), 255, 0).astype(np.uint8)
    cut_out = cv2.bitwise_and(color, color, mask=near)  # what is nearer than two metres
    print(stamp, color.shape, metres.shape, f"{near.mean() / 255:.1%} is near, with brightness {cut_out.mean():.1f}")
