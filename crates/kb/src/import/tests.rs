//! Reports as small texts, against a tree of one file.

use super::*;

/// `src/a.rs` has `charge` on lines 1 to 5, and `tests/t.rs` has `pays` on lines 1 to 4.
struct Tree;

impl CodeLookup for Tree {
    fn path(&self, text: &str) -> Option<RepoPath> {
        let known = ["src/a.rs", "tests/t.rs"].into_iter().find(|path| text.ends_with(path));
        known.and_then(|path| path.parse().ok())
    }

    fn test_file(&self, class: &str) -> Option<RepoPath> {
        (class == "tests.t").then(|| "tests/t.rs".parse().unwrap())
    }

    fn at(&self, path: &RepoPath, line: u32) -> Option<String> {
        match (path.to_string().as_str(), line) {
            ("src/a.rs", 1..=5) => Some("symbol:src/a.rs#charge".into()),
            ("tests/t.rs", 1..=4) => Some("symbol:tests/t.rs#pays".into()),
            _ => None,
        }
    }

    fn executed(&self, path: &RepoPath, line: u32) -> Option<String> {
        self.at(path, line).filter(|_| line > 1)
    }

    fn named(&self, path: &RepoPath, name: &str) -> Option<String> {
        (name == "pays").then(|| format!("symbol:{path}#pays"))
    }
}

fn read(importer: &dyn ReportImporter, bytes: &[u8]) -> ImportedReport {
    assert!(importer.recognizes(bytes), "{}", importer.name());
    importer.import(bytes, "report", &Tree).unwrap()
}

#[test]
fn junit_cases_become_tests() {
    let xml = r#"<?xml version="1.0"?><testsuites><testsuite name="s">
        <testcase classname="pay" name="pays" file="tests/t.rs"/>
        <testcase classname="pay" name="refunds"><failure message="no"/></testcase>
        <testcase classname="tests.t" name="pays"/>
        <testcase classname="tests.t" name="pays[a b.c]"/>
        <testcase classname="tests.t" name="a sentence"/>
        <testcase name="later"><skipped/></testcase></testsuite></testsuites>"#;
    let found = read(&junit::JunitImporter, xml.as_bytes());
    let rows: Vec<String> = found
        .entities
        .iter()
        .map(|e| format!("{} {} {}", e["title"], e["status"], e["code"]))
        .collect();
    let expected = [
        r#""pay pays" "passing" "tests/t.rs#pays""#,
        r#""pay refunds" "failing" null"#,
        r#""tests.t pays" "passing" "tests/t.rs#pays""#,
        r#""tests.t pays[a b.c]" "passing" "tests/t.rs#pays""#,
        r#""tests.t a sentence" "passing" "tests/t.rs""#,
        r#""later" "skipped" null"#,
    ];
    assert_eq!(rows, expected);
    assert!(junit::JunitImporter.import(b"<testsuite>", "r", &Tree).is_err());
}

#[test]
fn a_test_that_is_listed_twice_has_the_worst_result() {
    let case =
        |inside: &str| format!("<testcase classname=\"pay\" name=\"pays\">{inside}</testcase>");
    for (first, second, status) in [
        ("", "<failure/>", "failing"),
        ("<failure/>", "", "failing"),
        ("<skipped/>", "", "passing"),
        ("", "<skipped/>", "passing"),
    ] {
        let other = "<testcase name=\"other\"/>";
        let xml = format!(
            "<testsuite>{}{other}{}</testsuite>",
            case(first),
            case(second).replace("<testcase", "<testcase file=\"tests/t.rs\"")
        );
        let found = read(&junit::JunitImporter, xml.as_bytes());
        assert_eq!(found.entities.len(), 2);
        assert_eq!(found.entities[0]["status"], status, "{first} {second}");
        assert_eq!(found.entities[0]["code"], "tests/t.rs#pays");
        assert!(found.entities[1]["code"].is_null(), "the other test has no place");
    }
}

#[test]
fn coverage_becomes_relations() {
    let text = "TN:pays\nSF:/home/x/src/a.rs\nFN:1,charge\nFNDA:3,charge\nDA:2,1\nend_of_record\n\
        TN:\nSF:src/a.rs\nDA:2,1\nDA:9,0\nend_of_record\nSF:gone.rs\nend_of_record\n";
    let found = read(&lcov::LcovImporter, text.as_bytes());
    assert_eq!((found.entities.len(), found.relations.len(), found.unresolved), (2, 2, 1));
    assert_eq!(found.relations[0]["from"], "symbol:src/a.rs#charge");
    assert_eq!(found.entities[1]["title"], "coverage report");
    assert_eq!(found.entities[1]["status"], "pending", "coverage does not say what passed");
    assert!(lcov::LcovImporter.import(b"SF:a\nDA:x,1\n", "r", &Tree).is_err());
}

fn message(fields: &[(u8, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, value) in fields {
        bytes.extend([number << 3 | 2, u8::try_from(value.len()).unwrap()]);
        bytes.extend(*value);
    }
    bytes
}

#[test]
fn scip_references_within_tests_become_relations() {
    let definition = |symbol: &str, enclosing: &[u8]| {
        let mut bytes = message(&[(1, &[0, 3, 9]), (2, symbol.as_bytes()), (7, enclosing)]);
        bytes.extend([3 << 3, 1]);
        bytes
    };
    let reference = message(&[(1, &[2, 4, 9]), (2, b"s a/charge().")]);
    let source = message(&[(1, b"src/a.rs"), (2, &definition("s a/charge().", &[0, 0, 4, 1]))]);
    let tests = message(&[
        (1, b"tests/t.rs"),
        (2, &definition("s t/pays().", &[0, 0, 3, 1])),
        (2, &reference),
    ]);
    let index = message(&[(1, &[0x08, 0x00]), (2, &source), (2, &tests)]);
    let found = read(&scip::ScipImporter, &index);
    assert_eq!(found.entities[0]["title"], "tests/t.rs#pays");
    assert_eq!(found.relations[0]["from"], "symbol:src/a.rs#charge");
    assert!(scip::ScipImporter.import(&index[..index.len() - 3], "r", &Tree).is_err());
}
