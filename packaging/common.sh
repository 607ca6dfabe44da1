# shellcheck shell=bash
# What the scripts that build packages share. Each is run as packaging/KIND/build [OUTPUT], and leaves its files in OUTPUT, dist/
# unless it is told; they are for this kind of machine, or for the one that ARCH names. A package is made of the files that git
# knows, as they are in the work tree, and of nothing else: two builds of the same files on the same release are the same, byte for
# byte. An archive of the sources will do as well as a repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

output=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
here=$(dpkg --print-architecture)
arch=${ARCH:-$here}
version=$(sed -n "s/^ *version: '\(.*\)',$/\1/p" meson.build | head -1)
export LC_ALL=C.UTF-8 TZ=UTC
# Folders of a moment are no reason to compile anew.
export CCACHE_NOHASHDIR=1
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

complain() {
    echo "$0: $1" >&2
    exit 1
}

# Who compiles for another kind of machine does it where there are compilers and libraries for it.
cross() {
    [[ $arch == "$here" || ${CROSS:-} ]] && return
    packaging/cross "$output" "$(basename "$(dirname "$0")")" "$arch"
    exit
}

# Whether this is a repository with a commit, and one that git reads for us: whoever unpacks an archive may begin a repository in it.
has_history() {
    [[ -e .git ]] && git rev-parse --quiet --verify HEAD >/dev/null 2>&1
}

# Prints the names of the sources. Without a history these are all files but those that .gitignore lists and those that a build makes.
sources() {
    if has_history; then
        git ls-files -z
    else
        find . \( -path ./.git -o -path ./build -o -path './build-*' -o -path ./data -o -path ./dist -o -path "./${output#"$PWD"/}" -o -name node_modules \
            -o -name __pycache__ \) -prune -o -type f ! -name '*.pyc' -printf '%P\0'
    fi
}

# Every time in a package is that of the last commit, which `git archive` gives to all files.
source_date() {
    if has_history; then git log -1 --format=%ct; else sources | xargs --null stat --format %Y | sort --numeric-sort | tail -1; fi
}

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(source_date)}
export SOURCE_DATE_EPOCH

# What a build between releases has after the version, for packages that are upgraded in place: the commit, its time first. That sorts
# after the release whose tag it follows, or before the one that it leads to. A release, at its tag, has nothing. An archive of the sources
# knows neither commit nor tag: as long as CHANGELOG.md has no date for the release it has the time alone, and then it is taken for that.
find_snapshot() {
    local order='~'
    if has_history; then
        ! git merge-base --is-ancestor "v$version" HEAD 2>/dev/null || order=+
        git tag --points-at HEAD | grep --quiet --line-regexp --fixed-strings "v$version" ||
            echo "$order$(git log -1 --abbrev=12 --date=format-local:%Y%m%d%H%M%S --format=git%cd.%h)"
    elif grep --quiet --fixed-strings "## [$version] - unreleased" CHANGELOG.md; then
        date --date="@$SOURCE_DATE_EPOCH" '+~git%Y%m%d%H%M%S'
    fi
}
snapshot=${SNAPSHOT-$(find_snapshot)}

# What tells one state of the sources from another.
fingerprint() {
    { sources | sort --zero-terminated | xargs --null sha256sum 2>/dev/null || true; } | sha256sum | cut -d ' ' -f 1
}

# Copies the sources into a new folder.
export_source() {
    mkdir -p "$1"
    sources | tar --create --mode=u=rwX,go=rX --ignore-failed-read --no-recursion --null --files-from=- | tar --extract --directory "$1"
}

# Gives the one time to all files of these folders, and the usual modes: those of a checkout depend on the umask it was made with.
settle() {
    chmod -R u=rwX,go=rX "$@"
    find "$@" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

# Packs a folder of $work under its own name: sorted, nobody's, and of the one time.
pack() {
    local folder=$1 file=$2
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --directory "$work" "$folder" |
        gzip --no-name --best >"$file"
}

# Whether an archive was built from the sources as they are; its document says from which.
is_of_these_sources() {
    [[ -e $1 ]] && tar --extract --file "$1" --to-stdout --wildcards '*/gramme.cdx.json' | grep --quiet "$(fingerprint)"
}

# Fills the folder of a package in another language's form with the program and what it needs: all of the archive but its
# documents, or, for a quick test, only a program that is there already.
fill() {
    local folder=$1 program=$2 archive
    if [[ $program ]]; then
        install -D "$program" "$folder/bin/gramme"
        mkdir -p "$folder/share/gramme"
        cp -r packaging/java "$folder/share/gramme/java"
        return
    fi
    archive=$output/gramme-$version-linux-$arch.tar.gz
    is_of_these_sources "$archive" || packaging/tarball/build "$output"
    tar --extract --file "$archive" --directory "$folder" --strip-components=1
    mv "$folder/share/doc/gramme"/{licences,LICENSE,gramme.cdx.json} "$folder"
    find "$folder/share" -mindepth 1 -maxdepth 1 ! -name gramme -exec rm -r {} +
}

# Debian's packages have the commit in their names: those of another one, for the same kind of machine, make way for the ones just built.
remove_former() {
    [[ $1 != deb ]] || rm -f "$output"/{gramme,libgramme}*_"$arch".deb
}

# Says what was made, with its size.
tell() {
    local file
    for file in "$@"; do
        echo "$(du -k --apparent-size "$file" | cut -f1) KB  ${file#"$PWD"/}"
    done
}
