//! Tests of the facts of shell scripts.

use crate::Language::Bash;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"#!/usr/bin/env bash
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
"##;

#[test]
fn declarations() {
    check(
        Bash,
        TEXT,
        r##"
        module "Builds things.\n@see spec::build/all"
        variable LIMIT pub :9 `LIMIT=10`
        variable PATH_TO pub exported :10 `export PATH_TO="x"`
        constant FIXED pub :11 `readonly FIXED=1`
        function open_it pub exported :15 `open_it()` "Opens it.\n@see spec::build/open"
        function helper pub exported :22 `function helper`
        include ./lib.sh
        include $HOME/env.sh
        see spec::build/all on module :3
        see spec::build/open on open_it :14
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Bash,
        TEXT,
        r##"
        module: #0 ~set("-euo", "pipefail")
        open_it: #1 ~helper()
        open_it: #2 ~grep("x")
        open_it?: #3 ~log()
        open_it: #4 ~compute()
        open_it: #5 ~echo()
        helper: #6 ~run()
        module: #7 ~open_it()
        "##,
    );
}
