#!/usr/bin/env bash
# Runs `cairn verify` and `cairn review` on a change and writes reports. It knows no forge.
#
#   gate.sh BASE FOLDER [FAIL_ON]
#
# BASE is the branch or commit that the change goes into. FOLDER gets verify.sarif, review.sarif, review.txt, review.html
# and comment.md. FAIL_ON is error, warning or never. The exit code is 1 if the change has to
# be stopped, and greater if something could not be run.
set -uo pipefail

base=$1
folder=$2
fail_on=${3:-error}
remote=${CAIRN_REMOTE:-origin}
mkdir -p "$folder" || exit 3

# The commit where the change left its base. A shallow clone is deepened until it is there.
find_merge_base() {
  local tip=$base depth=50 name
  # A push to the default branch is compared with the commit before it, which a clone of depth 1 lacks.
  case $tip in
    HEAD*) git rev-parse --quiet --verify "$tip^{commit}" >/dev/null || git fetch --quiet --no-tags --deepen=1 "$remote" || return 1 ;;
  esac
  if ! git rev-parse --quiet --verify "$tip^{commit}" >/dev/null; then
    name=${base#"$remote"/}
    git fetch --quiet --no-tags --depth=1 "$remote" "+refs/heads/$name:refs/remotes/$remote/$name" || return 1
    tip=$remote/$name
  fi
  until git merge-base HEAD "$tip" 2>/dev/null; do
    [ "$(git rev-parse --is-shallow-repository)" = true ] || return 1
    if [ "$depth" -gt 3200 ]; then
      git fetch --quiet --no-tags --unshallow "$remote" || return 1
    else
      git fetch --quiet --no-tags --deepen="$depth" "$remote" || return 1
    fi
    depth=$((depth * 4))
  done
}

if ! start=$(find_merge_base); then
  echo "cairn: no common commit with $base; fetch more history (fetch-depth: 0)" >&2
  exit 3
fi

start=$(git rev-parse --short=12 "$start")

# An exit code of 1 means findings; a greater one means that there is no report.
run() {
  local output=$1 code
  shift
  "$@" >"$output"
  code=$?
  if [ "$code" -gt 1 ]; then
    echo "cairn: \`$*\` ended with $code" >&2
    exit "$code"
  fi
  return "$code"
}

# Answers do not wait for a history that is still being read; a gate has to say the same thing on every machine.
cairn sync >/dev/null || exit 3

stop=0
run "$folder/verify.sarif" cairn verify --format sarif || stop=1
run "$folder/verify.txt" cairn verify || true
run "$folder/review.sarif" cairn review "$start" --format sarif --fail-on "$fail_on" || stop=1
run "$folder/review.txt" cairn review "$start" --html "$folder/review.html" --fail-on never
if [ "$fail_on" = never ]; then stop=0; fi

# The fence is longer than any in the text, so that nothing in the repository ends it.
{
  echo '<!-- cairn-review -->'
  if [ "$stop" = 1 ]; then echo '### cairn: this change has to be looked at'; else echo '### cairn: nothing stops this change'; fi
  echo
  echo "\`verify\`: $(head -n 1 "$folder/verify.txt" | tr -d '`')"
  echo
  echo "\`review\`: $(head -n 1 "$folder/review.txt" | tr -d '`')"
  echo
  echo '<details><summary>Details</summary>'
  echo
  echo '``````text'
  sed 's/``````/’’’’’’/g' "$folder/verify.txt" | head -c 15000
  echo
  sed 's/``````/’’’’’’/g' "$folder/review.txt" | head -c 40000
  echo
  echo '``````'
  echo
  echo '</details>'
} >"$folder/comment.md"

exit "$stop"
