/**
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
