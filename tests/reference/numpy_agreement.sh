#!/usr/bin/env bash
# numpy_agreement.sh PROGRAM COUNT SEED: the built PROGRAM writes COUNT programs, numpy evaluates them, PROGRAM judges.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=ci/lib.sh
source "$here/../../ci/lib.sh"
use_environment
have uv || fail "uv is not on PATH: run ci/setup"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" write "$scratch/cases" "$2" "$3"
PYTHONDONTWRITEBYTECODE=1 uv run --quiet --no-project --with "numpy==$NUMPY_VERSION" \
  --with "ml_dtypes==$ML_DTYPES_VERSION" python "$here/numpy_agreement.py" "$scratch/cases" "$scratch/results"
"$1" check "$scratch/cases" "$scratch/results"
