#!/usr/bin/env bash
# Makes the images that docker-compose.yml names, without a registry: Debian with its own ROS for those of ROS, and the
# program alone for ours. What was installed is kept in the cache folder, so that a second run takes a minute.
#
#   DOCKER_HOST=… test/compose/images.sh
#
# The Dockerfile itself isn't run: its first stage is an image of Go, which only a registry has.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${RS_COMPOSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rs-ros-node/compose}
mkdir -p "$build"

# system FOLDER [package …] makes a Debian in a folder, once.
system() {
	local folder=$1
	shift
	[[ ! -e $folder.done ]] || return 0
	rm -rf "$folder"
	if [[ $folder == */base ]]; then
		debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$folder" \
			"$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)" >/dev/null
	else
		cp -a "$build/base" "$folder"
		chroot "$folder" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "$@" >/dev/null
		chroot "$folder" apt-get clean
		# The official images set ROS's variables here; Debian's ROS needs none.
		printf '#!/bin/sh\nexec "$@"\n' >"$folder/ros_entrypoint.sh"
		chmod 755 "$folder/ros_entrypoint.sh"
	fi
	touch "$folder.done"
}

system "$build/base"
system "$build/core" ros-core rosbash python3-rosbag python3-sensor-msgs python3-std-srvs
system "$build/desktop" rviz libgl1-mesa-dri

for image in core=ros:noetic-ros-core desktop=osrf/ros:noetic-desktop; do
	tar -C "$build/${image%%=*}" -c . | docker import -c 'ENTRYPOINT ["/ros_entrypoint.sh"]' - "${image#*=}" >/dev/null
done

# The last stage of the Dockerfile, from a program that was built outside.
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
CGO_ENABLED=0 go build -buildvcs=false -trimpath -o "$context/out/rs-ros-node" ./cmd/rs-ros-node
mkdir -p "$context/out/folders/bags"
mkdir -m 1777 "$context/out/folders/tmp"
sed -n '/^FROM scratch$/,$p' Dockerfile | sed 's,--from=build ,,; s, /out/, out/,' >"$context/Dockerfile"
docker build --quiet --tag rs-ros-node "$context" >/dev/null
