#!/usr/bin/env bash
# Brings docker-compose.yml up with a Docker engine of its own, builds the Dockerfile for arm64, and uses both
# (graph.sh). If that fails it is tried once more.
#
#   test/compose/run.sh
#
# It needs root and two gigabytes of disk, and no network. Nothing of the engine is seen outside or left behind. Exit
# code: 0 passed, 1 failed, 77 this machine runs no containers, or a program is missing and RS_NO_SKIP isn't set.
set -euo pipefail
cd "$(dirname "$0")/../.."

missing() {
	echo "compose: $1" >&2
	[[ -z ${RS_NO_SKIP:-} ]] && exit 77
	exit 1
}
for program in dockerd docker docker-compose ip Xvfb import identify curl rosbag qemu-aarch64-static; do
	command -v "$program" >/dev/null || missing "no $program"
done
[[ $(id -u) -eq 0 ]] || missing "a Docker engine needs root"
# Debian's docker has the builder for several platforms; another one in the path may not.
PATH=/usr/bin:$PATH
unset "${!COMPOSE_@}" DISPLAY RS_BAG RS_DEVICE RS_UID RS_GID RS_TOPICS RS_VIEW RS_USB_GID LIBGL_ALWAYS_SOFTWARE # the file's own

go mod download
mkdir -p build
work=
finish() {
	[[ $work ]] || return 0
	rm -rf "$work"
	find /sys/fs/cgroup -depth -type d -path "*/${work##*/}*" -exec rmdir {} + 2>/dev/null || true
}
trap finish EXIT

for try in 1 2; do
	work=$(mktemp -d "${TMPDIR:-/tmp}/rs-ros-node-compose-XXXXXX")
	CGO_ENABLED=0 go build -buildvcs=false -trimpath -o "$work/rs-ros-node" ./cmd/rs-ros-node
	code=0
	setpriv --pdeathsig KILL test/confined.sh 30m unshare --net test/compose/graph.sh "$work" &
	wait $! || code=$?
	cp "$work/rviz.png" build/compose.png 2>/dev/null || true
	[[ $code -ne 0 ]] || { echo "compose: passed"; exit 0; }
	[[ $code -ne 77 || $try -gt 1 ]] || exit 77
	echo "*** compose: failed (exit code $code), try $try of 2" >&2
	finish
done
exit 1
