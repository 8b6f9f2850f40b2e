#!/usr/bin/env bash
# Runs one step of the Makefile: says what it does, and when it fails, which step it was and what to do.
# usage: step.sh WHAT REMEDY COMMAND [ARG]...
set -u
what=$1 remedy=$2
shift 2
printf '\033[1m==> %s\033[0m\n' "$what" >&2
started=$SECONDS
"$@"
code=$?
if [ $code -ne 0 ]; then
  printf '\nfailed: %s (exit code %d)\n  what to do: %s\n' "$what" $code "$remedy" >&2
  exit $code
fi
[ $((SECONDS - started)) -lt 5 ] || printf '    done in %d s\n' $((SECONDS - started)) >&2
