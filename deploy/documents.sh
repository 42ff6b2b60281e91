#!/usr/bin/env bash
# Writes what a release has beside the program into a folder: manual pages, completion scripts, compressed forms of both for
# Debian, ROS packages with the definitions of messages, and licenses.txt with the license texts of Go, of the modules linked on any platform, and of the page.
#   deploy/documents.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
rm -rf "$out"
mkdir -p "$out"/{man,gz,completions}
export CGO_ENABLED=0

go build -trimpath -buildvcs=false -tags manual -ldflags "-X rsros/program.Version=$RS_VERSION" -o "$out/program" ./cmd/rs-ros-node
"$out/program" manual "$out/man"
"$out/program" definitions -o "$out/ros" >/dev/null
"$out/program" completion bash >"$out/completions/rs-ros-node"
"$out/program" completion zsh >"$out/completions/_rs-ros-node"
"$out/program" completion fish >"$out/completions/rs-ros-node.fish"
"$out/program" completion powershell >"$out/completions/rs-ros-node.ps1"
rm "$out/program"
for page in "$out"/man/*; do
	gzip -9n <"$page" >"$out/gz/${page##*/}.gz"
done
gzip -9n <CHANGELOG.md >"$out/gz/changelog.gz"

# licenses FOLDER: the texts in a folder; fails if there are none.
licenses() {
	local file found=1
	for file in "$1"/*; do
		if [[ -f $file && $file != *.go && ${file##*/} =~ ^((un)?licen[cs]e|copying|notice) ]]; then
			printf '== %s, %s ==\n\n%s\n\n' "${1#"$cache/"}" "${file##*/}" "$(tr -d '\r' <"$file")"
			found=0
		fi
	done
	return $found
}
shopt -s nocasematch extglob
cache=$(go env GOMODCACHE)
{
	cache="$(dirname "$(go env GOROOT)")" licenses "$(go env GOROOT)"
	for platform in linux darwin windows freebsd; do
		for program in cmd/rs-ros-node cmd/rs-lerobot; do
			GOOS=$platform go -C $program list -deps -f '{{with .Module}}{{if .Version}}{{.Dir}} {{$.Dir}}{{end}}{{end}}' .
		done
	done | sort -u | while read -r root folder; do
		echo "$root"
		for (( ; ${#folder} > ${#root}; )); do # a folder below may have a license of its own
			echo "$folder"
			folder=${folder%/*}
		done
	done | sort -u | while read -r folder; do
		licenses "$folder" || [[ $folder != *@+([^/]) ]] || { echo "no license in $folder" >&2; exit 1; }
	done
	printf "== the viewer's page ==\n\n"
	cat viewer/page/dist/licenses.txt
} >"$out/licenses.txt"
