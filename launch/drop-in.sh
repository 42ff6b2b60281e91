#!/bin/sh
# Makes a folder for ROS_PACKAGE_PATH that has this package and, in place of the real one, a package named
# realsense2_camera with our launch files and program:
#
#   go build -o bin/ ./cmd/rs-ros-node
#   launch/drop-in.sh ~/drop-in
#   export ROS_PACKAGE_PATH=~/drop-in:/usr/share
#   roslaunch realsense2_camera rs_camera.launch
#
# The packages are links into this folder, which must not be moved. They can't be inside it: roslaunch would find each
# launch file twice. Running this again changes nothing.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
to=$(realpath -m "$1")
case "$to/" in
"$here"/*) echo "$0: $to is within $here; name a folder outside" >&2; exit 2 ;;
esac
package=$to/realsense2_camera
if [ -e "$package" ] && [ ! -L "$package/launch" ]; then
	echo "$0: $package is there and isn't ours" >&2
	exit 1
fi
# The types of the package, for rosmsg, rostopic and rosservice.
out=$("$here/bin/rs-ros-node" definitions -o "$to" 2>&1) || { echo "$0: $out" >&2; exit 1; }
ln -sfn "$here" "$to/rs_ros_node"
ln -sfn "$here/launch" "$package/launch"
ln -sfn "$here/bin" "$package/bin"
