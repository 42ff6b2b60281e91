#!/usr/bin/env bash
# Runs the demo and unit tests for windows/amd64 in wine:
#   test/windows.sh [-run PATTERN] [package …]
# The default is the demo and every package, without the tests that need other programs.
# Go needs wine 9 or later. If the system has none, Debian 13's is installed in the
# cache folder, which takes root, debootstrap and some minutes the first time. Without
# wine nothing is tested; with RS_NO_SKIP set, that is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/rs-ros-node/wine

new_enough() {
	[[ $(wine --version 2>/dev/null) =~ ^wine-([0-9]+) && ${BASH_REMATCH[1]} -ge 9 ]]
}

skip() {
	echo "*** $1: windows/amd64 is not tested" >&2
	[[ -z ${RS_NO_SKIP:-} ]]
	exit
}

root=
if ! new_enough; then
	[[ $(id -u) -eq 0 ]] && command -v debootstrap >/dev/null || skip "no wine 9 or later, and no debootstrap as root"
	# The folders below are mounted for this script and what it starts.
	if [[ -z ${RS_WINE_MOUNTS:-} ]]; then
		RS_WINE_MOUNTS=1 exec unshare --mount test/windows.sh "$@"
	fi
	if [[ ! -e $cache.done ]]; then
		echo "installing wine in $cache" >&2
		rm -rf "$cache"
		debootstrap --variant=minbase --include=wine,wine64 trixie "$cache" \
			"$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)" >"$cache.log" 2>&1 ||
			skip "debootstrap failed ($cache.log)"
		touch "$cache.done"
	fi
	root=$cache
fi

work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEARCH=win64 WINEDEBUG=-all XDG_RUNTIME_DIR=$work
mkdir "$WINEPREFIX"
if [[ $root ]]; then
	for folder in /proc /dev "$PWD" "$(dirname "$work")" ${RS_BAGS:+"$(realpath "$RS_BAGS")"}; do
		mkdir -p "$root$folder"
		mount --rbind "$folder" "$root$folder"
	done
	cp /etc/hosts "$root/etc/hosts"
fi
cat >"$work/run" <<EOF
#!/bin/sh
exec ${root:+chroot "$root"} sh -c 'cd "\$1" && shift && exec "\$@"' sh "\$PWD" "\$@"
EOF
printf '#!/bin/sh\nexec "%s" wine "$@"\n' "$work/run" >"$work/wine"
chmod +x "$work/run" "$work/wine"

end() {
	"$work/run" wineserver -k || true # what still runs ends with it
	rm -rf "$work"
}
trap end EXIT
# A server that the tests started would keep their output open.
"$work/run" wineserver -p </dev/null >/dev/null 2>&1
"$work/wine" wineboot --init </dev/null >/dev/null 2>&1

unset RS_NO_SKIP # other systems' programs are missing there
[[ -z ${RS_BAGS:-} ]] || RS_BAGS=Z:$(realpath "$RS_BAGS") && export RS_BAGS
export GOOS=windows GOARCH=amd64 CGO_ENABLED=0

run=()
if [[ ${1:-} == -run ]]; then
	run=(-run "$2")
	shift 2
fi
if [[ $# -eq 0 ]]; then
	set -- $(go list ./... | grep -v /test)
	go build -o "$work/rs-ros-node.exe" ./cmd/rs-ros-node
	"$work/wine" "$work/rs-ros-node.exe" version --features
	"$work/wine" "$work/rs-ros-node.exe" demo --duration 2s
	go test -C cmd/rs-lerobot -short -count=1 -timeout 30m -exec "$work/wine" "${run[@]}" ./...
fi
go test -short -count=1 -timeout 30m -exec "$work/wine" "${run[@]}" "$@"
