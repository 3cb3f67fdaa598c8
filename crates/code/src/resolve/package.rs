//! Languages whose packages are folders: `import com.shop.Repo` in Java and Kotlin, `use App\Repo`
//! in PHP.
//!
//! No build file is read. Package names start at a folder that is in both the path of the importing
//! file and the imported name. In PHP a prefix of the name may stand for a folder, so that the
//! folders above are also tried without it.

use base::RepoPath;
use syntax::ImportResolver;

use super::{ResolutionContext, ancestor_folders, include, path_prefix};
use crate::outline::ImportRequest;

/// Test folders, and the folders of the code that they test.
const TEST_TO_MAIN_FOLDERS: [(&str, &str); 3] =
    [("src/test/", "src/main/"), ("/test/", "/main/"), ("test/", "src/")];

/// Parts of a PHP namespace that may stand for one folder.
const MAX_NAMESPACE_PREFIX: usize = 2;

pub(super) fn target(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    let from_text = from.to_string();
    let (_, ending) = from_text.rsplit_once('.')?;
    let mut parts: Vec<&str> =
        asked.specifier.split(['.', '\\']).filter(|part| !part.is_empty()).collect();
    let taken = asked.names.first().map(|(name, _)| name.as_str()).filter(|name| *name != "*")?;
    parts.push(taken);
    let file = |root: &str, parts: &[&str]| format!("{root}{}.{ending}", parts.join("/"));
    let shared = || {
        let first = format!("{}/", parts[0]);
        let at = from_text.match_indices(&first).map(|(at, _)| at);
        at.into_iter().find(|at| *at == 0 || from_text.as_bytes()[at - 1] == b'/')
    };
    if let Some(at) = shared() {
        let root = &from_text[..at];
        let beside = TEST_TO_MAIN_FOLDERS.iter().find(|(test, _)| root.contains(test));
        let beside = beside.map(|(test, main)| root.replacen(test, main, 1));
        let roots = [root.to_owned()].into_iter().chain(beside);
        // The last part may be a member of the class that the rest names.
        let all =
            roots.flat_map(|root| [file(&root, &parts), file(&root, &parts[..parts.len() - 1])]);
        return context.first_existing(all);
    }
    if ImportResolver::of_file(from) != ImportResolver::Namespaces {
        return None;
    }
    let skips = 1..=MAX_NAMESPACE_PREFIX.min(parts.len() - 1);
    let all = skips
        .flat_map(|skip| ancestor_folders(from).map(move |folder| (path_prefix(&folder), skip)));
    context.first_existing(all.map(|(folder, skip)| file(&folder, &parts[skip..])))
}

/// PHP has both: namespaces, and files that are included by path.
pub(super) fn php_target(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    match asked.kind {
        syntax::ImportKind::Include => include::target(context, from, asked),
        _ => target(context, from, asked),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Fixture;

    #[test]
    fn packages_are_folders() {
        let java = Fixture::new(
            "//- a/src/main/java/com/shop/Shop.java\npackage com.shop;\nimport com.shop.store.Repo;\nimport java.util.List;\nimport static com.shop.store.Util.max;\nclass Shop {}\n\
             //- a/src/main/java/com/shop/store/Repo.java\npackage com.shop.store;\npublic class Repo {}\n\
             //- a/src/main/java/com/shop/store/Util.java\npackage com.shop.store;\npublic class Util { static int max() { return 1; } }\n\
             //- a/src/test/java/com/shop/ShopTest.java\npackage com.shop;\nimport com.shop.store.Repo;\nclass ShopTest {}\n",
        );
        let store = "a/src/main/java/com/shop/store";
        assert_eq!(
            java.taken("a/src/main/java/com/shop/Shop.java"),
            [format!("2 {store}/Repo.java#Repo"), format!("4 {store}/Util.java#max")]
        );
        assert_eq!(
            java.taken("a/src/test/java/com/shop/ShopTest.java"),
            [format!("2 {store}/Repo.java#Repo")]
        );
        let php = Fixture::new(
            "//- src/Shop.php\n<?php\nnamespace App;\nuse App\\Store\\Repo;\nclass Shop {}\n\
             //- src/Store/Repo.php\n<?php\nnamespace App\\Store;\nclass Repo {}\n",
        );
        assert_eq!(php.taken("src/Shop.php"), ["3 src/Store/Repo.php#Repo"]);
    }
}
