#!/bin/sh
# A worker that speaks the protocol by hand, under the name that it is started by, and does no work. What it claims to have
# taken follows from its inputs and from the length of the variable that shifts the stack, so that a sample that is made again
# comes out the same. Its units last a second, beside which starting it takes no time, however busy the machine.
#
# What lies in its folder steers it. It holds `alive`, a named pipe, open for as long as it runs. Where there is a program
# NAME.real, it becomes that. One that is called `aborting` ends before it has said a word, and one called `hungry` claims a peak of
# 3 GB. Where `stop` says "STAGE NAME BLOCKS WORKLOAD", the worker of that name tells its process number
# to the named pipe `stopped` when it comes to that stage of that workload with so many blocks in the record, and then waits for
# its harness to go.

here=${0%/*}
name=${0##*/}
exec 3>"$here/alive"
if [ -e "$here/$name.real" ]; then
    exec "$here/$name.real"
fi

say() {
    echo "$*" >&0
}

stop_at() {
    [ -e "$here/stop" ] || return 0
    read -r stage who blocks what <"$here/stop"
    [ "$stage $who $what" = "$1 $name ${workload:-any}" ] || return 0
    [ "$blocks" = 0 ] || [ "$(grep -c '^{"row":"block"' "$here/run.jsonl")" -ge "$blocks" ] || return 0
    echo $$ >"$here/stopped"
    while read -r _; do :; done
    exit 1
}

kind=allocator
cost=1000000000
counts=
peak=2000000
case $name in
    counting) kind=counter counts=" calls=1 requested=1" ;;
    handicap) kind=handicap ;;
    größer) cost=2000000000 ;;
    hungry) peak=3000000000 ;;
    aborting)
        echo 'no page of this size' >&2
        kill -ABRT $$
        ;;
esac
padding=${#HEAPMARK_PADDING}
turns=0

stop_at hello
say "hello protocol=1 name=scripted crate_name= crate_version=1 upstream_version=1 licence=none forwards=alloc,dealloc" \
    "proof=linked proof_detail=none build=release debug_build=0 features= start_rss=1000000 kind=$kind"
say ready
while read -r verb first second rest; do
    case $verb in
        catalogue)
            for offered in test/one test/two graph/tree; do
                say "workload name=$offered summary=none unit=thing details=none"
            done
            say end
            ;;
        prepare)
            workload=${first#workload=}
            seed=${second#seed=}
            stop_at prepare
            say "prepared prepare_ns=1000 lanes=1 base_rss=1000000 peak_reset=1${rest:+ $rest}"
            ;;
        turn)
            stop_at turn
            units=${first#units=}
            turns=$((turns + 1))
            stop_at turn$turns
            wall=$((units * cost + turns * padding * 100))
            say "turned count=$units checksum=$seed wall_ns=$wall user_ns=$wall system_ns=0 idle_cpu_ns=0 minor_faults=0" \
                "major_faults=0 voluntary_switches=0 involuntary_switches=0 rss=1500000$counts"
            ;;
        finish)
            say "phase name=worked rss=2000000 anonymous=2000000"
            say "result count=$turns checksum=$seed peak_rss=$((peak + padding * 10)) peak_live=1000000"
            ;;
        quit)
            stop_at quit
            exit 0
            ;;
    esac
done
