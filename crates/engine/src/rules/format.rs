//! Reports in formats for other programs.

use base::NextCall;
use base::percent::encode_uri_path;
use serde_json::{Value, json};

use super::{RuleFinding, RuleSeverity};

/// The code of a rule, its severity, and its statement.
pub type RuleSummary = (&'static str, RuleSeverity, &'static str);

/// A report in the format that code scanners exchange. `write` formats the calls of fixes.
pub fn sarif(
    findings: &[RuleFinding],
    rules: &[RuleSummary],
    write: &dyn Fn(&NextCall) -> String,
) -> String {
    let rule = |(code, severity, means): &RuleSummary| {
        json!({
            "id": code,
            "shortDescription": {"text": means},
            "defaultConfiguration": {"level": severity.as_str()},
        })
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cairn",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            }},
            "results": findings.iter().map(|one| result(one, write)).collect::<Vec<_>>(),
        }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default()
}

fn result(finding: &RuleFinding, write: &dyn Fn(&NextCall) -> String) -> Value {
    let text = format!("{}; {}", finding.message, finding.fix.render(write));
    let mut result = json!({
        "ruleId": finding.code,
        "level": finding.severity.as_str(),
        "message": {"text": text},
    });
    if let Some(path) = &finding.path {
        let mut place = json!({"artifactLocation": {"uri": encode_uri_path(path.as_bytes())}});
        if let Some(line) = finding.line {
            place["region"] = json!({"startLine": line});
        }
        result["locations"] = json!([{"physicalLocation": place}]);
    } else if let Some(node) = &finding.node {
        let name = json!([{"fullyQualifiedName": node.to_string()}]);
        result["locations"] = json!([{"logicalLocations": name}]);
    }
    result
}

/// A report as annotations of a GitHub workflow. `write` formats the calls of fixes.
pub fn github(findings: &[RuleFinding], write: &dyn Fn(&NextCall) -> String) -> String {
    findings.iter().map(|one| annotation(one, write)).collect()
}

fn annotation(finding: &RuleFinding, write: &dyn Fn(&NextCall) -> String) -> String {
    let kind = match finding.severity {
        RuleSeverity::Error => "error",
        RuleSeverity::Warning => "warning",
        RuleSeverity::Note => "notice",
    };
    let file =
        finding.path.as_ref().map(|path| format!("file={},", escape_property(&path.to_string())));
    let line = finding.line.map(|line| format!("line={line},"));
    let place = file.unwrap_or_default() + &line.unwrap_or_default();
    let about = match &finding.node {
        Some(node) if finding.path.is_none() => format!("{node}: "),
        _ => String::new(),
    };
    let fix = finding.fix.render(write);
    let text = escape_data(&format!("{about}{}; {fix}", finding.message));
    format!("::{kind} {place}title={}::{text}\n", finding.code)
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_cannot_be_ended_from_inside() {
        let finding = RuleFinding {
            severity: RuleSeverity::Error,
            code: "CODE",
            path: "a,b:c.rs".parse().ok(),
            line: Some(3),
            node: None,
            message: "one\n::error::forged".into(),
            fix: "mend 100%".into(),
        };
        let line =
            "::error file=a%2Cb%3Ac.rs,line=3,title=CODE::one%0A::error::forged; mend 100%25\n";
        assert_eq!(github(&[finding], &ToString::to_string), line);
    }

    #[test]
    fn places_become_references() {
        assert_eq!(encode_uri_path("src/a b#é.rs".as_bytes()), "src/a%20b%23%C3%A9.rs");
    }
}
