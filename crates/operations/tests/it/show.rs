//! `code show`: the source of symbols, ranges and files, with who uses it.

use base::ProblemCode;
use serde_json::json;
use testkit::{TestRepo, check};

const SHOP: &str = "
//- src/pay.ts
import { log } from './log';

/** Takes money once. */
export function charge(amount: number): boolean {
  log('charge');
  return amount > 0;
}

export class Till {
  open = false;

  take(amount: number): boolean {
    return charge(amount);
  }
}
//- src/log.ts
export function log(text: string): void {
  console.log(text);
}
//- test/pay.test.ts
import { charge } from '../src/pay';

test('charges', () => {
  charge(3);
});
";

#[test]
fn a_symbol_is_shown_with_its_comment_and_its_callers() {
    check(
        &TestRepo::new(SHOP),
        "code show src/pay.ts#charge",
        "
        src/pay.ts
        3  /** Takes money once. */
        4  export function charge(amount: number): boolean {
        5    log('charge');
        6    return amount > 0;
        7  }
        used by Till.take 13 · 1 test calls it
        basis: fresh · main @ COMMIT
        ",
    );
}

/// No call is written where a property is read, so the graph knows no line of it.
#[test]
fn a_property_is_used_on_the_lines_that_name_it() {
    let repo = TestRepo::new(
        "
        //- till.py
        class Till:
            @property
            def total(self):
                return 3

            def receipt(self):
                total = self.total
                return total

            def __iter__(self):
                return iter([])


        def print_total(till: Till):
            print('total')
            print(till.total)


        def each(till: Till):
            for one in till:
                print(one)
        ",
    );
    check(
        &repo,
        "code show till.py#Till.total --with callers",
        "
        till.py
        2      @property
        3      def total(self):
        4          return 3
        2 symbols and 0 tests use it
          till.py
            7  Till.receipt  total = self.total
            16  print_total  print(till.total)
        basis: fresh · main @ COMMIT
        ",
    );
    let lines = |target: &str| -> Vec<u64> {
        let data = repo.data("impact", json!({"target": target}));
        let rows = data["rows"].as_array().unwrap().iter();
        rows.map(|row| row["line"].as_u64().unwrap()).collect()
    };
    assert_eq!(lines("till.py#Till.total"), [7, 16]);
    // An iteration names nothing: the line of the function itself.
    assert_eq!(lines("till.py#Till.__iter__"), [19]);
}

#[test]
fn several_targets_print_their_path_once() {
    check(
        &TestRepo::new(SHOP),
        "code show src/pay.ts:1-1 src/pay.ts:13 src/log.ts",
        "
        src/pay.ts
        1  import { log } from './log';
        12    take(amount: number): boolean {
        13      return charge(amount);
        14    }

        src/log.ts
        1  export function log(text: string): void {
        2    console.log(text);
        3  }
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn callers_callees_tests_and_history_are_added_on_request() {
    check(
        &TestRepo::new(SHOP),
        "code show charge --with callers,callees,tests,history",
        "
        src/pay.ts
        3  /** Takes money once. */
        4  export function charge(amount: number): boolean {
        5    log('charge');
        6    return amount > 0;
        7  }
        1 symbol and 1 test use it
          src/pay.ts
            13  Till.take  return charge(amount);
          test/pay.test.ts
            4  top level  charge(3);
        calls
          src/log.ts
            1  log  export function log(text: string): void
        tests
          test/pay.test.ts  calls it, names charge (2 times), same name
        history
          COMMIT  2026-01-02T03:04:05Z  start
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn what_cannot_be_shown_says_what_can() {
    let repo = TestRepo::new(SHOP);
    let refused =
        |target: &str| repo.call_op("code.show", json!({"targets": [target]})).unwrap_err();
    assert_eq!(refused("src").code, ProblemCode::ValidationError);
    assert_eq!(refused("src/pay.ts:0-3").code, ProblemCode::ValidationError);
    assert_eq!(refused("src/pay.ts:9-3").code, ProblemCode::ValidationError);
    assert_eq!(refused("src/pay.ts:90-99").code, ProblemCode::NotFound);
    assert_eq!(refused("src/pay.ts#chrge").code, ProblemCode::NotFound);
    assert_eq!(
        repo.call_op("code.show", json!({"targets": []})).unwrap_err().code,
        ProblemCode::ValidationError
    );
}

#[test]
fn a_long_file_is_cut_after_a_whole_line_and_says_how_to_go_on() {
    let long: String =
        (0..4000).map(|n| format!("export const value_{n} = '{n:020}';\n")).collect();
    let repo = TestRepo::new("//- README.md\nx\n");
    repo.write("src/long.ts", &long);
    let data = repo.data("code.show", json!({"targets": ["src/long.ts"]}));
    let part = &data["parts"][0];
    let (last, cut) = (part["last_line"].as_u64().unwrap(), part["lines_cut"].as_u64().unwrap());
    assert_eq!(last + cut, 4000);
    let text = part["text"].as_str().unwrap();
    assert!(text.len() <= 100 * 1024 && text.ends_with("';"), "{} bytes", text.len());
    assert_eq!(text.lines().count() as u64, last);
    assert_eq!(data["is_cut"], json!(true));
}

/// A file of eighty functions of fourteen lines.
fn long_file() -> String {
    let body = |number: usize| {
        let mut lines = vec![format!("export function step{number}() {{")];
        lines.extend((0..12).map(|line| format!("  work({number}, {line});")));
        lines.push("}\n".into());
        lines.join("\n")
    };
    (0..80).map(body).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_long_file_is_shown_without_function_bodies() {
    let repo = TestRepo::new("//- README.md\nx\n");
    repo.write("src/long.ts", long_file());
    repo.commit("long");
    let text = repo.text("code show src/long.ts");
    assert!(text.contains("1  export function step0() {\n  … 2-13\n"), "{text}");
    assert!(text.contains("960 lines folded"), "{text}");
    assert!(text.contains("--whole"), "{text}");
    assert!(!text.contains("work("), "{text}");
    assert!(repo.text("code show src/long.ts --whole").contains("work(79, 11);"));
}

#[test]
fn a_long_type_is_shown_without_the_bodies_of_its_methods_and_a_long_function_whole() {
    let repo = TestRepo::new("//- README.md\nx\n");
    let body: String = (0..12).map(|line| format!("    work({line});\n")).collect();
    let methods: String = (0..30).map(|n| format!("  step{n}() {{\n{body}  }}\n")).collect();
    repo.write("src/long.ts", format!("export class Long {{\n{methods}}}\n"));
    let calls: String = (0..400).map(|n| format!("  call({n});\n")).collect();
    repo.write("src/run.ts", format!("export function run() {{\n{calls}}}\n"));
    repo.commit("long");
    let text = repo.text("code show src/long.ts#Long");
    assert!(text.contains("step29() {") && !text.contains("work("), "{text}");
    assert!(repo.text("code show src/long.ts#Long.step7").contains("work(11);"));
    assert!(repo.text("code show src/run.ts#run").contains("call(399);"));
}

#[test]
fn words_say_which_lines_of_long_source_are_wanted() {
    let repo = TestRepo::new("//- README.md\nx\n");
    let long = long_file().replace("work(7, 3);", "expireToken(7);");
    repo.write("src/long.ts", long);
    repo.commit("long");
    let text = repo.text("code show src/long.ts --about 'expiry of the token'");
    assert!(text.contains("expireToken(7);"), "{text}");
    assert!(!text.contains("work(12,"), "{text}");
}
