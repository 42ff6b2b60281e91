#!/usr/bin/env bash
# Makes the images that docker-compose.yml and the Dockerfile name, without a registry: systems made of this machine's
# folders (lend.py), and the last stage of the Dockerfile.
#
#   DOCKER_HOST=… test/compose/images.sh FOLDER
#
# FOLDER is for scratch and has the programs, rs-ros-node and rs-lerobot. Nothing is downloaded; the modules must be in the cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$1

# image NAME [INSTRUCTION …] makes an image of the folder $scratch/system.
image() {
	local name=$1 instruction changes=()
	shift
	for instruction; do changes+=(--change "$instruction"); done
	tar --create --directory "$scratch/system" . | docker import "${changes[@]}" - "$name" >/dev/null
}

# Programs and libraries are this machine's. Links such as /bin, and settings, are the image's own: Docker writes to /etc.
mkdir -p "$scratch/system/root"
mkdir -m 1777 "$scratch/system/tmp"
echo "/usr /usr ro" >"$scratch/system/lent"
tar --create --directory / --exclude='*shadow*' --exclude=etc/ssh --exclude=etc/ssl --exclude=etc/apt etc $(cd / && find bin sbin lib* -maxdepth 0 -type l) |
	tar --extract --directory "$scratch/system"
# The official images set ROS's variables here; Debian's ROS needs none.
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/system/ros_entrypoint.sh"
chmod 755 "$scratch/system/ros_entrypoint.sh"
image ros:noetic-ros-core 'ENTRYPOINT ["/ros_entrypoint.sh"]'
docker tag ros:noetic-ros-core osrf/ros:noetic-desktop

# Go, the module cache and the build cache.
cat >>"$scratch/system/lent" <<LENT
$(go env GOROOT) /go ro
$(go env GOMODCACHE) /modules ro
$(go env GOCACHE) /compiled rw
LENT
image golang:1.26-bookworm \
	'ENV PATH=/go/bin:/usr/bin GOPATH=/path GOTOOLCHAIN=local GOMODCACHE=/modules GOCACHE=/compiled'

mkdir -p "$scratch/last/out/folders/bags"
mkdir -m 1777 "$scratch/last/out/folders/tmp"
cp "$scratch/rs-ros-node" "$scratch/rs-lerobot" "$scratch/last/out/"
sed -n '/^FROM scratch$/,$p' Dockerfile | sed 's,--from=build ,,; s, /out/, out/,g' >"$scratch/last/Dockerfile"
docker build --quiet --tag rs-ros-node "$scratch/last" >/dev/null
