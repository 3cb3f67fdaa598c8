//! The engine, asked through its operations on real repositories.

mod answers;
mod contract;
mod freshness;
mod plans;
mod setup;
