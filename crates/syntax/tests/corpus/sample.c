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

#define OPTION_FREE 0x04         /* Do not free it on
                                  * a failure. */
#define OPTION_PUSH 0x08         /* Do not take
                                  * replies. */
#define OPTION_LAST 0x10

int handle(int event) {
#define CHECK_DELETED() if (event & OPTION_FREE) {\
        event = 0;\
        return 0; \
    }

    if (event & OPTION_PUSH) {
        CHECK_DELETED();
    }
    return event;
}
