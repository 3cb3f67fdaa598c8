//! The names of imported packages. The resolver asks for them too, so they are there without the
//! grammar.

use crate::model::Import;

impl Import {
    /// Whether this import of a Go package is known by a name. A package that was not renamed is
    /// taken to have the name that its path suggests.
    pub fn is_go_package_named(&self, name: &str) -> bool {
        let Some(whole) = self.names.first() else { return false };
        whole.alias.as_deref().unwrap_or_else(|| suggested_package_name(&self.specifier)) == name
    }
}

/// The name that the path of a package suggests: `example.com/go-yaml.v3`, `…/yaml/v3` are `yaml`.
fn suggested_package_name(specifier: &str) -> &str {
    let mut parts = specifier.rsplit('/');
    let last = parts.next().unwrap_or(specifier);
    let is_version = last
        .strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    let name = if is_version { parts.next().unwrap_or(last) } else { last };
    let name = name.split('.').next().unwrap_or(name);
    let name = name.strip_prefix("go-").unwrap_or(name);
    name.strip_suffix("-go").unwrap_or(name)
}
