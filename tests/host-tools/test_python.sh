#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The Python client (host-tools/python): its annotations, a native mesh, errors, rows of simulations, captures, the cells of its
# notebook, and what pip installs. The cells are run by Python alone: Jupyter is no package of `make setup`.
# usage: test_python.sh [CHECK...]      default: all of them, see the end
# reads: Makefile hw firmware sim boards host-tools tests/latency/data
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash python
export PYTHONDONTWRITEBYTECODE=1

# python_check NAME: of python_checks.py. A warning is an error.
python_check() {
    expect 0 '' env PYTHONPATH=host-tools/python python3 -W error tests/host-tools/python_checks.py "$1" "$directory"
}

check_mesh() { python_check mesh; }
check_errors() { python_check errors; }
check_sim() { python_check sim; }
check_captures() { python_check captures; }
check_readme() { python_check readme; }
check_notebook() { python_check notebook; }

check_types() {
    expect 0 'Success' env MYPYPATH=host-tools/python mypy --strict --cache-dir "$directory/mypy" host-tools/python/postroad \
        tests/host-tools/python_checks.py
}

# A copy: pip writes beside what it installs. Without what it would fetch to build the package. What is installed takes the
# program on PATH, here one that is slow to listen: no packet may leave before.
check_install() {
    cp -r host-tools/python "$directory/client"
    expect 0 '' build/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps \
        --no-build-isolation --target "$directory/site" "$directory/client"
    [ -e "$directory/site/postroad/py.typed" ] || fault "py.typed is not installed"
    printf '#!/bin/sh\n[ "$1" != listen ] || sleep 0.5\nexec %s "$@"\n' "$PWD/$postroad" >"$directory/postroad"
    chmod +x "$directory/postroad"
    expect 0 '^\[5\]$' env PATH="$directory:$PATH" PYTHONPATH="$directory/site" python3 -c '
import postroad
with postroad.up("hw/mesh/grid-4x4.mesh", nodes="native") as mesh, mesh.listen(3, timeout=5) as heard:
    mesh.send(3, [5])
    print(next(heard)["data"])'
}

if [ $# -eq 0 ]; then set -- types mesh errors sim captures readme notebook install; fi
run_checks "$@"
