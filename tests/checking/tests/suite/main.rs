//! Every workload over every backend, checked at each call of the allocator; and whether that finds the faults of real allocators.

mod every_workload;
mod faults;
mod programs;
