//! Go: a type implements an interface by having its methods.

use std::collections::BTreeSet;

use base::{RepoPath, Result};

use super::super::summary::{ShapeKind, Signature};
use super::super::value::Out;
use super::values::Found;
use super::{FUEL, Linker, METHOD};

/// Types that are looked at for one interface.
const MOST_TYPES: usize = 400;

/// Interfaces inside interfaces that are followed.
const DEEPEST: usize = 8;

/// A symbol of a file.
type Symbol = (RepoPath, String);

/// What an interface asks for.
#[derive(Debug, Default)]
struct Asked {
    methods: Vec<AskedMethod>,
    /// Whether it takes in something that the repository does not declare
    is_open: bool,
}

#[derive(Debug)]
struct AskedMethod {
    name: String,
    signature: Signature,
    declared: Symbol,
}

impl Linker<'_> {
    /// Which types and methods are what the interfaces of a file ask for.
    pub(super) fn implemented_here(&mut self, file: &RepoPath) -> Result<Vec<(Symbol, Symbol)>> {
        let Some(face) = self.world.face(file)? else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for path in &face.interfaces {
            self.fuel = FUEL;
            let mut asked = Asked::default();
            self.asked_by(file, path, &mut asked, DEEPEST)?;
            // Of what is not known a name alone says too little.
            if asked.methods.is_empty() || asked.is_open && asked.methods.len() < 2 {
                continue;
            }
            let interface = (file.clone(), path.clone());
            for (home, of) in self.candidates(file, &asked)? {
                self.fuel = FUEL;
                if let Some(found) = self.methods_for(&home, &of, &asked)? {
                    all.push(((home, of), interface.clone()));
                    let asked = asked.methods.iter().map(|one| one.declared.clone());
                    all.extend(found.into_iter().zip(asked));
                }
            }
        }
        Ok(all)
    }

    /// Adds what an interface asks for, with what it takes in.
    fn asked_by(
        &mut self,
        file: &RepoPath,
        path: &str,
        asked: &mut Asked,
        depth: usize,
    ) -> Result<()> {
        let (Some(face), Some(shape)) = (self.world.face(file)?, self.shape(file, path)?) else {
            asked.is_open = true;
            return Ok(());
        };
        if depth == 0 || !face.interfaces.iter().any(|one| one == path) {
            asked.is_open = true;
            return Ok(());
        }
        for (name, outs) in &shape.members {
            for out in outs {
                let Out::Sym(method) = out else { continue };
                let signature = face.shapes.get(method).and_then(|shape| shape.signature.clone());
                let Some(signature) = signature else { continue };
                if asked.methods.iter().all(|one| one.name != *name) {
                    let declared = (file.clone(), method.clone());
                    asked.methods.push(AskedMethod { name: name.clone(), signature, declared });
                }
            }
        }
        for base in shape.bases.clone() {
            let found = self.settle(Found { file: file.clone(), out: base })?;
            asked.is_open |= found.is_empty();
            for one in found {
                match &one.out {
                    Out::Sym(path) => self.asked_by(&one.file, path, asked, depth - 1)?,
                    _ => asked.is_open = true,
                }
            }
        }
        Ok(())
    }

    /// Types that have one of some methods, with the file that declares each: others may come from
    /// what they take in. Where that would be too many, those that have the rarest.
    fn candidates(&mut self, file: &RepoPath, asked: &Asked) -> Result<BTreeSet<Symbol>> {
        let mut with: Vec<(&AskedMethod, Vec<RepoPath>)> = Vec::new();
        for method in &asked.methods {
            self.rest(&RepoPath::ROOT, &format!("{METHOD}{}", method.name));
            with.push((method, self.world.with_method(&method.name)?));
        }
        with.sort_by_key(|(_, files)| files.len());
        if with.iter().map(|(_, files)| files.len()).sum::<usize>() > MOST_TYPES {
            with.truncate(1);
        }
        // A name that is not exported is seen in its package alone.
        let is_hidden = asked.methods.iter().any(|one| !one.name.starts_with(char::is_uppercase));
        let mut all = BTreeSet::new();
        for (method, files) in with {
            for other in files {
                if !is_hidden || other.parent() == file.parent() {
                    self.types_with(&other, method, &mut all)?;
                }
            }
        }
        Ok(all)
    }

    /// Adds the types that have a method which a file declares.
    fn types_with(
        &mut self,
        file: &RepoPath,
        method: &AskedMethod,
        all: &mut BTreeSet<Symbol>,
    ) -> Result<()> {
        let Some(face) = self.world.face(file)? else { return Ok(()) };
        let fits =
            |name: &str, own: &Signature| *name == method.name && own.fits(&method.signature);
        for (of, ..) in face.methods().filter(|(_, name, own)| fits(name, own)) {
            if let Some(home) = self.home_of(file, of)?
                && all.len() < MOST_TYPES
            {
                all.insert((home, of.to_owned()));
            }
        }
        Ok(())
    }

    /// The file that declares a type, seen from one that declares a method of it.
    fn home_of(&mut self, file: &RepoPath, of: &str) -> Result<Option<RepoPath>> {
        let mut files = vec![file.clone()];
        if let Some(folder) = file.parent() {
            self.rest(&folder, of);
        }
        files.extend(self.world.mates(file, of)?);
        for one in files {
            let shape = self.shape(&one, of)?;
            if shape.is_some_and(|shape| shape.kind == ShapeKind::Class) {
                return Ok(Some(one));
            }
        }
        Ok(None)
    }

    /// The methods of a type that are what is asked for, in that order; none if one is missing.
    fn methods_for(
        &mut self,
        home: &RepoPath,
        of: &str,
        asked: &Asked,
    ) -> Result<Option<Vec<Symbol>>> {
        let mut all = Vec::new();
        for method in &asked.methods {
            let mut is_found = false;
            for one in self.member(home, of, &method.name)? {
                let Out::Sym(path) = &one.out else { continue };
                let shape = self.shape(&one.file, path)?;
                let own = shape.and_then(|shape| shape.signature.clone());
                if !is_found && own.is_some_and(|own| own.fits(&method.signature)) {
                    all.push((one.file.clone(), path.clone()));
                    is_found = true;
                }
            }
            if !is_found {
                return Ok(None);
            }
        }
        Ok(Some(all))
    }
}
