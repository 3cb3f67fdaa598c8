//! What is found while the file runs.

use syntax::Owner;

use super::super::summary::{Relation, Sure, Want};
use super::super::value::{Base, Out, Term, weight};
use super::Machine;
use super::args::Given;
use super::call::Site;

impl Machine<'_> {
    /// Keeps an edge to a symbol of the file; the surest finding counts.
    pub(super) fn note(
        &mut self,
        from: Owner,
        relation: Relation,
        to: u32,
        (sure, line): (Sure, u32),
    ) {
        if self.is_silent {
            return;
        }
        let kept = self.edges.entry((from, relation, to)).or_insert((sure, line));
        kept.0 = kept.0.min(sure);
    }

    /// Keeps an edge to something of another file.
    pub(super) fn want(
        &mut self,
        (from, line, inferred): Site,
        relation: Relation,
        to: &Term,
        args: Vec<Vec<Out>>,
    ) {
        // A name of the language itself leads nowhere.
        let is_builtin = matches!(&to.base, Base::Global(_))
            && matches!(self.family, super::Family::Python | super::Family::JavaScript);
        if self.is_silent || is_builtin || !self.spend(1 + to.weight() + weight(&args)) {
            return;
        }
        let sure = if inferred { Sure::Inferred } else { Sure::Exact };
        let want = Want { from: String::new(), relation, to: to.clone(), args, sure, line };
        let is_known = self.wants.iter().rev().take(64).any(|(owner, one)| {
            *owner == from && one.to == want.to && one.relation == relation && one.args == want.args
        });
        if !is_known {
            self.wants.push((from, want));
        }
    }

    /// Keeps a call of which only the name is known.
    pub(super) fn note_name(&mut self, (from, line, _): Site, name: &str) {
        if !self.is_silent {
            self.unknown.entry((from, name.to_owned())).or_insert(line);
        }
    }

    /// Arguments as other files see them.
    pub(super) fn given_out(&mut self, args: &[Given]) -> Vec<Vec<Out>> {
        let mut all: Vec<Vec<Out>> = Vec::new();
        for arg in args {
            all.push(if arg.spread || arg.name.is_some() {
                Vec::new()
            } else {
                self.out_all(&arg.value, 1)
            });
        }
        while all.last().is_some_and(Vec::is_empty) {
            all.pop();
        }
        all
    }
}
