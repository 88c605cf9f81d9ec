#!/bin/sh
# What tools/mutate.awk makes of a file: each fault on its own, and none where none can be.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/file.c" <<'C'
#include <stdio.h> /* a < b */
static const int limits[] = { 1, 2 };

/* Whether a < b, and
 * c == d. */
int less(int a, int b)
{
    int c = a + 12;
    assert(a < b &&
           b < 3);
    if (a <= b && c)
        puts("a < b");
    call(a);
    while (more())
        continue;
    return true;
}
C
awk -f tools/mutate.awk "$work/file.c" | cut -f 2- >"$work/made"

says() { # sentence, line, what is done, the line as it then is
    if grep -qxF "$(printf '%s\t%s\t%s' "$2" "$3" "$4")" "$work/made"; then
        echo "ok - $1"
    else
        echo "not ok - $1; what was made:"
        sed 's/^/    /' "$work/made"
    fi
}

says "a comparison takes in what it left out" 11 "'<=' becomes '<'" '    if (a < b && c)'
says "of two conditions one is enough" 11 "'&&' becomes '||'" '    if (a <= b || c)'
says "a condition is negated" 11 "the condition is negated" '    if (!(a <= b && c))'
says "a sum becomes a difference" 8 "'+' becomes '-'" '    int c = a - 12;'
says "a number becomes one more" 8 "'12' becomes '13'" '    int c = a + 13;'
says "a statement is left out" 13 "the statement is gone" '    ;'
says "so is one below its condition" 12 "the statement is gone" '        ;'
says "a loop ends that went on" 15 "'continue' becomes 'break'" '        break;'
says "what was true is false" 16 "'true' becomes 'false'" '    return false;'

# Comments, strings, assertions, what is not in a function: no fault in these.
wrong=$(cut -f 1 "$work/made" | grep -vxE '8|11|12|13|14|15|16')
count=$(wc -l <"$work/made")
if [ -z "$wrong" ] && [ "$count" -eq 10 ]; then
    echo "ok - strings, comments and assertions are left alone"
else
    echo "not ok - strings, comments and assertions are left alone; $count were made:"
    sed 's/^/    /' "$work/made"
fi
