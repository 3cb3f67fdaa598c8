//! An id is told once.

use super::{Breach, World};
use crate::read::{Fact, Model, Origin};

/// Ids that two files, or a file and the store, both tell.
pub fn told_twice(model: &Model, _: &World<'_>) -> Vec<Breach> {
    let place = |fact: &Fact| match &fact.origin {
        Origin::Store => "the store".to_owned(),
        Origin::File(path, _) => path.to_string(),
    };
    let breach = |(first, second): (&Fact, &Fact)| {
        let id = &first.entity.id;
        let message = format!("{id} is told in {} and in {}", place(first), place(second));
        let fix = match second.origin {
            Origin::Store => format!("hand {id} over to the file with `kb.promote`"),
            Origin::File(..) => "give one of them another id".into(),
        };
        Breach::of_fact(first, message, fix)
    };
    model.twice().map(breach).collect()
}
