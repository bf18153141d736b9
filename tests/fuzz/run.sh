#!/bin/sh
# Fuzzes every target of a fuzz build for some seconds each; the first failure ends it and leaves the input behind.
# usage: run.sh BUILD SECONDS
set -eu
build=$1
seconds=$2
here=$(cd "$(dirname "$0")" && pwd)

python3 "$here/seeds.py" "$here/../fixtures" "$build/tests/fuzz/seeds"
for target in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=$(basename "$target")
    corpus=$build/tests/fuzz/corpus/${name#fuzz_}
    mkdir -p "$corpus"
    echo "fuzz: $name for $seconds s"
    "$target" -max_total_time="$seconds" -max_len=300000 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
        -print_final_stats=0 -verbosity=0 -artifact_prefix="$build/tests/fuzz/$name-" \
        "$corpus" "$build/tests/fuzz/seeds/${name#fuzz_}"
done
echo "fuzz: every target clean"
