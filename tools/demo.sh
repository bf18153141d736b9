#!/bin/sh
# Seals a real 2 KiB sector, makes test parameters for its circuit, proves it and verifies the proof.
# usage: demo.sh CUZK [FOLDER]; the folder (default build/demo) keeps the parameters for the next run.
set -eu
cuzk=$1
folder=${2:-build/demo}
start=$(date +%s)

step() {
    echo
    echo "== $1 =="
    shift
    echo "\$ $*"
    "$@"
}

mkdir -p "$folder"
rm -rf "$folder/sector" "$folder/proof.bin" "$folder/timeline.json" "$folder/waterfall.svg"
step "seal a sector of 2 KiB" "$cuzk" seal --sector-size 2KiB --out "$folder/sector" \
    --seed 00000000000000000000000000000000000000000000000000000000cafef00d
if ls "$folder"/params/*.params >/dev/null 2>&1; then
    echo "(test parameters of an earlier run are in $folder/params)"
else
    step "make test parameters" "$cuzk" setup porep-2k --out "$folder/params"
fi
step "prove" "$cuzk" prove porep --c1 "$folder/sector/c1.json" --params-dir "$folder/params" \
    --out "$folder/proof.bin" --timeline "$folder/timeline.json"
step "verify" "$cuzk" verify porep --c1 "$folder/sector/c1.json" --params-dir "$folder/params" \
    --proof "$folder/proof.bin"
"$cuzk" trace "$folder/timeline.json" --svg "$folder/waterfall.svg" --quiet
echo
echo "$(($(date +%s) - start)) s from sector to verified proof; waterfall: $folder/waterfall.svg"
echo "proof valid"
