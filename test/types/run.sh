#!/usr/bin/env bash
# Checks the types of the page's sources with TypeScript's compiler; esbuild only removes them. The compiler and the
# libraries' types come from npm, once, to build/types. Without npm nothing is checked; with RS_NO_SKIP set, that is an
# error. make types installs npm.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v npm >/dev/null; then
	echo "*** no npm: the types of the page are not checked" >&2
	[[ -z ${RS_NO_SKIP:-} ]]
	exit
fi
work=build/types
mkdir -p "$work"
if ! cmp -s test/types/package-lock.json "$work/package-lock.json" || [[ ! -x $work/node_modules/.bin/tsc ]]; then
	cp test/types/package.json test/types/package-lock.json "$work"
	npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error
fi
# A copy, because the compiler looks for libraries in the folders above a source.
rm -rf "$work/src"
cp -r viewer/page/src viewer/page/tsconfig.json "$work"
"$work/node_modules/.bin/tsc" --project "$work"
