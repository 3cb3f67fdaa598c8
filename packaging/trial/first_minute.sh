#!/usr/bin/env bash
# The first minute with a built program, on the platform that it was built for:
#
#   first_minute.sh PROGRAM
#
# In a small repository of its own: the overview, a question, the callers of a function, `init` twice, `doctor`, what the
# hook says after an edit, an undone change, and `uninstall`. Nothing of it may be left.
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1 CAIRN_BACKGROUND=off
mkdir -p "$HOME" "$work/repository/src"
cd "$work/repository"
git init --quiet
git config user.name "First Minute"
git config user.email "first@example.org"
git config core.autocrlf false

printf '# Shop\n\nA shop that sells one thing to people who signed in.\n' >README.md
printf '/** Signs a user in. */\nexport function login(name: string): boolean {\n  return name.length > 0;\n}\n' >src/login.ts
printf 'import { login } from "./login";\nexport const run = () => login("a");\n' >src/run.ts
git add --all
git commit --quiet --message "A shop"

# Runs the program and expects words in what it prints.
expect() {
  local words=$1 printed
  shift
  printed=$("$program" "$@") || [ "$?" = 1 ]
  case $printed in
    *"$words"*) echo "ok      cairn $*" ;;
    *) printf 'FAILED  cairn %s: no "%s" in\n%s\n' "$*" "$words" "$printed" && exit 1 ;;
  esac
}

files() { find . -type f ! -path './.git/cairn/*' ! -path './.cairn/cache/*' ! -name index | sort | while read -r file; do git hash-object "$file"; done; }

before=$(files)
expect '3 files (TypeScript 2, Markdown 1)'
expect 'src/login.ts' context 'how is a user signed in'
expect 'src/run.ts' impact 'src/login.ts#login'
expect 'Wrote 5 files and 5 git hooks' init --agents claude --agent-hooks
once=$(files)
expect 'Nothing to do' init --agents claude --agent-hooks
[ "$(files)" = "$once" ] || { echo 'FAILED  a second `init` changed a file' && exit 1; }
expect '0 errors' doctor
expect '+export function login(name: string, device: string)' code edit 'src/login.ts#login' --old '(name: string)' --new '(name: string, device: string)'
expect 'CALLER_AT_RISK' hook after-edit
expect 'src/login.ts' undo
expect 'Removed cairn from 5 files and 5 git hooks' uninstall --purge
[ "$(files)" = "$before" ] || { echo 'FAILED  something is left after `uninstall --purge`' && git status --short --ignored && exit 1; }
[ ! -e .git/cairn ] && [ ! -e .cairn ]
echo 'ok      nothing is left'
