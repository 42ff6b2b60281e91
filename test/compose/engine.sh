# A Docker engine for one test; sourced by bash scripts in a mount namespace and a process namespace of their own, which
# end with the test, and the engine and its containers with them. The network is private, too.

# await WHAT COMMAND… repeats a command until it succeeds. A slow machine takes minutes for what takes seconds.
await() {
	local what=$1 end=$((SECONDS + 300))
	shift
	until "$@" >"$work/out" 2>&1; do
		if ((SECONDS > end)); then
			echo "compose: waited in vain: $what" >&2
			cat "$work/out" >&2
			return 1
		fi
		sleep 0.5
	done
	echo "ok: $what"
}

# forbidden REASON ends the script: the machine is at fault, not the program.
forbidden() {
	tail -n 20 "$work/dockerd.log" >&2 || true
	echo "*** THIS MACHINE RUNS NO CONTAINERS: $1" >&2
	exit 77
}

# start_engine starts an engine in the folder $work, and makes sure that containers run and reach each other.
start_engine() {
	# Nothing of a system's own engine, nor of its screen, is seen or disturbed.
	mount -t tmpfs tmpfs /run && mkdir -p /tmp/.X11-unix && mount -t tmpfs tmpfs /tmp/.X11-unix && ip link set lo up ||
		forbidden "no file systems of its own"
	mountpoint --quiet /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup || forbidden "no control groups"

	export DOCKER_HOST=unix://$work/docker.sock
	local driver
	for driver in overlay2 vfs; do
		rm -rf "$work/data"
		dockerd --storage-driver="$driver" --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/dockerd.pid" \
			--exec-opt native.cgroupdriver=cgroupfs --cgroup-parent="/$group" --host "$DOCKER_HOST" >"$work/dockerd.log" 2>&1 &
		answers $! && break
		kill -KILL $! 2>/dev/null || true
		driver=
	done
	[[ $driver ]] || forbidden "the Docker engine doesn't answer"
	try_containers >"$work/out" 2>&1 || forbidden "$(tail -n 5 "$work/out")"
	echo "ok: the engine runs containers, on $driver"
}

# answers PID waits until the engine answers or ends.
answers() {
	local end=$((SECONDS + 240))
	until docker info >/dev/null 2>&1; do
		kill -0 "$1" 2>/dev/null && ((SECONDS < end)) || return 1
		sleep 0.5
	done
}

# try_containers lets one container fetch a page of another by its name.
try_containers() {
	tar --create --directory /bin busybox | docker import - busybox || return 1
	docker network create try || return 1
	docker run --detach --network try --name server busybox /busybox httpd -f -p 80 -h / || return 1
	local tries
	for ((tries = 0; tries < 60; tries++)); do
		! docker run --rm --network try busybox /busybox wget -O /dev/null http://server/busybox || break
		sleep 1
	done
	((tries < 60)) || return 1
	docker rm --force server
	docker network rm try
}
