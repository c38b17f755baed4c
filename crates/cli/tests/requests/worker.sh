#!/bin/sh
# A worker that speaks the protocol by hand and does no work: under the name `other` it claims to take twice as long as under any
# other. What it claims follows from its parameters alone.
#
# Of test/serve, the time of a unit follows the Universal Scalability Law over `connections`, with λ of one a second, σ = 0.05
# and κ = 0.001, and the peak is 10 MB and 3 MB for each. Requests take a number of microseconds that has the percentile for its
# name; at a rate above 0 they count from when they were due. Of the stack `heavy`, `other` takes four times as long.
# test/fades takes a hundredth longer in each turn, and needs a MB more.

name=${0##*/}

say() {
    echo "$*" >&0
}

kind=allocator
factor=1
case $name in
    counting) kind=counter ;;
    other) factor=2 ;;
esac

say "hello protocol=1 name=scripted crate_name= crate_version=1 upstream_version=1 licence=none forwards=alloc,dealloc" \
    "proof=linked proof_detail=none build=release debug_build=0 features= start_rss=1000000 kind=$kind"
say ready
connections=1
rate=0
stack=light
turns=0
served=0
growing=0
while read -r verb first second rest; do
    case $verb in
        catalogue)
            say "workload name=test/serve summary=none unit=request details=none"
            say "parameter workload=test/serve name=connections summary=none kind=number default=1 min=1 max=4096 choices="
            say "parameter workload=test/serve name=rate summary=none kind=number default=0 min=0 max=1000 choices="
            say "parameter workload=test/serve name=stack summary=none kind=choice default=light min=0 max=0 choices=light,heavy"
            say "workload name=test/fades summary=none unit=round details=none settle_ms=1"
            say "parameter workload=test/fades name=size summary=none kind=number default=1 min=1 max=9 choices="
            say "parameter workload=test/fades name=threads summary=none kind=number default=1 min=1 max=64 choices="
            say end
            ;;
        prepare)
            workload=${first#workload=}
            for pair in $rest; do
                value=${pair#*=}
                case $pair in
                    param:connections=*) connections=$value ;;
                    param:rate=*) rate=$value ;;
                    param:stack=*) stack=$value ;;
                esac
            done
            [ "$name $stack" = "other heavy" ] && factor=4
            say "prepared prepare_ns=1000 lanes=1 base_rss=1000000 peak_reset=1 param:connections=$connections" \
                "param:rate=$rate param:stack=$stack"
            ;;
        turn)
            units=${first#units=}
            [ "$turns" = 0 ] || served=$((served + units))
            turns=$((turns + 1))
            n=$connections
            wall=$((units * factor * 1000000 * (1000 + 50 * (n - 1) + n * (n - 1)) / n))
            if [ "$workload" = test/fades ]; then
                wall=$((wall + wall * turns / 100))
                growing=$((turns * 1000000))
            fi
            say "turned count=$units checksum=$units wall_ns=$wall user_ns=$((wall / 4 * 3)) system_ns=$((wall / 4))" \
                "idle_cpu_ns=0 minor_faults=0 major_faults=0 voluntary_switches=0 involuntary_switches=0" \
                "rss=$((10000000 + 3000000 * n + growing))"
            ;;
        finish)
            say "phase name=worked rss=$((10000000 + 3000000 * connections + growing))"
            if [ "$workload" = test/serve ]; then
                us=$((factor * 1000))
                open=0
                [ "$rate" = 0 ] || open=1
                timeouts=0
                [ "$name" = other ] && timeouts=1
                say "latency count=$served open_loop=$open min_ns=$us mean_ns=$((60 * us)) sd_ns=$((10 * us))" \
                    "p50_ns=$((50 * us)) p66_ns=$((66 * us)) p75_ns=$((75 * us)) p80_ns=$((80 * us)) p90_ns=$((90 * us))" \
                    "p95_ns=$((95 * us)) p98_ns=$((98 * us)) p99_ns=$((99 * us)) p999_ns=$((999 * us / 10))" \
                    "max_ns=$((100 * us)) sent_bytes=$((served * 100)) received_bytes=$((served * 1048576))" \
                    "connections=$connections errors_refused=0 errors_reset=0 errors_timeout=$timeouts errors_status=0" \
                    "errors_body=0 errors_truncated=0 errors_protocol=0 user_ns=$served system_ns=$served"
            fi
            case "$first $second" in
                "drain=1 settle_ms=0") say "phase name=drained rss=10000000" ;;
                drain=1*)
                    say "phase name=drained rss=10000000"
                    say "phase name=settled settled_ms=${second#settle_ms=} rss=9000000"
                    ;;
            esac
            say "result count=$turns checksum=$turns peak_rss=$((10000000 + 3000000 * connections + growing))"
            ;;
        quit) exit 0 ;;
    esac
done
