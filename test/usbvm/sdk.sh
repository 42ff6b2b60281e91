#!/bin/sh
# Lets librealsense, unmodified, judge the virtual camera: builds a program of
# this folder with the library in the folder that RS_SDK names, and runs the tests
# named SDK in the virtual machine. The folder is a build's or an installation's:
# headers in include, the library anywhere below, and librealsense's own tools that
# are to be tried. The backend must be libusb (FORCE_RSUSB_BACKEND): the machine has
# no patched kernel.
#
#   RS_SDK=FOLDER test/usbvm/sdk.sh [flags of a test binary]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
shared=$here/../../build/usbvm/out # with the machine
out=$shared/sdk
library=$(find "$RS_SDK" -name 'librealsense2.so' | head -n 1)
if [ -z "$library" ] || [ ! -d "$RS_SDK/include/librealsense2" ]; then
	echo "usbvm: $RS_SDK has no librealsense2.so and include/librealsense2" >&2
	exit 1
fi
rm -rf "$out" "$shared/served.bag" "$shared"/librealsense-*.txt
mkdir -p "$out"
cp -L "$(dirname "$library")"/librealsense2.so.*.* "$out/"
for tool in rs-enumerate-devices rs-fw-logger rs-terminal rs-data-collect rs-record; do
	find "$RS_SDK" -type f -name "$tool" -perm -u+x -exec cp {} "$out/" \;
done
g++ -O2 -std=c++17 -I"$RS_SDK/include" "$here/sdk/probe.cpp" -o "$out/probe" -L"$(dirname "$library")" -lrealsense2 -lpthread

# What usb-serve serves in the machine.
(cd "$here/../.." && ROS_MASTER_URI=http://127.0.0.1:11399 go run ./cmd/rs-ros-node -q live --device sim --master embedded \
	--depth 424x240@6 --infra1 424x240@6 --infra2 424x240@6 --color 424x240@6 --duration 4s --record "$shared/served.bag")

USBVM_TAGS="usb usbvm usbsdk" USBVM_CPU=max USBVM_LIMIT=3600 exec "$here/run.sh" -test.run SDK -test.timeout 55m "$@"
