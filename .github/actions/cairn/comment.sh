#!/usr/bin/env bash
# Writes one comment on a pull request and updates it from then on.
#
#   comment.sh REPOSITORY NUMBER FILE
#
# Needs GH_TOKEN with permission to write pull requests. A pull request from a fork has none; that is said and no failure.
set -euo pipefail

repository=$1
number=$2
file=$3
marker='<!-- cairn-review -->'

body=$(mktemp)
trap 'rm -f "$body"' EXIT
jq --null-input --rawfile text "$file" '{body: $text}' >"$body"

found=$(gh api --paginate "repos/$repository/issues/$number/comments" \
  --jq ".[] | select(.body | startswith(\"$marker\")) | .id" | head -n 1) || found=
if [ -n "$found" ]; then
  call=(--method PATCH "repos/$repository/issues/comments/$found")
else
  call=(--method POST "repos/$repository/issues/$number/comments")
fi
if ! gh api "${call[@]}" --input "$body" >/dev/null; then
  echo '::notice::cairn could not comment: the job may not write pull requests (a fork, or missing permissions)'
fi
