//! Nothing that was measured is lost, nothing stays running, and a run that was cut short can be finished.

mod failures;
mod full_disk;
mod interrupted;
mod killed;
mod places;
mod refused;
mod rows;
mod stage;
mod stopping_rule;
mod torn;
