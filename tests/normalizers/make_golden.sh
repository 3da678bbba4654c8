#!/usr/bin/env bash
# Makes golden/*.json anew from golden/*.uop with the real compilers. Look at the diff before you commit it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
uopdiff=${1:-../../build/release/uopdiff}
for program in golden/*.uop; do
  result=$(mktemp)
  "$uopdiff" replay --json "$program" >"$result" || [[ $? -eq 1 ]]
  python3 - "$result" "${program%.uop}.json" <<'PYTHON'
import json, sys

result = json.load(open(sys.argv[1]))
structural = [f["path"] for f in result["facets"] if not f["path"].startswith(("failure", "wrong-values", "both-"))]
sides = {
    side: {
        "spec": result[side]["spec"],
        "graphs": result[side]["graphs"],
        "form": [line for kernel in result[side]["kernels"] for line in kernel],
    }
    for side in ("left", "right")
}
for side in sides.values():
    for kernel in side["graphs"]:
        kernel.pop("source", None)
with open(sys.argv[2], "w") as out:
    json.dump({"program": result["program"].splitlines(), "facets": structural, **sides}, out, indent=None)
    out.write("\n")
PYTHON
  rm "$result"
done
