//! `tsconfig.json` and `jsconfig.json`.

use jsonc_parser::ast::{Object, Value};

use super::json;
use crate::model::TsConfig;

pub(super) fn read(text: &str) -> Option<TsConfig> {
    json::with_object(text, |object| {
        let mut config = TsConfig {
            extends: json::texts(json::value(object, "extends")),
            references: references(object),
            ..TsConfig::default()
        };
        if let Some(options) = object.get_object("compilerOptions") {
            config.base_url = json::text(options, "baseUrl");
            config.paths = options.get_object("paths").map(paths);
            config.root_dirs = json::texts(json::value(options, "rootDirs"));
            config.root_dir = json::text(options, "rootDir");
            config.out_dir = json::text(options, "outDir");
        }
        config
    })
}

fn paths(object: &Object<'_>) -> Vec<(String, Vec<String>)> {
    let all = object.properties.iter();
    all.map(|p| (p.name.as_str().to_owned(), json::texts(Some(&p.value)))).collect()
}

fn references(object: &Object<'_>) -> Vec<String> {
    let list = object.get_array("references");
    let each = list.into_iter().flat_map(|list| &list.elements).filter_map(Value::as_object);
    each.filter_map(|one| json::text(one, "path")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_say_where_modules_are() {
        let text = "{ // c\n\"extends\": \"../base.json\", \"references\": [{\"path\": \"./a\"}],
            \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\"]},},}";
        let found = read(text).unwrap();
        assert_eq!(
            (found.extends, found.references),
            (vec!["../base.json".into()], vec!["./a".into()])
        );
        assert_eq!(found.paths, Some(vec![("@/*".into(), vec!["src/*".into()])]));
    }
}
