//! Names and shapes that callers of the older tools already use.

use serde_json::Value;

use super::schema::JsonObject;

/// Separates the kind of a record and its id.
const KIND_SEPARATOR: &str = ":";

/// An unlisted name for an operation, with what must be done to its arguments.
#[derive(Debug, Clone, Copy)]
pub struct OpAlias {
    /// The name that callers use
    pub name: &'static str,
    /// For a tool with many verbs: the argument that selects, and the value that selects this
    /// operation
    pub selector: Option<(&'static str, &'static str)>,
    /// The alias's name of each argument, and the operation's name of it
    pub renames: &'static [(&'static str, &'static str)],
    /// The operation's name of an argument, and the JSON value that it gets unless the caller gives
    /// one
    pub presets: &'static [(&'static str, &'static str)],
    /// Objects whose fields are taken as arguments themselves
    pub lifts: &'static [&'static str],
    /// Two arguments of the alias that become one argument of the operation: the first, the second,
    /// the separator, the operation's argument. Several spellings of the first are separated by `|`
    pub join: Option<[&'static str; 4]>,
}

impl OpAlias {
    /// A name whose arguments are those of the operation.
    pub const fn of(name: &'static str) -> Self {
        Self { name, selector: None, renames: &[], presets: &[], lifts: &[], join: None }
    }

    /// Applies only if the argument `key` is `value`.
    #[must_use]
    pub const fn when(mut self, key: &'static str, value: &'static str) -> Self {
        self.selector = Some((key, value));
        self
    }

    /// Renames arguments: pairs of the alias's name and the operation's name.
    #[must_use]
    pub const fn renaming(mut self, renames: &'static [(&'static str, &'static str)]) -> Self {
        self.renames = renames;
        self
    }

    /// Sets arguments that the older tool did not have.
    #[must_use]
    pub const fn presetting(mut self, presets: &'static [(&'static str, &'static str)]) -> Self {
        self.presets = presets;
        self
    }

    /// Unwraps objects in which the older tool passed its arguments.
    #[must_use]
    pub const fn lifting(mut self, lifts: &'static [&'static str]) -> Self {
        self.lifts = lifts;
        self
    }

    /// Joins two arguments into one, such as a path and a symbol in it.
    #[must_use]
    pub const fn joining(mut self, join: [&'static str; 4]) -> Self {
        self.join = Some(join);
        self
    }

    /// Whether the arguments select this alias.
    pub fn selects(&self, args: &JsonObject) -> bool {
        self.selector.is_none_or(|(key, value)| args.get(key).is_some_and(|found| found == value))
    }

    /// The caller's arguments as the operation declares them.
    pub fn translate(&self, mut args: JsonObject) -> JsonObject {
        if let Some((key, _)) = self.selector {
            args.remove(key);
        }
        for key in self.lifts {
            if let Some(Value::Object(inner)) = args.remove(*key) {
                args.extend(inner);
            }
        }
        if let Some([first, second, between, ours]) = self.join {
            let mut take = |keys: &str| keys.split('|').find_map(|key| args.remove(key));
            let parts = match [take(first), take(second)] {
                // The kind of a record says nothing without its id.
                [Some(_), None] if between == KIND_SEPARATOR => Vec::new(),
                parts => parts.into_iter().flatten().collect(),
            };
            if let Some(joined) = join_texts(&parts, between) {
                args.insert(ours.into(), joined);
            }
        }
        let ours = |theirs: String| {
            let renamed = self.renames.iter().find(|(from, _)| *from == theirs);
            renamed.map_or_else(|| snake_case(&theirs), |(_, to)| (*to).into())
        };
        let mut args: JsonObject =
            args.into_iter().map(|(key, value)| (ours(key), value)).collect();
        for (key, json) in self.presets {
            args.entry(*key).or_insert_with(|| parse_preset(json));
        }
        args
    }
}

/// Texts joined with a separator; a single value stays as it is.
fn join_texts(parts: &[Value], between: &str) -> Option<Value> {
    let texts: Option<Vec<&str>> = parts.iter().map(Value::as_str).collect();
    match (parts, texts) {
        ([], _) => None,
        ([only], _) => Some(only.clone()),
        (_, Some(texts)) => Some(texts.join(between).into()),
        ([first, ..], None) => Some(first.clone()),
    }
}

/// A preset's value; the contract test parses every one of them.
pub fn parse_preset(json: &str) -> Value {
    serde_json::from_str(json).expect("presets are JSON")
}

/// `camelCase` as `snake_case`; the older tools spell their arguments so.
pub fn snake_case(name: &str) -> String {
    let lower = |c: char| if c.is_ascii_uppercase() { format!("_{c}") } else { c.to_string() };
    name.chars().map(lower).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn older_shapes_become_ours() {
        let alias = OpAlias::of("manage_note")
            .when("operation", "add")
            .renaming(&[("filePath", "path")])
            .presetting(&[("create", "true")])
            .joining(["folder", "stem", "/", "target"])
            .lifting(&["fields"]);
        let theirs = json!({"operation": "add", "filePath": "a.md", "fields": {"maxLines": 3},
            "folder": "src", "stem": "a"});
        let Value::Object(theirs) = theirs else { unreachable!() };
        assert!(alias.selects(&theirs));
        let ours = alias.translate(theirs);
        let expected = json!({"path": "a.md", "max_lines": 3, "create": true, "target": "src/a"});
        assert_eq!(Value::from(ours), expected);
    }
}
