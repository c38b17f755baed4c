#!/bin/sh
# A worker that speaks the protocol by hand and does no work. It has one knob that takes and one that does not.

say() {
    echo "$*" >&0
}

kind=allocator
case $0 in
    */counting) kind=counter ;;
esac
say "hello protocol=1 name=scripted crate_name= crate_version=1 upstream_version=1 licence=none forwards=alloc,dealloc" \
    "proof=linked proof_detail=none build=release debug_build=0 features= start_rss=1000000 kind=$kind"
say "knob name=depth variable=TEST_DEPTH template={} value=${TEST_DEPTH:-0} confirmed=1"
say "knob name=stubborn variable=TEST_STUBBORN template={} value=0 confirmed=1"
say ready
while read -r verb _; do
    case $verb in
        catalogue)
            for workload in test/one test/two; do
                say "workload name=$workload summary=none unit=thing details=none"
                say "parameter workload=$workload name=size summary=none kind=number default=1 min=1 max=100 choices="
            done
            say "parameter workload=test/two name=width summary=none kind=number default=1 min=1 max=100 choices="
            say "set name=default summary=none workloads=test/one"
            say "set name=both summary=none workloads=test/one,test/two"
            say end
            ;;
        quit) exit 0 ;;
    esac
done
