#!/usr/bin/env bash
# Makes the files of a release in build/dist, with GoReleaser: of the tag if the commit has one, else of a version that is
# named after the commit. It needs Go and git.
#   deploy/dist.sh [target]    all, or one such as linux_amd64
set -euo pipefail
cd "$(dirname "$0")/.."

RS_VERSION=$(sed -n 's/.*Version = "\(.*\)"$/\1/p' program/version.go)
RS_COMMIT=$(git rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
RS_DATE=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
if tag=$(git describe --tags --exact-match 2>/dev/null); then
	[[ $tag == "v$RS_VERSION" ]] || { echo "the commit has the tag $tag, but program/version.go says $RS_VERSION" >&2; exit 1; }
	[[ ! $(git status --porcelain --untracked-files=no) ]] || { echo "files differ from those of the tag $tag" >&2; exit 1; }
else
	RS_VERSION=${RS_VERSION%-dev}-dev.$RS_COMMIT
fi
export RS_VERSION RS_COMMIT RS_DATE SOURCE_DATE_EPOCH
config=deploy/goreleaser.yaml
if [[ ${1:-} ]]; then
	config=build/goreleaser.yaml
	mkdir -p build
	sed "/^      - [a-z]*_/{/ $1\$/!d}" deploy/goreleaser.yaml >"$config"
fi
# A snapshot has the version that is said here, and needs no remote repository.
exec go run github.com/goreleaser/goreleaser/v2@v2.15.1 release --snapshot --clean --config "$config"
