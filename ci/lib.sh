# shellcheck shell=bash
# Shared by every script here and sourced by it: pinned versions, messages, and the environment in which
# the same tools are found whether a person, ctest or a CI job starts the script.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TOOLS=$ROOT/.tools
# shellcheck disable=SC2034  # used by the scripts that source this file
{
  BUILD=$ROOT/build/release
  MOROK=$ROOT/harness/backends/morok
  UV_MIN=0.5.0
  UV_VERSION=0.13.9
  RUFF_VERSION=0.17.6
  TINYGRAD_VERSION=0.12.0
  PYTEST_VERSION=9.2.0
  NUMPY_VERSION=2.4.6
  ML_DTYPES_VERSION=0.6.0
  PYTHON_MIN=3.10
  CARGO_MIN=1.85
  RUST_VERSION=1.95.0
}
EXIT_ENVIRONMENT=4 # the same number as the program's own "something is missing on this machine"


say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() {
  say "$*"
  exit "$EXIT_ENVIRONMENT"
}
have() { command -v "$1" >/dev/null 2>&1; }
at_least() { printf '%s\n' "$2" "$1" | sort -CV; } # at_least HAVE WANTED

# Each prints a version, or nothing where the tool is missing or does not start.
cargo_version() { cargo --version 2>/dev/null | sed -n 's/^cargo \([0-9.]*\).*/\1/p' || true; }
uv_version() { uv --version 2>/dev/null | sed -n 's/^uv \([0-9.]*\).*/\1/p' || true; }
ruff_version() { ruff --version 2>/dev/null | sed -n 's/^ruff //p' || true; }

cargo_is_new_enough() {
  local version
  version=$(cargo_version)
  [[ -n $version ]] && at_least "$version" "$CARGO_MIN"
}

# The first interpreter that is new enough, as an absolute path; fails when there is none.
find_python() {
  local candidate code="import sys; print(sys.executable) if sys.version_info >= (${PYTHON_MIN/./, }) else sys.exit(1)"
  for candidate in "${UV_PYTHON:-}" python3 /usr/bin/python3 python3.{14,13,12,11,10}; do
    if [[ -n $candidate ]] && have "$candidate" && "$candidate" -c "$code" 2>/dev/null; then
      return 0
    fi
  done
  return 1
}

use_environment() {
  export UV_PYTHON_DOWNLOADS=never
  export CARGO_TARGET_DIR=$ROOT/build/morok-target
  export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1 # another checkout of the same files is a hit
  PATH=$TOOLS/bin:$PATH
  if ! cargo_is_new_enough && [[ -x ${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo ]]; then
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH # sudo and cron leave it out
  fi
  export PATH
  # A default toolchain that is too old stays as it is; only our own runs use the newer one.
  if have rustup && ! cargo_is_new_enough && rustup run "$RUST_VERSION" cargo --version >/dev/null 2>&1; then
    export RUSTUP_TOOLCHAIN=$RUST_VERSION
  fi
  local python
  if python=$(find_python); then
    export UV_PYTHON=$python
  fi
}

# Under sudo in a checkout of the calling user, only apt needs root: the rest goes on as that user, so that
# nothing in the checkout or in the caches comes to belong to root.
runs_for_owner() { [[ $EUID -eq 0 && ${SUDO_UID:-0} -ne 0 && $(stat -c %u "$ROOT") == "$SUDO_UID" ]]; }
leave_root_to_owner() {
  if runs_for_owner; then
    exec sudo -E -H -u "#$SUDO_UID" -- "$0" "$@"
  fi
}

tracked() { git -C "$ROOT" -c safe.directory="$ROOT" ls-files -- "$@"; }
