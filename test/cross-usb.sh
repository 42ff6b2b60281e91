#!/usr/bin/env bash
# Vets and builds the program with the USB camera, which is C, for 64-bit ARM with Debian's cross compiler and its
# libusb-1.0-0-dev:arm64, starts it in an emulator, and links the USB driver's tests:
#   test/cross-usb.sh
# The packages of the other architecture are only unpacked, in build/usb-arm64, and don't change this machine's own. Exit code: 0 passed, 1 failed, 77 something needed is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in aarch64-linux-gnu-gcc qemu-aarch64-static apt-get pkg-config; do
	command -v "$program" >/dev/null || { echo "usb-arm64: no $program" >&2; exit 77; }
done

build=$PWD/build/usb-arm64
if [[ ! -e $build/done ]]; then
	rm -rf "$build"
	mkdir -p "$build"/{state/lists/partial,cache/archives/partial,root}
	: >"$build/status"
	apt=(apt-get -qq -o Acquire::Retries=3 -o "Dir::State=$build/state" -o "Dir::State::status=$build/status"
		-o "Dir::Cache=$build/cache" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root)
	"${apt[@]}" update || true # if what is needed is missing, the download fails
	(cd "$build" && "${apt[@]}" download libusb-1.0-0-dev libusb-1.0-0 libudev1) ||
		{ echo "usb-arm64: libusb-1.0-0-dev:arm64 can't be downloaded" >&2; exit 77; }
	for package in "$build"/*.deb; do
		dpkg-deb --extract "$package" "$build/root"
	done
	[[ ! -d $build/root/lib ]] || cp --recursive "$build"/root/lib/. "$build/root/usr/lib/" # one folder in Debian
	rm -rf "$build"/{state,cache} "$build"/*.deb
	touch "$build/done"
fi

lib=$build/root/usr/lib/aarch64-linux-gnu
export CGO_ENABLED=1 GOARCH=arm64 CC=aarch64-linux-gnu-gcc
export PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$build/root CGO_LDFLAGS="-Wl,-rpath-link,$lib"
emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$lib"
quick='-gcflags=all=-N -l' # half of the time is the compiler's for better code

go vet "$quick" -tags usb ./camdriver/d400/... ./cmd/rs-ros-node
go build "$quick" -tags usb -o "$build/rs-ros-node" ./cmd/rs-ros-node
$emulator "$build/rs-ros-node" version --features | tee "$build/features"
grep --quiet '^USB cameras *yes' "$build/features"
go test "$quick" -tags usb -c -o /dev/null ./camdriver/d400/...
