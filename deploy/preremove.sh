#!/bin/sh
# Debian runs this before it removes the package, or replaces it by another version: Python has kept compiled modules.
set -e
find /usr/share/realsense2_camera /usr/share/realsense_msgs -name __pycache__ -prune -exec rm -r {} +
