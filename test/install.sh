#!/usr/bin/env bash
# Installs the programs that the tests run: ROS Noetic from Debian's own archive,
# compilers for the roscpp peers, a display for rviz, a virtual machine for the
# USB camera. If everything is installed it does nothing. Without root or apt it
# lists what is missing, and the tests that need it are skipped; with RS_NO_SKIP
# set, that is an error. At a terminal, outside of a container, it asks first.
# Arguments are additional packages for some tests:
#   test/install.sh [package …]
set -euo pipefail

packages=(
	# ROS 1: roscore, rosbag, rostopic, rosservice, rosparam, rosnode, roslaunch, rosrun
	ros-core ros-base rosbash ros-std-msgs python3-rosbag
	python3-diagnostic-msgs python3-dynamic-reconfigure python3-geometry-msgs python3-rosgraph-msgs python3-roslib
	python3-std-msgs python3-std-srvs python3-rosmsg python3-sensor-msgs python3-tf python3-tf2-msgs
	# roscpp and rosbag_storage peers, built by the tests
	g++ make pkg-config librosbag-dev libroscpp-dev
	libdiagnostic-msgs-dev libgeometry-msgs-dev libsensor-msgs-dev libstd-msgs-dev libstd-srvs-dev libtf2-msgs-dev
	# the race detector and the USB camera
	gcc libc6-dev libusb-1.0-0-dev
	# a display for rviz and a screenshot
	rviz xvfb x11-apps x11-utils imagemagick libgl1-mesa-dri
	# a machine with a USB bus
	qemu-system-x86 busybox-static cpio
	# an emulator for ARM
	qemu-user-static
	# another reader of compressed images
	python3-pil
	# videos, and another decoder of them
	ffmpeg python3-av
	# a browser for the viewer's page
	chromium
	# called by the tests themselves
	git lz4 procps sqlite3 strace zstd
	"$@"
)

installed() {
	[[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == *' installed' ]]
}

missing=()
for package in "${packages[@]}"; do
	installed "$package" || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

complain() {
	local consequence="are skipped"
	[[ -z ${RS_NO_SKIP:-} ]] || consequence="fail, because RS_NO_SKIP is set"
	printf '\n*** %s\n*** missing: %s\n*** tests that need them %s\n\n' "$1" "${missing[*]}" "$consequence" >&2
	[[ -z ${RS_NO_SKIP:-} ]]
	exit
}

command -v apt-get >/dev/null || complain "there is no apt-get, so nothing can be installed"
[[ $(id -u) -eq 0 ]] || complain "not root, so nothing can be installed: sudo $0"

# A machine of the tests' own isn't asked about: CI, a container, or one where nobody can answer.
if [[ -t 0 && -t 2 && -z ${RS_NO_SKIP:-}${CI:-} && ! -e /.dockerenv && ! -e /run/.containerenv ]]; then
	printf 'The tests install these packages with apt-get: %s\nInstall them? [y/N] ' "${missing[*]}" >&2
	read -r -t 60 answer || answer=
	[[ $answer == [yY]* ]] || complain "nothing was installed, because nobody agreed"
fi

export DEBIAN_FRONTEND=noninteractive
echo "installing: ${missing[*]}" >&2
patient=(-o Acquire::Retries=3)
apt-get -qq "${patient[@]}" update || echo "*** apt-get update failed; trying with the existing lists" >&2
apt-get -qq "${patient[@]}" -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends "${missing[@]}" >/dev/null && exit 0

# One package that is unavailable must not prevent the others.
failed=()
for package in "${missing[@]}"; do
	apt-get -qq "${patient[@]}" -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends "$package" >/dev/null || failed+=("$package")
done
missing=("${failed[@]}")
[[ ${#missing[@]} -eq 0 ]] || complain "apt-get could not install everything"
