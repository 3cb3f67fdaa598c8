//! The repository that all answers are about: a small shop in TypeScript, Rust, Python and Go.

use testkit::TestRepo;

const FILES: &str = include_str!("shop.fixture");

/// The shop with its history: three months of commits, among them a rename, and several that change
/// the gateway, the webhook and its test together.
pub fn shop() -> TestRepo {
    let repo = TestRepo::without_git(FILES).with_programs(&["git", "python3"]);
    repo.git(&["init", "-q", "-b", "main"]);
    repo.commit_at("2025-10-06T09:00:00Z", "Start the shop\n\ntags: payments");
    repo.rename("src/pay/stripe.ts", "src/pay/gateway.ts");
    for path in ["src/pay/webhook.ts", "src/http/server.ts"] {
        replace(&repo, path, "/stripe'", "/gateway'");
    }
    repo.commit_at("2025-10-20T09:00:00Z", "pay: rename stripe to gateway");
    for (date, limit, message) in [
        ("2025-11-03T09:00:00Z", 4, "pay: one more attempt"),
        ("2025-11-17T09:00:00Z", 5, "pay: follow the provider's new limits"),
        ("2025-12-01T09:00:00Z", 6, "pay: survive the sales week"),
        ("2025-12-15T09:00:00Z", 7, "pay: settle late events\n\nThe provider resends for a day."),
    ] {
        replace(&repo, "src/pay/retry.ts", &format!("= {};", limit - 1), &format!("= {limit};"));
        let previous = format!("// limit {}\n", limit - 1);
        for path in ["src/pay/gateway.ts", "src/pay/webhook.ts", "test/webhook.test.ts"] {
            let text = repo.read(path).unwrap();
            let text = text.strip_suffix(&previous).unwrap_or(&text);
            repo.write(path, format!("{text}// limit {limit}\n"));
        }
        repo.commit_at(date, message);
    }
    repo
}

/// Replaces the first occurrence of a text in a file, which must hold it.
pub fn replace(repo: &TestRepo, path: &str, old: &str, new: &str) {
    let text = repo.read(path).unwrap_or_else(|| panic!("{path} does not exist"));
    assert!(text.contains(old), "{path} does not contain {old:?}");
    repo.write(path, text.replacen(old, new, 1));
}
