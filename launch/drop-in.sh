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
# launch file twice. Running this again changes nothing. The types of realsense2_camera are generated if ROS's Python
# programs are installed.
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
mkdir -p "$package"
ln -sfn "$here" "$to/rs_ros_node"
ln -sfn "$here/launch" "$package/launch"
ln -sfn "$here/bin" "$package/bin"
rm -f "$package/package.xml"
# Of a package with a manifest.xml, stock Python programs take the modules in src/ without PYTHONPATH.
cat >"$package/manifest.xml" <<'END'
<package>
  <description brief="rs-ros-node in place of realsense2_camera">Made by launch/drop-in.sh.</description>
  <author>the rs-ros-node authors</author>
  <license>Apache-2.0</license>
</package>
END

# The types of the package, for rosmsg, rostopic and rosservice.
mkdir -p "$package/msg" "$package/srv"
cat >"$package/msg/Extrinsics.msg" <<'END'
std_msgs/Header header
float64[9] rotation
float64[3] translation
END
cat >"$package/msg/IMUInfo.msg" <<'END'
string frame_id
float64[12] data
float64[3] noise_variances
float64[3] bias_variances
END
cat >"$package/msg/Metadata.msg" <<'END'
std_msgs/Header header
string json_data
END
cat >"$package/srv/DeviceInfo.srv" <<'END'
---
string device_name
string serial_number
string firmware_version
string usb_type_descriptor
string firmware_update_id
string sensors
END
for python in python3 /usr/bin/python3; do
	"$python" -c 'import genpy' 2>/dev/null && break
done || {
	echo "$0: no Python has genpy: rostopic echo and rosservice call won't know the types of realsense2_camera" >&2
	exit
}
"$python" - "$package" <<'END'
import glob, os, sys, tempfile
import genpy.generate_initpy, genpy.generator

package, name = sys.argv[1], "realsense2_camera"
std_msgs = tempfile.TemporaryDirectory()  # the package has definitions only where it was installed for development
with open(std_msgs.name + "/Header.msg", "w") as f:
    f.write("uint32 seq\ntime stamp\nstring frame_id\n")
path = {name: [package + "/msg"], "std_msgs": [std_msgs.name]}
for kind, generator in ("msg", genpy.generator.MsgGenerator()), ("srv", genpy.generator.SrvGenerator()):
    modules = os.path.join(package, "src", name, kind)
    os.makedirs(modules, exist_ok=True)
    failed = generator.generate_messages(name, sorted(glob.glob(f"{package}/{kind}/*.{kind}")), modules, path)
    if failed or genpy.generate_initpy.write_modules(modules):
        sys.exit(1)
open(os.path.join(package, "src", name, "__init__.py"), "w").close()
END
