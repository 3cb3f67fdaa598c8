//! Code whose analysis would not end without a budget.

use std::fmt::Write;
use std::thread;

use crate::program::Program;

/// Indexes one file on a thread with a large stack, as the index does. Returns whether the analysis
/// was cut off, and the number of edges.
fn index(path: &str, text: &str) -> (bool, usize) {
    let run = || {
        let program = Program::of([(path, text)]);
        (!program.cut_short().is_empty(), program.edges().len())
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(32 * 1024 * 1024);
        builder.spawn_scoped(scope, run).unwrap().join().unwrap()
    })
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        writeln!(text, "{}", line(at)).unwrap();
        text
    })
}

#[test]
fn long_chains_of_calls_are_followed_without_overflowing() {
    let text = lines(3000, |at| format!("def f{at}(x):\n    return f{}(x)", at + 1));
    let (_, edges) = index("chain.py", &text);
    assert_eq!(edges, 2999);
    let text = lines(3000, |at| format!("function f{at}(g) {{ return g(() => f{}(g)) }}", at + 1));
    index("chain.js", &text);
}

#[test]
fn loops_in_loops_end() {
    let mut text = String::from("def f(a): return a\nx = []\n");
    for depth in 0..40 {
        writeln!(text, "{}for i{depth} in x:", "  ".repeat(depth)).unwrap();
    }
    writeln!(text, "{}x = f(x) + [f]", "  ".repeat(40)).unwrap();
    text.push_str("def after(): f(1)\n");
    let (is_cut, edges) = index("loops.py", &text);
    assert!(is_cut, "what was not followed is told");
    assert_eq!(edges, 3, "what comes after it is still followed");
}

#[test]
fn families_that_share_parents_do_not_double() {
    let class = |at: usize| match at {
        0 => "class A0:\n    def m(self): pass\nclass B0(A0): pass".to_owned(),
        at => format!("class A{at}(A{0}, B{0}): pass\nclass B{at}(A{0}, B{0}): pass", at - 1),
    };
    let text = format!("{}A38().m()\n", lines(39, class));
    let (is_cut, _) = index("family.py", &text);
    assert!(!is_cut);
}

#[test]
fn thousands_of_namesakes_are_one_value() {
    let text = format!(
        "class A {{\n{}  void all() {{ run(); run(); }}\n}}\n",
        lines(3000, |at| format!("  void run(int a{at}) {{ run(); }}"))
    );
    index("Overloads.java", &text);
}

#[test]
fn values_that_grow_with_each_step_end() {
    let text = format!(
        "const f0 = (x) => x;\n{}",
        lines(400, |at| {
            format!("const f{} = (x) => [f{at}(x), f{at}({{ a: f{at}, b: [x, f{at}] }})];", at + 1)
        })
    );
    index("grow.js", &text);
}
