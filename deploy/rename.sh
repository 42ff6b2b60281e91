#!/usr/bin/env bash
# Gives the module the address of its repository, so that `go install ADDRESS/cmd/rs-ros-node@latest` works and the files of a
# release know where they are. It changes go.mod, imports, and scripts and pages that name packages; commit the result.
#   deploy/rename.sh github.com/OWNER/rs-ros-node
set -euo pipefail
cd "$(dirname "$0")/.."
new=${1:?an address such as github.com/OWNER/rs-ros-node}
[[ $new =~ ^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._-]+)+$ ]] || { echo "$new: want an address such as github.com/OWNER/rs-ros-node" >&2; exit 2; }
old=$(go list -m)
escaped=${old//./\\.}
git grep -lIF "$old" -- '*.go' '*go.mod' '*.sh' '*.yaml' '*.md' | xargs sed -i -E \
	-e "s,(^|[^A-Za-z0-9_./-])$escaped([/@=]),\1$new\2,g" -e "s,^(module|replace|\t)( ?)$escaped( |\$),\1\2$new\3," -e "s,module = \"$escaped\",module = \"$new\","
git ls-files -m '*.go' | xargs gofmt -w
echo "the module is $new; next: go vet ./... && make pgo, whose profile names packages"
