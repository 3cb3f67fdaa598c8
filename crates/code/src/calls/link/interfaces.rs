//! Go: a type implements an interface by having its methods.

use std::collections::BTreeSet;

use base::{RepoPath, Result};

use super::super::summary::{ShapeKind, Signature};
use super::super::value::ExportedValue;
use super::values::FileValue;
use super::{Linker, MAX_LOOKUPS, METHOD_PREFIX};

/// Candidate types for one interface.
const MAX_CANDIDATE_TYPES: usize = 400;

/// Nesting of embedded interfaces.
const MAX_EMBEDDED_INTERFACES: usize = 8;

/// A symbol of a file.
type FileSymbol = (RepoPath, String);

/// The methods of an interface.
#[derive(Debug, Default)]
struct InterfaceMethods {
    methods: Vec<InterfaceMethod>,
    /// Whether it embeds an interface that the repository does not declare
    is_open: bool,
}

#[derive(Debug)]
struct InterfaceMethod {
    name: String,
    signature: Signature,
    declared: FileSymbol,
}

impl Linker<'_> {
    /// Records the types that implement the interfaces of a file, and their methods.
    pub(super) fn interface_implementations(
        &mut self,
        file: &RepoPath,
    ) -> Result<Vec<(FileSymbol, FileSymbol)>> {
        let Some(face) = self.source.exports(file)? else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for path in &face.interfaces {
            self.lookups_left = MAX_LOOKUPS;
            let mut asked = InterfaceMethods::default();
            self.collect_interface_methods(file, path, &mut asked, MAX_EMBEDDED_INTERFACES)?;
            // If some methods are not known, one method name is not enough evidence.
            if asked.methods.is_empty() || asked.is_open && asked.methods.len() < 2 {
                continue;
            }
            let interface = (file.clone(), path.clone());
            for (home, of) in self.candidates(file, &asked)? {
                self.lookups_left = MAX_LOOKUPS;
                if let Some(found) = self.implementing_methods(&home, &of, &asked)? {
                    all.push(((home, of), interface.clone()));
                    let asked = asked.methods.iter().map(|one| one.declared.clone());
                    all.extend(found.into_iter().zip(asked));
                }
            }
        }
        Ok(all)
    }

    /// Collects the methods of an interface and of its embedded interfaces.
    fn collect_interface_methods(
        &mut self,
        file: &RepoPath,
        path: &str,
        asked: &mut InterfaceMethods,
        depth: usize,
    ) -> Result<()> {
        let (Some(face), Some(shape)) = (self.source.exports(file)?, self.shape(file, path)?)
        else {
            asked.is_open = true;
            return Ok(());
        };
        if depth == 0 || !face.interfaces.iter().any(|one| one == path) {
            asked.is_open = true;
            return Ok(());
        }
        for (name, outs) in &shape.members {
            for out in outs {
                let ExportedValue::Sym(method) = out else { continue };
                let signature = face.shapes.get(method).and_then(|shape| shape.signature.clone());
                let Some(signature) = signature else { continue };
                if asked.methods.iter().all(|one| one.name != *name) {
                    let declared = (file.clone(), method.clone());
                    asked.methods.push(InterfaceMethod { name: name.clone(), signature, declared });
                }
            }
        }
        for base in shape.bases.clone() {
            let found = self.dereference(FileValue { file: file.clone(), out: base })?;
            asked.is_open |= found.is_empty();
            for one in found {
                match &one.out {
                    ExportedValue::Sym(path) => {
                        self.collect_interface_methods(&one.file, path, asked, depth - 1)?;
                    }
                    _ => asked.is_open = true,
                }
            }
        }
        Ok(())
    }

    /// Types that declare one of some methods, with the file of each type; embedded types may
    /// provide the other methods. If there are too many, the types with the rarest method.
    fn candidates(
        &mut self,
        file: &RepoPath,
        asked: &InterfaceMethods,
    ) -> Result<BTreeSet<FileSymbol>> {
        let mut with: Vec<(&InterfaceMethod, Vec<RepoPath>)> = Vec::new();
        for method in &asked.methods {
            self.depend_on_name(&RepoPath::ROOT, &format!("{METHOD_PREFIX}{}", method.name));
            with.push((method, self.source.files_with_method(&method.name)?));
        }
        with.sort_by_key(|(_, files)| files.len());
        if with.iter().map(|(_, files)| files.len()).sum::<usize>() > MAX_CANDIDATE_TYPES {
            with.truncate(1);
        }
        // A name that is not exported is visible only in its package.
        let is_hidden = asked.methods.iter().any(|one| !one.name.starts_with(char::is_uppercase));
        let mut all = BTreeSet::new();
        for (method, files) in with {
            for other in files {
                if !is_hidden || other.parent() == file.parent() {
                    self.collect_types_with_method(&other, method, &mut all)?;
                }
            }
        }
        Ok(all)
    }

    /// Adds the types for which a file declares a method.
    fn collect_types_with_method(
        &mut self,
        file: &RepoPath,
        method: &InterfaceMethod,
        all: &mut BTreeSet<FileSymbol>,
    ) -> Result<()> {
        let Some(face) = self.source.exports(file)? else { return Ok(()) };
        let fits =
            |name: &str, own: &Signature| *name == method.name && own.matches(&method.signature);
        for (of, ..) in face.methods().filter(|(_, name, own)| fits(name, own)) {
            if let Some(home) = self.declaring_file(file, of)?
                && all.len() < MAX_CANDIDATE_TYPES
            {
                all.insert((home, of.to_owned()));
            }
        }
        Ok(())
    }

    /// The file that declares a type, given a file that declares one of its methods.
    fn declaring_file(&mut self, file: &RepoPath, of: &str) -> Result<Option<RepoPath>> {
        let mut files = vec![file.clone()];
        if let Some(folder) = file.parent() {
            self.depend_on_name(&folder, of);
        }
        files.extend(self.source.package_files_declaring(file, of)?);
        for one in files {
            let shape = self.shape(&one, of)?;
            if shape.is_some_and(|shape| shape.kind == ShapeKind::Class) {
                return Ok(Some(one));
            }
        }
        Ok(None)
    }

    /// The methods of a type that implement those of the interface, in the same order; `None` if
    /// one is missing.
    fn implementing_methods(
        &mut self,
        home: &RepoPath,
        of: &str,
        asked: &InterfaceMethods,
    ) -> Result<Option<Vec<FileSymbol>>> {
        let mut all = Vec::new();
        for method in &asked.methods {
            let mut is_found = false;
            for one in self.class_member(home, of, &method.name)? {
                let ExportedValue::Sym(path) = &one.out else { continue };
                let shape = self.shape(&one.file, path)?;
                let own = shape.and_then(|shape| shape.signature.clone());
                if !is_found && own.is_some_and(|own| own.matches(&method.signature)) {
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
