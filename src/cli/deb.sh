#!/bin/sh
# Makes a package for Debian of the release in this folder, where dpkg-deb exists:
# deb.sh VERSION HOMEPAGE MAINTAINER FILE
set -e
version=$1 homepage=$2 maintainer=$3 file=$4
if ! command -v dpkg-deb >/dev/null; then
    echo "no dpkg-deb: no package for Debian" >&2
    exit 0
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
umask 022

mkdir -p "$root/usr/lib" "$root/usr/bin" "$root/usr/share/man" "$root/usr/share/doc/sieve" \
    "$root/usr/share/bash-completion/completions" "$root/DEBIAN"
cp -a . "$root/usr/lib/sieve"
cd "$root/usr/lib/sieve"
mv man/man1 "$root/usr/share/man/"
gzip -9n "$root"/usr/share/man/man1/*
mv completion/sieve.bash "$root/usr/share/bash-completion/completions/sieve"
mv LICENSE "$root/usr/share/doc/sieve/copyright"
mv README.md CHANGELOG.md THIRD-PARTY.txt seeds.txt sieve.cdx.json "$root/usr/share/doc/sieve/"
rm -f bin/sieve.bat
rmdir man completion
ln -s ../lib/sieve/bin/sieve "$root/usr/bin/sieve"

# "~" makes a snapshot older than its release.
cat >"$root/DEBIAN/control" <<END
Package: sieve
Version: $(printf '%s' "$version" | sed 's/-SNAPSHOT/~snapshot/')
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Section: web
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)
Depends: libc6, libgcc-s1, libstdc++6, zlib1g
Homepage: $homepage
Description: polite web crawler and link checker
 Sieve crawls sites, checks their links or archives them. It requests each URL
 once, survives crashes, and says what it did not request. It brings its own
 Java runtime.
END
dpkg-deb --root-owner-group -Zgzip -z6 --build "$root" "$file" >/dev/null
