#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What `make deb` packs: two packages of a tree are the same file, also with other settings of the user; all that the programs
# link is among its dependencies, and no compiler; bitstreams are in it that are whole, and boards without one are named. What it
# unpacks runs where the tree is not there: meshes are simulated, and come up with a core among native sites. With LONG=1 all
# of hw/mesh, on cores, and apt installs the package in a new Debian (debootstrap; not without a network).
# needs: firmware-library host-library build/generate_mesh
# long needs: deb-sites
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

tree=$PWD
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash deb
root=$directory/root
package=$directory/postroad.deb
meshes=(hw/mesh/grid-4x4.mesh hw/mesh/postman-4x4.mesh)
[ -z "${LONG:-}" ] || meshes=(hw/mesh/*.mesh)
mapfile -t sets < <(build/generate_mesh --sets "${meshes[@]}" | sort -u)

# A tree of links, with one bitstream that is whole and one that is being built.
tree_with_bitstreams() {
    mkdir -p "$directory/tree/build/bitstream/icebreaker/"{grid-2x1,grid-2x2}
    ln -s "$tree"/* "$directory/tree" 2>/dev/null
    for file in "$tree"/build/*; do
        [ "${file##*/}" = bitstream ] || ln -s "$file" "$directory/tree/build"
    done
    echo bits | tee "$directory/tree/build/bitstream/icebreaker/"{grid-2x1,grid-2x2}/top.bin >"$directory/log"
    echo report >"$directory/tree/build/bitstream/icebreaker/grid-2x1/report"
}

check_packing() {
    tree_with_bitstreams
    cd "$directory/tree" || exit 1
    expect 0 'with bitstreams: icebreaker/grid-2x1$' host-tools/setup/deb "$package" 1.2.3 "${sets[@]}"
    grep -Eq 'no bitstream of these .*: colorlight_i5 hx8k_b_evn tang' <<<"$said" || fault "boards without bitstreams: $said"
    (umask 077 && LC_ALL=C.UTF-8 TZ=Asia/Tokyo host-tools/setup/deb "$directory/again.deb" 1.2.3 "${sets[@]}") >"$directory/log"
    cmp "$package" "$directory/again.deb" || fault "two packages of one tree differ"
    expect 2 'none/x.deb.new: No such file' host-tools/setup/deb "$directory/none/x.deb" 1.2.3 "${sets[@]}"
    expect 1 usage host-tools/setup/deb "$package" 1.2.3
    cd "$tree" || exit 1
}

# Only what is linked is needed; each library of the programs has its package in the list.
check_control() {
    local depends library owner
    [ "$(dpkg-deb -f "$package" Package Version)" = $'Package: postroad\nVersion: 1.2.3' ] || fault "$(dpkg-deb -f "$package")"
    depends=$(dpkg-deb -f "$package" Depends)
    ! grep -Eq 'gcc-[^s]|g\+\+|make|verilator|mpi' <<<"$depends" || fault "needs a compiler: $depends"
    for library in $(objdump -p build/postroad "build/sim/${sets[0]}/site.so" | awk '$1 == "NEEDED" { print $2 }' | sort -u); do
        owner=$(dpkg -S "*/$library" | sed -n '1s/:.*//p')
        [ "$library" = ld-linux-x86-64.so.2 ] || grep -qw -- "$owner" <<<"$depends" || fault "$library of $owner: not in $depends"
    done
    dpkg-deb -x "$package" "$root"
    dpkg-deb -e "$package" "$directory/control"
    (cd "$root" && md5sum --quiet -c "$directory/control/md5sums") || fault "md5sums are those of other files"
    [ "$(cd "$root" && find usr/lib/postroad/bitstream -type f)" = usr/lib/postroad/bitstream/icebreaker/grid-2x1/top.bin ] ||
        fault "bitstreams: $(find "$root/usr/lib/postroad/bitstream")"
    expect 0 'VexRiscv' grep -A 9 VexRiscv "$root/usr/share/doc/postroad/copyright"
    ! grep -rl --include='*.so' --include=postroad -F "$tree/" "$root" || fault "these name the folder in which they were built"
}

# apart COMMAND...: where the tree is not there. Who is not root runs it where it is.
write_apart() {
    cat >"$directory/apart" <<END
#!/bin/sh
cd /
export PATH=$directory/no-compiler
[ -z "$hide" ] || exec $(command -v unshare) --mount --propagation private $(command -v sh) -c \\
    '$(command -v mount) -t tmpfs none "$tree" && exec "\$@"' sh "\$@"
exec "\$@"
END
    chmod +x "$directory/apart"
}

check_apart() {
    local mesh installed=$root/usr/share/postroad/meshes hide=yes
    unshare --mount true 2>/dev/null || { hide=; echo "not checked here, since it needs root: the package without the tree"; }
    write_apart
    [ -z "$hide" ] || expect 2 'No such file' "$directory/apart" /bin/ls "$tree/Makefile"
    postroad=$root/usr/bin/postroad
    for mesh in "${meshes[@]##*/}"; do
        expect 0 'delivered|lost' "$directory/apart" "$postroad" sim "$installed/$mesh" --packets 20
        [ -z "${LONG:-}" ] || try_up "$mesh" core
    done
    try_up grid-4x4.mesh core:5,native
}

# try_up MESH NODES
try_up() {
    expect 0 '^up:' "$directory/apart" "$postroad" up "$installed/$1" --nodes "$2" --name apart
    expect 0 'delivered|accepted' "$directory/apart" "$postroad" send 1 --data text:hello --timeout 90
    expect 0 '' "$directory/apart" "$postroad" down apart
}

check_new_debian() {
    local fresh=$directory/debian
    [ -n "${LONG:-}" ] || return 0
    if ! command -v debootstrap >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "not checked here, since it needs root and debootstrap: a new Debian"
        return 0
    fi
    if ! debootstrap --variant=minbase bookworm "$fresh" >"$directory/log" 2>&1; then
        echo "not checked here, debootstrap: $(tail -n 1 "$directory/log")"
        return 0
    fi
    cp "$package" "$fresh/postroad.deb"
    EXPECT_SECONDS=400 in_debian 0 'Setting up postroad' apt-get install --yes --no-install-recommends /postroad.deb
    in_debian 127 'not found' sh -c 'gcc --version || make --version'
    in_debian 0 'delivered|lost' postroad sim /usr/share/postroad/meshes/grid-4x4.mesh --packets 50
    in_debian 0 '^up:' sh -c 'postroad up /usr/share/postroad/meshes/grid-2x2.mesh && postroad ping all && postroad down'
}

# in_debian STATUS TEXT COMMAND...
in_debian() {
    # shellcheck disable=SC2016  # the inner shell's arguments
    expect "$1" "$2" unshare --mount --propagation private env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c \
        'mount -t proc none "$0/proc" && exec chroot "$0" "$@"' "$fresh" "${@:3}"
}

[ $# -gt 0 ] || set -- packing control apart new_debian
run_checks "$@"
