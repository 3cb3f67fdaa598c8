//! Parses the reports of linters.

use serde_json::Value;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintSeverity {
    /// An error
    Error,
    /// A warning
    Warning,
    /// For information
    Note,
}

/// A finding of a linter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LintFinding {
    /// The file, as the linter names it
    pub path: String,
    /// The line, from 1
    pub line: u32,
    /// The column, from 1
    pub column: u32,
    /// Its severity
    pub severity: LintSeverity,
    /// The rule's name
    pub rule: Option<String>,
    /// The message
    pub message: String,
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(1)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}

fn severity(name: &str) -> LintSeverity {
    match name {
        "error" | "error: internal compiler error" => LintSeverity::Error,
        "warning" => LintSeverity::Warning,
        _ => LintSeverity::Note,
    }
}

pub(super) fn oxlint(output: &str) -> Option<Vec<LintFinding>> {
    let report: Value = serde_json::from_str(output).ok()?;
    let finding = |one: &Value| {
        let place = &one["labels"][0]["span"];
        Some(LintFinding {
            // Findings about the project as a whole name no file.
            path: text(&one["filename"]).unwrap_or_default(),
            line: number(&place["line"]),
            column: number(&place["column"]),
            severity: severity(one["severity"].as_str().unwrap_or("warning")),
            rule: text(&one["code"]),
            message: text(&one["message"])?,
        })
    };
    Some(report["diagnostics"].as_array()?.iter().filter_map(finding).collect())
}

pub(super) fn eslint(output: &str) -> Option<Vec<LintFinding>> {
    let report: Value = serde_json::from_str(output).ok()?;
    let mut findings = Vec::new();
    for file in report.as_array()? {
        let path = text(&file["filePath"])?;
        for one in file["messages"].as_array()? {
            let is_error = one["severity"].as_u64() == Some(2);
            findings.push(LintFinding {
                path: path.clone(),
                line: number(&one["line"]),
                column: number(&one["column"]),
                severity: if is_error { LintSeverity::Error } else { LintSeverity::Warning },
                rule: text(&one["ruleId"]),
                message: text(&one["message"])?,
            });
        }
    }
    Some(findings)
}

pub(super) fn ruff(output: &str) -> Option<Vec<LintFinding>> {
    let report: Value = serde_json::from_str(output).ok()?;
    let finding = |one: &Value| {
        let place = &one["location"];
        let is_syntax = one["code"].is_null() || one["code"] == "invalid-syntax";
        Some(LintFinding {
            path: text(&one["filename"])?,
            line: number(&place["row"]),
            column: number(&place["column"]),
            severity: if is_syntax { LintSeverity::Error } else { LintSeverity::Warning },
            rule: text(&one["code"]),
            message: text(&one["message"])?,
        })
    };
    Some(report.as_array()?.iter().filter_map(finding).collect())
}

/// Parses the messages of cargo, one per line. The report is complete if it says how the build
/// finished.
pub(super) fn cargo(output: &str) -> Option<Vec<LintFinding>> {
    let mut findings = Vec::new();
    let mut is_report = false;
    for line in output.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        is_report |= message["reason"] == "build-finished";
        if message["reason"] == "compiler-message" {
            findings.extend(parse_compiler_message(&message["message"]));
        }
    }
    findings.sort();
    findings.dedup();
    is_report.then_some(findings)
}

fn parse_compiler_message(message: &Value) -> Option<LintFinding> {
    let spans = message["spans"].as_array()?;
    let place = spans.iter().find(|span| span["is_primary"] == true)?;
    Some(LintFinding {
        path: text(&place["file_name"])?,
        line: number(&place["line_start"]),
        column: number(&place["column_start"]),
        severity: severity(message["level"].as_str().unwrap_or_default()),
        rule: text(&message["code"]["code"]),
        message: text(&message["message"])?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn short(found: Option<Vec<LintFinding>>) -> Vec<String> {
        let line = |one: LintFinding| {
            let rule = one.rule.unwrap_or_default();
            format!(
                "{}:{}:{} {:?} {rule} {}",
                one.path, one.line, one.column, one.severity, one.message
            )
        };
        found.unwrap().into_iter().map(line).collect()
    }

    #[test]
    fn reports_are_read_and_anything_else_is_not_an_empty_report() {
        let span = json!([{"span": {"offset": 8, "line": 2, "column": 5}}]);
        let report = json!({"diagnostics": [{"message": "m", "code": "c", "severity": "error",
            "filename": "a.ts", "labels": span}]});
        assert_eq!(short(oxlint(&report.to_string())), ["a.ts:2:5 Error c m"]);
        let report = json!([{"filePath": "/p/a.ts", "messages":
            [{"ruleId": "r", "severity": 1, "message": "m", "line": 2, "column": 5}]}]);
        assert_eq!(short(eslint(&report.to_string())), ["/p/a.ts:2:5 Warning r m"]);
        let report = json!([{"code": "F401", "message": "m", "filename": "a.py",
            "location": {"row": 2, "column": 5}}]);
        assert_eq!(short(ruff(&report.to_string())), ["a.py:2:5 Warning F401 m"]);
        let primary = json!([{"is_primary": true, "file_name": "src/a.rs", "line_start": 2,
            "column_start": 5}]);
        let message = json!({"reason": "compiler-message", "message": {"level": "warning",
            "code": {"code": "dead_code"}, "message": "m", "spans": primary}});
        let finished = json!({"reason": "build-finished", "success": true});
        let report = format!("{message}\n{message}\n{finished}\n");
        assert_eq!(short(cargo(&report)), ["src/a.rs:2:5 Warning dead_code m"]);
        assert_eq!(cargo(&message.to_string()), None);
        for read in [oxlint, eslint, ruff, cargo] {
            assert_eq!(read("error: no such command"), None);
        }
    }
}
