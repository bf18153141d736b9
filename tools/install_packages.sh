#!/bin/sh
# Installs the Debian packages that packages.txt names and this machine lacks; says nothing where none is missing.
set -eu
cd "$(dirname "$0")/.."

missing=""
for package in $(sed 's/#.*//' packages.txt); do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    echo "packages are missing and neither root nor sudo is at hand; as root: apt-get install$missing" >&2
    exit 4
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words is meant
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
