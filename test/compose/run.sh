#!/usr/bin/env bash
# Brings docker-compose.yml up with a Docker engine of its own, builds the Dockerfile for arm64, and uses both
# (graph.sh). If that fails it is tried once more.
#
#   test/compose/run.sh
#
# It needs root and three gigabytes of disk (on a slow machine recordings are long), and no network. It leaves nothing
# behind. Exit code: 0 passed, 1 failed, 77 not run or not completed, with the reason in capital letters: something is
# missing, the machine runs no containers, or the time was up before anything failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
limit=720 # seconds, of each try; every wait in it has a limit of its own
killed=137 # the exit code at that limit

omitted() {
	echo "*** COMPOSE IS NOT TESTED: $1" >&2
	exit 77
}
PATH=$PATH:/usr/sbin
for program in dockerd /usr/sbin/runc docker docker-compose; do
	command -v "$program" >/dev/null || omitted "no $program"
done
for program in ip Xvfb import identify curl rosbag busybox qemu-aarch64-static; do
	command -v "$program" >/dev/null && continue
	[[ ${RS_NO_SKIP:-} ]] || omitted "no $program"
	echo "compose: no $program" >&2
	exit 1
done
[[ $(id -u) -eq 0 ]] || omitted "a Docker engine needs root"
(($(df --output=avail -k "${TMPDIR:-/tmp}" | tail -n 1) > 3 << 20)) || omitted "less than three gigabytes of disk"
unset "${!COMPOSE_@}" DISPLAY RS_BAG RS_DEVICE RS_UID RS_GID RS_TOPICS RS_VIEW RS_USB_GID LIBGL_ALWAYS_SOFTWARE # the file's own

code=0
test/confined.sh 5m unshare --net ip link set lo up || code=$?
[[ $code -eq 0 ]] || omitted "no namespaces (exit code $code)"

go mod download
go -C cmd/rs-lerobot mod download
make build lerobot
mkdir -p build
test= cleaner=
finish() {
	[[ ! $test ]] || kill -KILL "$test" 2>/dev/null || true
	exec 3>&-
	[[ ! $cleaner ]] || wait "$cleaner" || true
	test= cleaner=
}
trap finish EXIT

for try in 1 2; do
	work=$(mktemp -d "${TMPDIR:-/tmp}/rs-ros-node-compose-XXXXXX")
	mkfifo "$work/pipe"
	exec 3<>"$work/pipe" 4<"$work/pipe"
	setsid test/compose/clean.sh "$work" <&4 3>&- 4<&- &
	cleaner=$!
	exec 4<&-
	cp bin/rs-ros-node bin/rs-lerobot "$work/"

	code=0 start=$SECONDS
	setpriv --pdeathsig KILL test/confined.sh "${limit}s" unshare --net test/compose/graph.sh "$work" &
	test=$!
	wait "$test" || code=$?
	spent=$((SECONDS - start))
	cp "$work/rviz.png" build/compose.png 2>/dev/null || true
	finish
	[[ $code -ne 0 ]] || { echo "compose: passed"; exit 0; }
	if [[ $try -eq 1 ]]; then
		[[ $code -ne 77 ]] || exit 77
		((code != killed || spent < limit)) || omitted "not done within $limit s, and nothing had failed by then"
	fi
	echo "*** compose: failed (exit code $code), try $try of 2" >&2
done
exit 1
