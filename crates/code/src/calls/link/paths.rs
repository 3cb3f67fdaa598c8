//! Names and paths, from file to file.

use base::{RepoPath, Result};
use syntax::Language;

use super::super::machine::scoped;
use super::super::summary::{Shape, ShapeKind};
use super::super::value::{Base, Op, Out, Term};
use super::values::{Found, add};
use super::{DECLARED_BY, Linker, is_go};

impl Linker<'_> {
    /// Where a term starts, and how many of its steps that took.
    pub(super) fn base(&mut self, file: &RepoPath, term: &Term) -> Result<(Vec<Found>, usize)> {
        match &term.base {
            Base::Import(key, Some(name)) => {
                let Some(target) = self.imported(file, key)? else { return Ok((Vec::new(), 0)) };
                // `from package import module` means the module's own file.
                let stem = target.name().split('.').next().unwrap_or_default().to_owned();
                if key.ends_with(&format!("#{name}"))
                    && (stem == *name || is_package(&target, name))
                {
                    let found = self.lookup(&target, "", name)?;
                    let module = Found { file: target, out: Out::Sym(String::new()) };
                    return Ok((if found.is_empty() { vec![module] } else { found }, 0));
                }
                Ok((self.lookup(&target, "", name)?, 0))
            }
            Base::Import(key, None) => {
                let Some(target) = self.imported(file, key)? else { return Ok((Vec::new(), 0)) };
                let Some(done) = dotted(key, &term.ops) else { return Ok((Vec::new(), 0)) };
                Ok((vec![Found { file: target, out: Out::Sym(String::new()) }], done))
            }
            Base::Scope(module, parts) => Ok((self.scope(file, module, parts)?, 0)),
            Base::Global(name) => Ok((self.in_package(file, name)?, 0)),
        }
    }

    pub(super) fn imported(&mut self, file: &RepoPath, key: &str) -> Result<Option<RepoPath>> {
        let face = self.world.face(file)?;
        let Some(import) = face.and_then(|face| face.imports.get(key).copied()) else {
            return Ok(None);
        };
        self.world.target(file, import)
    }

    /// What a name means in a module of a file.
    pub(super) fn lookup(
        &mut self,
        file: &RepoPath,
        module: &str,
        name: &str,
    ) -> Result<Vec<Found>> {
        let key = scoped(module, name);
        let asked = (file.clone(), key.clone());
        if let Some(known) = self.known.get(&asked) {
            return Ok(known.clone());
        }
        self.rest_on(file, &key);
        if self.fuel == 0 {
            self.gave_up += 1;
            return Ok(Vec::new());
        }
        self.fuel -= 1;
        let Some(face) = self.world.face(file)? else { return self.in_folder(file, name) };
        if self.asking.contains(&asked) {
            self.gave_up += 1;
            return self.declared_only(file, face.names.get(&key));
        }
        let gave_up = self.gave_up;
        self.asking.push(asked);
        let mut all = Vec::new();
        for out in face.names.get(&key).cloned().unwrap_or_default() {
            add(&mut all, self.settle(Found { file: file.clone(), out })?);
        }
        if all.is_empty() && !face.names.contains_key(&key) {
            for (_, star) in face.stars.iter().filter(|(at, _)| at == module && name != "default") {
                let fuel = self.fuel;
                let mut found = Vec::new();
                for from in self.term(file, star)? {
                    add(&mut found, self.get(&from, name)?);
                }
                self.refund(fuel, found.is_empty());
                add(&mut all, found);
            }
            if all.is_empty() && module.is_empty() {
                all = self.submodule(file, name)?;
            }
        }
        // What nothing on the way depended on holds wherever it is asked for.
        if let Some(asked) = self.asking.pop()
            && gave_up == self.gave_up
        {
            self.known.insert(asked, all.clone());
        }
        Ok(all)
    }

    /// A module that hands everything on and does not have the name costs nothing: barrels are wide.
    fn refund(&mut self, fuel: u32, is_missed: bool) {
        if is_missed && self.misses > 0 {
            self.misses -= 1;
            self.fuel = fuel;
        }
    }

    /// What a name means apart from paths, one of which is being followed: in `use a::a` the first
    /// `a` is the module.
    fn declared_only(&mut self, file: &RepoPath, outs: Option<&Vec<Out>>) -> Result<Vec<Found>> {
        let is_path =
            |out: &&Out| matches!(out, Out::Ext(term) if matches!(term.base, Base::Scope(..)));
        let mut all = Vec::new();
        for out in outs.into_iter().flatten().filter(|out| !is_path(out)) {
            add(&mut all, self.settle(Found { file: file.clone(), out: out.clone() })?);
        }
        Ok(all)
    }

    /// A module of a Python package that nobody imported.
    fn submodule(&mut self, file: &RepoPath, name: &str) -> Result<Vec<Found>> {
        if !file.name().starts_with("__init__.py") {
            return Ok(Vec::new());
        }
        let folder = file.parent().filter(|folder| !folder.is_root());
        let folder = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
        for path in [format!("{folder}{name}.py"), format!("{folder}{name}/__init__.py")] {
            let Ok(path) = path.parse::<RepoPath>() else { continue };
            self.rest(&path, "");
            if self.world.face(&path)?.is_some() {
                return Ok(vec![Found { file: path, out: Out::Sym(String::new()) }]);
            }
        }
        Ok(Vec::new())
    }

    /// What a path means, seen from a module of a file.
    fn scope(&mut self, file: &RepoPath, module: &str, parts: &[String]) -> Result<Vec<Found>> {
        let Some((mut values, rest)) = self.scope_start(file, module, parts)? else {
            return Ok(Vec::new());
        };
        for part in rest {
            let mut next = Vec::new();
            for value in &values {
                add(&mut next, self.get(value, part)?);
            }
            values = next;
        }
        Ok(values)
    }

    fn scope_start<'p>(
        &mut self,
        file: &RepoPath,
        module: &str,
        parts: &'p [String],
    ) -> Result<Option<(Vec<Found>, &'p [String])>> {
        let Some((first, rest)) = parts.split_first() else {
            let here = Found { file: file.clone(), out: Out::Sym(module.to_owned()) };
            return Ok(Some((vec![here], parts)));
        };
        let at = |(file, module): (RepoPath, String)| vec![Found { file, out: Out::Sym(module) }];
        Ok(Some(match first.as_str() {
            "crate" | "$crate" => (at((self.root(file)?, String::new())), rest),
            "self" => (at((file.clone(), module.to_owned())), rest),
            "super" => {
                let mut here = (file.clone(), module.to_owned());
                let ups = parts.iter().take_while(|part| *part == "super").count();
                for _ in 0..ups {
                    let Some(above) = self.above(&here)? else { return Ok(None) };
                    here = above;
                }
                (at(here), &parts[ups..])
            }
            name => {
                let found = self.lookup(file, module, name)?;
                if found.is_empty() {
                    let root = self.package(name)?;
                    (root.map(|root| at((root, String::new()))).unwrap_or_default(), rest)
                } else {
                    (found, rest)
                }
            }
        }))
    }

    /// The module around a module.
    fn above(&mut self, (file, module): &(RepoPath, String)) -> Result<Option<(RepoPath, String)>> {
        if let Some((around, _)) = module.rsplit_once('.') {
            return Ok(Some((file.clone(), around.to_owned())));
        }
        if !module.is_empty() {
            return Ok(Some((file.clone(), String::new())));
        }
        Ok(self.declared_by(file)?.map(|file| (file, String::new())))
    }

    fn declared_by(&mut self, file: &RepoPath) -> Result<Option<RepoPath>> {
        self.rest(file, DECLARED_BY);
        self.world.declared_by(file)
    }

    /// The root file of a package.
    fn package(&mut self, name: &str) -> Result<Option<RepoPath>> {
        self.rest(&RepoPath::ROOT, &format!("crate {name}"));
        for path in self.world.package(name)? {
            self.rest(&path, "");
            if self.world.face(&path)?.is_some() {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn root(&mut self, file: &RepoPath) -> Result<RepoPath> {
        let mut at = file.clone();
        for _ in 0..32 {
            match self.declared_by(&at)? {
                Some(above) if above != at => at = above,
                _ => break,
            }
        }
        Ok(at)
    }

    /// A name that another file of the package declares.
    fn in_package(&mut self, file: &RepoPath, name: &str) -> Result<Vec<Found>> {
        let asked = (file.clone(), format!("{name} elsewhere"));
        if let Some(known) = self.known.get(&asked) {
            return Ok(known.clone());
        }
        let gave_up = self.gave_up;
        let mut all = match is_go(file) {
            true => self.of_go_package(file, name)?,
            false => self.of_mates(file, ("", name))?,
        };
        if matches!(Language::of(file), Some(Language::C | Language::Cpp)) {
            self.of_headers(file, name, &mut all)?;
        }
        if gave_up == self.gave_up {
            self.known.insert(asked, all.clone());
        }
        Ok(all)
    }

    pub(super) fn of_mates(
        &mut self,
        file: &RepoPath,
        (module, name): (&str, &str),
    ) -> Result<Vec<Found>> {
        let key = scoped(module, name);
        let top = key.split('.').next().unwrap_or(&key);
        if let Some(folder) = file.parent() {
            self.rest(&folder, top);
        }
        let mut all = Vec::new();
        for mate in self.world.mates(file, top)? {
            add(&mut all, self.lookup(&mate, module, name)?);
        }
        Ok(all)
    }

    /// A name of a header, at its top or in a namespace that this file has a part of.
    fn of_headers(&mut self, file: &RepoPath, name: &str, all: &mut Vec<Found>) -> Result<()> {
        let Some(face) = self.world.face(file)? else { return Ok(()) };
        let is_module = |shape: &Shape| shape.kind == ShapeKind::Module;
        let inner = face.shapes.iter().filter(|(_, shape)| is_module(shape));
        let modules: Vec<&str> = inner.map(|(path, _)| path.as_str()).collect();
        for module in &modules {
            add(all, self.of_mates(file, (module, name))?);
        }
        for import in face.imports.values() {
            let Some(header) = self.world.target(file, *import)? else { continue };
            for module in modules.iter().copied().chain([""]) {
                add(all, self.lookup(&header, module, name)?);
            }
        }
        Ok(())
    }

    /// A method that stands in another file of the type's package.
    pub(super) fn beside(
        &mut self,
        file: &RepoPath,
        class: &str,
        name: &str,
    ) -> Result<Vec<Found>> {
        if let Some(folder) = file.parent() {
            self.rest(&folder, class);
        }
        let path = scoped(class, name);
        let mut all = Vec::new();
        // Files of different platforms may each have it, and tests may add some.
        for mate in self.world.parts(file, class, &self.asker)? {
            let face = self.world.face(&mate)?;
            if face.is_some_and(|face| face.shapes.contains_key(&path)) {
                self.rest_on(&mate, &path);
                add(&mut all, vec![Found { file: mate, out: Out::Sym(path.clone()) }]);
            }
        }
        Ok(all)
    }

    /// A member that another file adds to a type.
    pub(super) fn implemented(
        &mut self,
        file: &RepoPath,
        class: &str,
        name: &str,
    ) -> Result<Vec<Found>> {
        if Language::of(file) != Some(Language::Rust) {
            return Ok(Vec::new());
        }
        let own = class.rsplit('.').next().unwrap_or(class);
        self.rest(&RepoPath::ROOT, &format!("impl {own}"));
        let mut all = Vec::new();
        for other in self.world.implementors(own)? {
            let Some(face) = self.world.face(&other)? else { continue };
            for (path, of, members) in face.implementations(own) {
                let Some(found) = members.get(name) else { continue };
                let Out::Ext(term) = of else { continue };
                let home = self.term(&other, term)?;
                let is_it = |one: &Found| one.file == *file && one.out == Out::Sym(class.into());
                if home.iter().any(is_it) {
                    self.rest_on(&other, path);
                    for out in found.clone() {
                        add(&mut all, self.settle(Found { file: other.clone(), out })?);
                    }
                }
            }
        }
        Ok(all)
    }

    /// The declared symbols that a term names: what it says, not what that is worth.
    pub(super) fn symbols(
        &mut self,
        file: &RepoPath,
        term: &Term,
    ) -> Result<Vec<(RepoPath, String)>> {
        let (around, name) = match (term.ops.split_last(), &term.base) {
            (Some((Op::Get(name), before)), base) => {
                let before = Term { base: base.clone(), ops: before.to_vec() };
                (self.term(file, &before)?, name.clone())
            }
            (Some((Op::Inst, before)), base) => {
                let before = Term { base: base.clone(), ops: before.to_vec() };
                return self.holders(file, &before);
            }
            (None, Base::Import(key, Some(name))) => {
                let target = self.imported(file, key)?;
                let at = |file| Found { file, out: Out::Sym(String::new()) };
                let around = target.map(at).into_iter().collect();
                (around, name.clone())
            }
            (None, Base::Scope(module, parts)) => match parts.split_last() {
                Some((last, before)) if !before.is_empty() => {
                    (self.scope(file, module, before)?, last.clone())
                }
                Some((last, _)) => {
                    let here = Found { file: file.clone(), out: Out::Sym(module.clone()) };
                    (vec![here], last.clone())
                }
                None => return Ok(Vec::new()),
            },
            (None, Base::Global(name)) if is_go(file) => {
                return self.declared_in_package(file, name);
            }
            (None, Base::Global(name)) => {
                let found = self.in_package(file, name)?;
                return Ok(found.into_iter().filter_map(symbol).collect());
            }
            (Some(_), _) | (None, Base::Import(_, None)) => return Ok(Vec::new()),
        };
        let mut all = Vec::new();
        for one in around {
            all.extend(self.declared(&one, &name)?);
        }
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// The declared types and modules that a term names.
    fn holders(&mut self, file: &RepoPath, term: &Term) -> Result<Vec<(RepoPath, String)>> {
        let mut all = self.symbols(file, term)?;
        let mut holds = Vec::new();
        for (file, path) in &all {
            let kind = self.shape(file, path)?.map(|shape| shape.kind);
            holds.push(matches!(kind, Some(ShapeKind::Class | ShapeKind::Module)));
        }
        let mut holds = holds.into_iter();
        all.retain(|_| holds.next().unwrap_or_default());
        Ok(all)
    }

    /// The symbol that a name declares in a module or a class.
    fn declared(&mut self, around: &Found, name: &str) -> Result<Option<(RepoPath, String)>> {
        let (Out::Sym(path) | Out::New(path)) = &around.out else { return Ok(None) };
        let is_module = path.is_empty()
            || self.shape(&around.file, path)?.is_some_and(|shape| shape.kind == ShapeKind::Module);
        let Some(face) = self.world.face(&around.file)? else {
            return self.declared_in_folder(&around.file, name);
        };
        let key = scoped(path, name);
        if !is_module {
            if face.shapes.contains_key(&key) {
                return Ok(Some((around.file.clone(), key)));
            }
            let found = self.get(around, name)?;
            return Ok(found.into_iter().find_map(symbol));
        }
        self.rest_on(&around.file, &key);
        if let Some(path) = face.declared.get(&key) {
            return Ok(Some((around.file.clone(), path.clone())));
        }
        let asked = (around.file.clone(), format!("{key} declared"));
        if self.fuel == 0 || self.asking.contains(&asked) {
            self.gave_up += 1;
            return Ok(None);
        }
        self.fuel -= 1;
        self.asking.push(asked);
        let mut found = None;
        for out in face.names.get(&key).cloned().unwrap_or_default() {
            if let Out::Ext(term) = out {
                found = found.or(self.symbols(&around.file, &term)?.into_iter().next());
            }
        }
        if found.is_none() && !face.names.contains_key(&key) {
            for (at, star) in face.stars.clone() {
                if at == *path && found.is_none() {
                    let fuel = self.fuel;
                    for from in self.term(&around.file, &star)? {
                        found = found.or(self.declared(&from, name)?);
                    }
                    self.refund(fuel, found.is_none());
                }
            }
        }
        self.asking.pop();
        Ok(found)
    }
}

fn symbol(found: Found) -> Option<(RepoPath, String)> {
    match found.out {
        Out::Sym(path) if !path.is_empty() => Some((found.file, path)),
        _ => None,
    }
}

/// Whether a file is the package of this name.
fn is_package(file: &RepoPath, name: &str) -> bool {
    file.name().starts_with("__init__.py")
        && file.parent().is_some_and(|folder| folder.name() == name)
}

/// How many steps a dotted import takes: `import a.b` binds `a`, and `a.b` is the module.
fn dotted(key: &str, ops: &[Op]) -> Option<usize> {
    let Some(plain) = key.strip_prefix('!') else { return Some(0) };
    let module = plain.split('#').next().unwrap_or_default();
    if module.contains('/') || module.starts_with('.') {
        return Some(0);
    }
    let rest: Vec<&str> = module.split('.').skip(1).collect();
    let fits = rest.iter().zip(ops).all(|(part, op)| matches!(op, Op::Get(name) if name == part));
    (fits && ops.len() >= rest.len()).then_some(rest.len())
}
