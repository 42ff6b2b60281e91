#!/usr/bin/env bash
# Makes the files of a release in build/dist: of the tag if the commit has one, else of a version that is named after the
# commit. GoReleaser makes archives, Debian packages and bills of materials, wheel.sh the wheels. It needs Go, git and zip.
#   deploy/dist.sh [target]    all, or one such as linux_amd64
# What downloads from the release (install.sh, the Homebrew formula) is made if the module has an address (deploy/rename.sh), or
# RS_REPOSITORY names one.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v zip >/dev/null || { echo "wheels need zip (Debian: apt install zip)" >&2; exit 1; }

RS_VERSION=$(sed -n 's/.*Version = "\(.*\)"$/\1/p' program/version.go)
RS_COMMIT=$(git rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
RS_DATE=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
section=$RS_VERSION
if tag=$(git describe --tags --exact-match 2>/dev/null); then
	[[ $tag == "v$RS_VERSION" ]] || { echo "the commit has the tag $tag, but program/version.go says $RS_VERSION" >&2; exit 1; }
	[[ ! $(git status --porcelain --untracked-files=no) ]] || { echo "files differ from those of the tag $tag" >&2; exit 1; }
else
	RS_VERSION=${RS_VERSION%-dev}-dev.$RS_COMMIT section=Unreleased
fi
module=$(go list -m)
[[ $module != *.*/* ]] || RS_REPOSITORY=${RS_REPOSITORY:-https://$module}
RS_REPOSITORY=${RS_REPOSITORY:-}
export RS_VERSION RS_COMMIT RS_DATE SOURCE_DATE_EPOCH
config=deploy/goreleaser.yaml
if [[ ${1:-} ]]; then
	config=build/goreleaser.yaml
	mkdir -p build
	sed "/^      - [a-z]*_/{/ $1\$/!d}" deploy/goreleaser.yaml >"$config"
fi
# A snapshot has the version that is said here, and needs no remote repository.
go run github.com/goreleaser/goreleaser/v2@v2.15.1 release --snapshot --clean --config "$config"

# Static programs need no libc: they run on any Linux that Go supports, and these tags are what pip knows.
wheels=(
	linux_amd64 manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64
	linux_arm64 manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64
	darwin_amd64 macosx_12_0_x86_64
	darwin_arm64 macosx_12_0_arm64
	windows_amd64 win_amd64
	windows_arm64 win_arm64
)
shopt -s nullglob
for ((i = 0; i < ${#wheels[@]}; i += 2)); do
	programs=(build/dist/rs-*_"${wheels[i]}"*/bin/rs-*)
	[[ ${#programs[@]} -eq 0 ]] || deploy/wheel.sh "${wheels[i + 1]}" build/dist "${programs[@]}" -- build/documents/licenses.txt \
		build/dist/*_"${wheels[i]}".cdx.json
done

# fill TEMPLATE: the text with the version, the release's address and the checksums of archives.
fill() {
	local text name sum
	text=$(sed "s,@VERSION@,$RS_VERSION,g; s,@REPOSITORY@,$RS_REPOSITORY,g; s,@RELEASE@,$RS_REPOSITORY/releases/download/v$RS_VERSION,g" "$1")
	while read -r sum name; do
		text=${text//@SHA256 ${name#"rs-ros-node_${RS_VERSION}_"}@/$sum}
	done < <(cd build/dist && sha256sum ./*.tar.gz | sed 's,\./,,')
	echo "$text"
}
if [[ $RS_REPOSITORY ]]; then
	fill deploy/install.sh >build/dist/install.sh
	fill deploy/homebrew.rb >build/dist/rs-ros-node.rb
else
	echo "*** no address: neither install.sh nor a Homebrew formula is made (deploy/rename.sh)" >&2
fi
awk -v heading="## [$section]" 'index($0, "## [") == 1 { found = index($0, heading) == 1; next } found' CHANGELOG.md >build/dist/NOTES.md
(cd build/dist && sha256sum ./*.tar.gz ./*.zip ./*.deb ./*.whl ./*.cdx.json ./install.s[h] ./rs-ros-node.r[b] | sed 's,\./,,' | sort -k 2 >SHA256SUMS)
