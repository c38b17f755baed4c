//! Prints the list of faults that the README of this package holds.

fn main() {
    print!("{}", heapmark_broken::markdown());
}
