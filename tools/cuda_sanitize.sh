#!/bin/bash
# Every CUDA kernel under compute-sanitizer, on small sizes: cuda_sanitize.sh BUILD [memcheck] [racecheck]
# A line for each run and a verdict; logs stay in BUILD/sanitize. SANITIZE_SECONDS bounds one run (600).
set -u
build=${1:?usage: cuda_sanitize.sh BUILD [memcheck] [racecheck]}
shift
[ $# -gt 0 ] || set -- memcheck racecheck
seconds=${SANITIZE_SECONDS:-600}
logs=$build/sanitize
tool=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
export CUZK_FIXTURES=${CUZK_FIXTURES:-$(dirname "$0")/../tests/fixtures}
[ -x "$tool" ] || { echo "cuda_sanitize: no compute-sanitizer here" >&2; exit 2; }
mkdir -p "$logs"
bad=0 runs=0

# check TOOL PROGRAM PATTERN [log2 of the largest size]
check() {
    local log=$logs/$1-$(basename "$2")-${3//[^a-z_]/}.log begin=$SECONDS verdict
    CUZK_TEST_LOG_MOST=${4:-20} timeout "$seconds" "$tool" --tool "$1" --report-api-errors no --error-exitcode 99 \
        "$build/tests/$2" "$3" >"$log" 2>&1
    case $? in
    0) verdict=clean ;;
    99) verdict="ERRORS" ;;
    124) verdict="NOT DONE after $seconds s" ;;
    *) verdict="TEST FAILED" ;;
    esac
    grep -q "SKIPPED: backend cuda" "$log" && verdict="NO DEVICE"
    grep -q " PASSED .* 0 test" "$log" && verdict="NO TEST of this name"
    runs=$((runs + 1))
    [ "$verdict" = clean ] || { bad=$((bad + 1)); grep -m 5 -A 8 "=========.*\(Invalid\|Error\|Race\|hazard\)\|ERROR   \|Failure" "$log"; }
    echo "$1  $2  $3: $verdict, $((SECONDS - begin)) s; $(grep "SUMMARY" "$log" | tail -1)"
}

for kind in "$@"; do
    # keys and proofs, whole, as copies of a part and in chunks; sums and fixed-base products; transforms, of points too

    check "$kind" backend/test_backend 'test_job__operations*'
    check "$kind" backend/test_backend 'test_job__copies*'
    check "$kind" backend/test_backend 'test_msm_and_setup*'
    check "$kind" backend/test_backend 'test_ntt*'
    check "$kind" backend/test_backend 'test_table__refuses*'
    check "$kind" backend/test_point_ntt 'test_transform_points*' 8
    # sums with buckets of many sizes, leaves; passes of large transforms, bit sums
    if [ "$kind" = memcheck ]; then
        check "$kind" backend/test_backend 'test_job__is_the_same*'
        check "$kind" backend/test_edges 'test_ntt*' 14
        check "$kind" backend/test_edges 'test_measure*' 12
        check "$kind" backend/test_edges 'test_msm*' 12
    else
        check "$kind" backend/test_edges 'test_ntt*' 11
        check "$kind" backend/test_edges 'test_measure*' 11
    fi
done
if [ $bad -gt 0 ]; then
    echo "cuda_sanitize: $bad of $runs runs are not clean; logs in $logs"
    exit 1
fi
echo "cuda_sanitize: all $runs runs are clean"
