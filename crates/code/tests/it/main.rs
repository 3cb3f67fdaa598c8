//! What files mean together.

mod calls;
mod program;
mod truth;
