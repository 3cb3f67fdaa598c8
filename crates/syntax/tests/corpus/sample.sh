#!/usr/bin/env bash
# Builds things.
# @see spec::build/all

set -euo pipefail
source ./lib.sh
. "$HOME/env.sh"

LIMIT=10
export PATH_TO="x"
readonly FIXED=1

# Opens it.
# @see spec::build/open
open_it() {
  local name="$1"
  helper "$name" | grep x
  if [ -n "$name" ]; then log "@see spec::in/string"; fi
  echo "$(compute 1)"
}

function helper { FOO=1 run; }

open_it "$@"
