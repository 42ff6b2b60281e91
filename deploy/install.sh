#!/bin/sh
# Installs rs-ros-node @VERSION@ for this user, below ~/.local or the folder in PREFIX:
#   curl -fsSL @RELEASE@/install.sh | sh
# It compares the download with the checksums below, and writes nothing else.
set -eu

sums='
@SHA256 linux_amd64.tar.gz@ linux_amd64
@SHA256 linux_arm64.tar.gz@ linux_arm64
@SHA256 linux_armv7.tar.gz@ linux_armv7
@SHA256 linux_riscv64.tar.gz@ linux_riscv64
@SHA256 darwin_amd64.tar.gz@ darwin_amd64
@SHA256 darwin_arm64.tar.gz@ darwin_arm64
'
fail() { echo "install.sh: $*" >&2; exit 1; }

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "there is no archive for $(uname -s) here; see @REPOSITORY@/releases" ;;
esac
case $(uname -m) in
x86_64 | amd64) platform=${system}_amd64 ;;
aarch64 | arm64) platform=${system}_arm64 ;;
armv7*) platform=${system}_armv7 ;;
riscv64) platform=${system}_riscv64 ;;
*) fail "there is no archive for $(uname -m) here; see @REPOSITORY@/releases" ;;
esac
want=$(echo "$sums" | sed -n "s/ $platform\$//p")
case $want in
[0-9a-f]*) ;;
*) fail "this release has no archive for $platform" ;;
esac

name=rs-ros-node_@VERSION@_$platform
prefix=${PREFIX:-$HOME/.local}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
url=${RS_RELEASE:-@RELEASE@}/$name.tar.gz
if command -v curl >/dev/null; then
	curl -fsSL "$url" -o "$work/archive" || fail "$url can't be fetched"
else
	wget -q "$url" -O "$work/archive" || fail "$url can't be fetched"
fi
if command -v sha256sum >/dev/null; then
	got=$(sha256sum "$work/archive")
else
	got=$(shasum -a 256 "$work/archive")
fi
[ "${got%% *}" = "$want" ] || fail "$url has the checksum ${got%% *}, want $want"
tar -xzf "$work/archive" -C "$work"
mkdir -p "$prefix/bin" "$prefix/share/man/man1"
cp "$work/$name"/bin/* "$prefix/bin/"
cp "$work/$name"/man/* "$prefix/share/man/man1/"
echo "installed $prefix/bin/rs-ros-node; next: rs-ros-node demo"
case :$PATH: in
*":$prefix/bin:"*) ;;
*) echo "$prefix/bin isn't in your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
