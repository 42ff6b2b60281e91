# A Docker engine for one test. Bash scripts source it in mount, process and network namespaces of their own. The engine
# and its containers end with these namespaces, at the end of the test.

# await WHAT COMMAND… repeats a command until it succeeds, for minutes, because of slow machines.
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
	ok "$what"
}

ok() { echo "ok, $SECONDS s: $*"; }

# forbidden REASON ends the script because the machine doesn't allow the test.
forbidden() {
	tail -n 20 "$work/dockerd.log" >&2 || true
	echo "*** THIS MACHINE RUNS NO CONTAINERS: $1" >&2
	exit 77
}

# start_engine starts an engine in the folder $work, and checks that the machine allows what docker-compose.yml and the
# Dockerfile need.
start_engine() {
	# Nothing of a system's own engine, nor of its screen, is seen or disturbed.
	mount -t tmpfs tmpfs /run && mkdir -p /tmp/.X11-unix && mount -t tmpfs tmpfs /tmp/.X11-unix && ip link set lo up ||
		forbidden "no file systems of its own"
	mountpoint --quiet /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup || forbidden "no control groups"

	# Debian's docker has the builder for several platforms; another one in the path may not.
	mkdir "$work/bin"
	ln -s /usr/bin/docker "$work/bin/docker"
	ln -s "$PWD/test/compose/lend.py" "$work/bin/runc"
	PATH=$work/bin:$PATH
	export DOCKER_HOST=unix://$work/docker.sock
	# The driver that works everywhere copies an image for each container; lent images are small.
	dockerd --log-level warn --storage-driver=vfs --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/dockerd.pid" \
		--exec-opt native.cgroupdriver=cgroupfs --cgroup-parent="/${work##*/}" --host "$DOCKER_HOST" >"$work/dockerd.log" 2>&1 &
	answers $! || forbidden "the Docker engine doesn't answer"
	try_containers >"$work/out" 2>&1 || forbidden "$(tail -n 5 "$work/out")"
	ok "the engine runs containers"
}

# answers PID waits until the engine answers or ends.
answers() {
	local end=$((SECONDS + 240))
	until timeout 60 docker info >/dev/null 2>&1; do
		kill -0 "$1" 2>/dev/null && ((SECONDS < end)) || return 1
		sleep 0.5
	done
}

# try_containers builds an image and lets one container fetch a page of another by its name.
try_containers() {
	mkdir "$work/try"
	echo "/usr /machine ro" >"$work/try/lent"
	tar --create --directory "$work/try" lent | docker import - lent || return 1
	printf 'FROM lent\nRUN ["/machine/bin/busybox", "true"]\n' | DOCKER_BUILDKIT=1 timeout 240 docker build --tag try - || return 1

	docker network create try || return 1
	docker run --detach --network try --name server --publish 127.0.0.1:8090:8090 --user 1000:1000 --read-only --tmpfs /tmp \
		--cap-drop ALL --security-opt no-new-privileges:true try /machine/bin/busybox httpd -f -p 8090 -h /machine || return 1
	local end=$((SECONDS + 240))
	until docker run --rm --network try try /machine/bin/busybox wget -O /dev/null http://server:8090/bin/true &&
		docker exec server /machine/bin/busybox true &&
		curl --fail --silent --show-error --noproxy '*' --output /dev/null http://localhost:8090/bin/true; do
		((SECONDS < end)) || return 1
		sleep 1
	done
	docker rm --force server && docker network rm try
}
