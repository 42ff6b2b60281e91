#!/bin/sh
# Boots a Debian kernel in QEMU and runs the tests of this folder in it, with a
# virtual camera on a real USB stack. No hardware, no /dev/kvm and no network
# device are needed; the guest sees the host's files read-only.
#
#   test/usbvm/run.sh [flags of a test binary, such as -test.run Bench]
#
# Exit code: 0 passed, 1 failed, 77 something needed is missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/usbvm
mkdir -p "$build/out"

need="qemu-system-x86 busybox-static cpio libusb-1.0-0-dev pkg-config gcc dpkg"
missing=
for p in $need; do
	dpkg -s "$p" >/dev/null 2>&1 || missing="$missing $p"
done
if [ -n "$missing" ]; then
	if [ "$(id -u)" != 0 ]; then
		echo "usbvm: install$missing" >&2
		exit 77
	fi
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# Debian's current kernel: linux-image-amd64 depends on it. (The cloud
# kernel has neither USB nor 9p.)
newest() {
	apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}
kernel=$(newest)
if [ -z "$kernel" ] && [ "$(id -u)" = 0 ]; then
	apt-get update -qq
	kernel=$(newest)
fi
if [ -z "$kernel" ]; then
	echo "usbvm: apt knows no kernel; run apt-get update" >&2
	exit 77
fi
modules="virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p
usb-common usbcore usbip-core vhci-hcd hid hid-generic usbhid
mc videodev videobuf2-common videobuf2-v4l2 videobuf2-memops videobuf2-vmalloc uvcvideo"

if [ ! -f "$build/$kernel.done" ]; then
	rm -rf "$build/kernel" && mkdir -p "$build/kernel"
	cd "$build/kernel"
	apt-get download -qq "$kernel" >/dev/null 2>&1 || { apt-get update -qq && apt-get download -qq "$kernel" >/dev/null; } || {
		echo "usbvm: cannot download $kernel" >&2
		exit 77
	}
	(
		cd "$build/kernel"
		dpkg-deb --fsys-tarfile ./*.deb | tar -x --wildcards './boot/vmlinuz-*' './lib/modules/*'
		mkdir initrd && mkdir initrd/bin initrd/mod initrd/host initrd/proc initrd/sys initrd/dev
		cp /bin/busybox initrd/bin/
		for m in $modules; do
			file=$(find lib/modules -name "$m.ko*" | head -n 1)
			[ -n "$file" ] || { echo "usbvm: $kernel has no module $m" >&2; exit 1; }
			cp "$file" initrd/mod/
			echo "$(basename "$file")" >>initrd/mod/order
		done
		cp boot/vmlinuz-* ../vmlinuz
		rm -rf lib boot ./*.deb
	)
	touch "$build/$kernel.done"
fi

cp "$here/init" "$build/kernel/initrd/init" && chmod +x "$build/kernel/initrd/init"
(cd "$build/kernel/initrd" && find . | cpio -o -H newc --quiet | gzip -1) >"$build/initrd.gz"

(cd "$root" && CGO_ENABLED=1 go test -c -tags "${USBVM_TAGS:-usb usbvm}" -o "$build/out/usbvm.test" ./test/usbvm)
(cd "$root" && CGO_ENABLED=1 go build -tags usb -o "$build/out/rs-ros-node" ./cmd/rs-ros-node)
(cd "$root" && USBVM_REEL="$build/out/reel" go test -count=1 -run Reel ./test/usbvm)

# The machine's clock counts its instructions, each 1 ns: its processor is as fast
# as one of 1000 MIPS however busy the host is, only slower to watch.
clock="-icount shift=0"
# Hardening costs most when an emulated processor copies memory.
quick="mitigations=off init_on_alloc=0 hardened_usercopy=off"
printf '%s\n' "$*" >"$build/out/args"
rm -f "$build/out/code"
timeout "${USBVM_LIMIT:-600}" qemu-system-x86_64 -M q35 -accel tcg,tb-size=256 -cpu "${USBVM_CPU:-qemu64}" -smp 1 -m 1024 $clock \
	-nodefaults -no-user-config -display none -serial stdio -no-reboot \
	-kernel "$build/vmlinuz" -initrd "$build/initrd.gz" \
	-append "console=ttyS0 panic=-1 quiet nokaslr $quick" \
	-virtfs local,path=/,mount_tag=hostroot,security_model=none,readonly=on,multidevs=remap \
	-virtfs local,path="$build/out",mount_tag=out,security_model=none </dev/null

# QEMU's exit code is meaningless; the guest writes the tests' to a file.
code=$(cat "$build/out/code" 2>/dev/null || echo none)
if [ "$code" != 0 ]; then
	echo "usbvm: the tests in the machine failed (exit code $code)" >&2
	exit 1
fi
