# SPDX-License-Identifier: ISC
# To be sourced. How cpu_cores and fpga_tools fill the virtual environment: a command that fails is reported with its own reason.
# shellcheck shell=bash

# or_fail TEXT COMMAND...: quiet if it works; else ends the script with TEXT and that line of the output which has the reason.
or_fail() {
    local text=$1 output reason
    shift
    output=$("$@" 2>&1) && return
    reason=$(grep -m 1 '^ERROR' <<<"$output" || grep -m 1 Errno <<<"$output" || tail -n 1 <<<"$output")
    fail "$text: ${reason:-$1 gives no reason}"
}

# pip_install VENV REQUIREMENTS
pip_install() {
    or_fail "cannot install $2 from PyPI" "$1/bin/pip" --quiet --disable-pip-version-check --no-input install --require-hashes \
        --no-deps -r "$2"
}
