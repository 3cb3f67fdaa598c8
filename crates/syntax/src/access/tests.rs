use super::*;

/// Each mention of `pay` in a text, as `line:kind`.
fn kinds(language: &str, text: &str) -> String {
    let language = Language::from_name(language).unwrap();
    let shown = find_accesses(language, text, "pay").into_iter().map(|access| {
        let line = text[..access.span.start as usize].matches('\n').count() + 1;
        let receiver = match access.receiver.join(".") {
            none if none.is_empty() => none,
            names => format!(" of {names}"),
        };
        let literal = access.literal.map(|value| format!(" = {value}")).unwrap_or_default();
        format!("{line}:{:?}{receiver}{literal}", access.kind)
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn typescript_tells_reads_from_writes() {
    let text = "import { pay } from './a';\nuser.pay = null;\nuser.pay++;\ndelete user.pay;\nlet a = user.pay;\n\
        user.pay(1);\nthis.x.pay?.(2);\nnew pay();\nlet b: pay = { pay: 1 };\nconst { pay: c } = user;\n\
        [user.pay] = [1];\nclass D extends pay {}\nuser.pay.other = 1;\n<pay/>;\n";
    let expected = "1:Import, 2:Write of user = null, 3:Write of user, 4:Write of user, 5:Read of user, \
        6:Call of user, 7:Call of this.x, 8:Construct, 9:Type, 9:Write = 1, 10:Read, 11:Write of user, 12:Type, \
        13:Read of user, 14:Call";
    assert_eq!(kinds("TSX", text), expected);
}

#[test]
fn javascript_members_have_keys_and_texts() {
    let text = "user[pay] = null;\nlet a = user[pay];\nuser[pay](1);\ndelete user[pay];\n\
        this.user['pay'] = 1;\nuser[\"pay\"]++;\nlet b = user['pay'];\nuser['pay']();\n\
        let c = { pay };\nlet d = { [pay]: 1 };\nlet e = { 'pay': 1 };\nconst { 'pay': f } = user;\n\
        const { [pay]: g } = user;\nf({ pay: 1 });\nclass A { [pay] = 1 }\nlet h = 'pay';\n";
    let shown = find_accesses(Language::from_name("JavaScript").unwrap(), text, "pay").into_iter();
    let shown: Vec<String> = shown
        .map(|access| {
            let line = text[..access.span.start as usize].matches('\n').count() + 1;
            let of = access.receiver.join(".");
            let literal = access.literal.unwrap_or_default();
            format!("{line} {:?} {:?} {of} {literal}", access.kind, access.form)
                .trim_end()
                .to_owned()
        })
        .collect();
    let expected = [
        "1 Write Key  null",
        "2 Read Key",
        "3 Call Key",
        "4 Write Key",
        "5 Write Text this.user 1",
        "6 Write Text user",
        "7 Read Text user",
        "8 Call Text user",
        "9 Write Shorthand",
        "10 Write Key  1",
        "11 Write Text  1",
        "12 Read Text",
        "13 Read Key",
        "14 Write Entry  1",
        "15 Read Plain",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn rust_tells_reads_from_writes() {
    let text = "use a::pay;\nfn f(user: &mut User) {\n  user.pay = 1;\n  user.pay += 1;\n  let a = user.pay;\n\
        \x20 user.pay(1);\n  let b = User { pay: 1 };\n  go(&mut user.pay);\n  user.pay.other = 1;\n  pay!(x);\n}\n\
        struct User { pay: u32 }\n";
    let expected = "1:Import, 3:Write of user = 1, 4:Write of user, 5:Read of user, 6:Call of user, \
        7:Write = 1, 8:Write of user, 9:Read of user, 10:Call, 12:Declaration";
    assert_eq!(kinds("Rust", text), expected);
    let types = "fn f(a: pay) -> Vec<pay> { pay { x: 1 } }\nimpl pay {}\n";
    assert_eq!(kinds("Rust", types), "1:Type, 1:Type, 1:Construct, 2:Type");
}

#[test]
fn python_go_java_c_and_others_do_too() {
    let cases = [
        (
            "Python",
            "from a import pay\nuser.pay = None\nuser.pay += 1\na = user.pay\nuser.pay(1)\nf(pay=1)\nuser.pay.x = 1\n",
            "1:Import, 2:Write of user = None, 3:Write of user, 4:Read of user, 5:Call of user, 6:Write = 1, 7:Read of user",
        ),
        (
            "Go",
            "package a\nfunc f(user *User) {\n\tuser.pay = nil\n\tuser.pay++\n\ta := user.pay\n\tuser.pay(1)\n\tb := User{pay: 1}\n\tuser.pay, c = 1, 2\n}\n",
            "3:Write of user = nil, 4:Write of user, 5:Read of user, 6:Call of user, 7:Write = 1, 8:Write of user",
        ),
        (
            "Java",
            "class A {\n  int pay;\n  void f() {\n    user.pay = null;\n    this.pay++;\n    int a = user.pay;\n    user.pay(1);\n    new pay();\n  }\n}\n",
            "2:Declaration, 4:Write of user = null, 5:Write of this, 6:Read of user, 7:Call of user, 8:Construct",
        ),
        (
            "C",
            "void f(struct u *user) {\n  user->pay = NULL;\n  user->pay++;\n  int a = user->pay;\n  user->pay(1);\n}\n",
            "2:Write of user = NULL, 3:Write of user, 4:Read of user, 5:Call of user",
        ),
        (
            "C#",
            "class A {\n  void F() {\n    user.pay = null;\n    user.pay++;\n    var a = user.pay;\n    user.pay(1);\n    new pay();\n  }\n}\n",
            "3:Write of user = null, 4:Write of user, 5:Read of user, 6:Call of user, 7:Construct",
        ),
        (
            "PHP",
            "<?php\n$user->pay = null;\n$user->pay++;\n$a = $user->pay;\n$user->pay(1);\nnew pay();\n",
            "2:Write of $user = null, 3:Write of $user, 4:Read of $user, 5:Call of $user, 6:Construct",
        ),
        (
            "Ruby",
            "user.pay = nil\na = user.pay\nuser.pay(1)\n",
            "1:Write of user = nil, 2:Call of user, 3:Call of user",
        ),
        (
            "Kotlin",
            "fun f() {\n  user.pay = null\n  val a = user.pay\n  user.pay(1)\n}\n",
            "2:Write of user = null, 3:Read of user, 4:Call of user",
        ),
        (
            "Swift",
            "func f() {\n  user.pay = nil\n  let a = user.pay\n  user.pay(1)\n}\n",
            "2:Write of user = nil, 3:Read of user, 4:Call of user",
        ),
        (
            "Lua",
            "user.pay = nil\nlocal a = user.pay\nuser.pay(1)\nuser:pay(2)\n",
            "1:Write of user = nil, 2:Read of user, 3:Call of user, 4:Call of user",
        ),
    ];
    for (language, text, expected) in cases {
        assert_eq!(kinds(language, text), expected, "{language}");
    }
}

#[test]
fn receivers_are_taken_apart() {
    let text = "self.config().pay;\na.b.c.pay;\nx[0].pay;\nf(g(1), 2).pay;\na.b.c.d.e.pay;\n";
    let expected = "1:Read of self.config, 2:Read of a.b.c, 3:Read, 4:Read of f, 5:Read";
    assert_eq!(kinds("TypeScript", text), expected);
}

#[test]
fn a_literal_names_the_type_of_its_fields() {
    let types = |language: &str, text: &str| -> Vec<Option<String>> {
        let language = Language::from_name(language).unwrap();
        find_accesses(language, text, "pay").into_iter().map(|one| one.constructed).collect()
    };
    assert_eq!(types("Rust", "fn f() { User { pay: 1 }; }"), [Some("User".into())]);
    assert_eq!(types("Go", "package a\nvar b = User{pay: 1}\n"), [Some("User".into())]);
    assert_eq!(types("Rust", "fn f() { User { name: a.pay }; }"), [None]);
}
