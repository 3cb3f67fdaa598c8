//! Tests of the facts of C files.

use crate::Language::C;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"/**
 * @file
 * Reads things.
 * @see spec::io/read
 */
#include <stdio.h>
#include "local.h"

#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/** A node.
 * \see spec::io/node */
struct node { int value; struct node *next, *prev; };
typedef struct { int x; } point_t;
typedef unsigned long size;
enum color { RED, GREEN = 2 };
static int counter = 0;
extern int shared;
int parse(const char *text);

/// Opens.
static struct node *open_it(struct node *n, int (*cb)(int)) {
    struct node *other = make(n->value);
    cb(1);
    other->next = n;
    if (n) { printf("%d", MAX(1, 2)); }
    return other->next->run(n);
}
// @see spec::not/a-doc
int main(void) { return 0; }
"##;

#[test]
fn declarations() {
    check(
        C,
        TEXT,
        r##"
        module "@file\nReads things.\n@see spec::io/read"
        constant LIMIT pub exported :9 `#define LIMIT 10`
        macro MAX pub exported :10 `#define MAX(a, b) ((a) > (b) ? (a) : (b))`
        struct node pub exported :14 `struct node` "A node.\n\see spec::io/node"
        field node.value pub exported :14 `int value`
        field node.next pub exported :14 `struct node *next, *prev`
        field node.prev pub exported :14 `struct node *next, *prev`
        struct point_t pub exported :15 `typedef struct point_t`
        field point_t.x pub exported :15 `int x`
        type size pub exported :16 `typedef unsigned long size`
        enum color pub exported :17 `enum color`
        variant color.RED pub exported :17 `RED`
        variant color.GREEN pub exported :17 `GREEN = 2`
        variable counter static :18 `static int counter = 0`
        variable shared pub exported :19 `extern int shared`
        function parse pub exported :20 `int parse(const char *text)`
        function open_it static :23 `static struct node *open_it(struct node *n, int (*cb)(int))` "Opens."
        function main pub exported :31 `int main(void)`
        include stdio.h
        include local.h
        see spec::io/read on module :4
        see spec::io/node on node :13
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        C,
        TEXT,
        r##"
        param parse#0 text: char
        param open_it#0 n: node
        param open_it#1 cb: int
        param main#0 : void
        open_it: #0 ~make(%n.value)
        open_it: other:node = #0
        open_it: #1 %cb()
        open_it: other:node.next = %n
        open_it?: #2 ~MAX()
        open_it?: #3 ~printf("%d", #2)
        open_it: #4 other:node.next.run(%n)
        open_it: return #4
        "##,
    );
}
