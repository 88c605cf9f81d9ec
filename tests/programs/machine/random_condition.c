#include "tests/programs/machine/random_condition.h"

#include <string.h>

#include "base/array.h"

/*
 * What stands for an expression of a type; within, #i is one of integers, #b of
 * bigints, #z of smallints, #n of numerics, #t of texts, #w of timestamps, #l
 * of arrays, #? of truths. Those without any come first: at the end of the depth
 * there are only these.
 */
static const char *const integers[] = {
    "a", "\"order\"", "y", "nil", "2", "-3", "0", "2147483647", "-2147483647 - 1", NULL,
    "#i + #i", "#i - #i", "#i * #i", "#i / #i", "#i % #i", "-#i", "+#i", "abs(#i)", "#z + #i",
    "CASE WHEN #? THEN #i ELSE #i END", "CASE #i WHEN #i THEN #i END", "COALESCE(#i, #i)",
    "greatest(#i, #z)", "NULLIF(#i, #i)", "NULLIF(#i, #b)", "length(#t)", "cardinality(#l)", "array_length(#l, 1)", "#b::int",
    "#n::int", "#?::int", "(#t || s)::int", NULL,
};
static const char *const bigints[] = {
    "id", "x", "5000000000", "3::bigint", "-9223372036854775808", NULL,
    "#b + #i", "#i - #b", "#b * #b", "#b / #b", "#i::bigint + #i::bigint", "-(#i::bigint)",
    "#i::bigint * #i", "CASE WHEN #? THEN #i ELSE #b END", "abs(#i::bigint)",
    "least(#i::bigint, #i)", "NULLIF(#b, #i)", "COALESCE(#i, #b)", "#l[#i]", "#n::bigint", "mod(#b, #i)", NULL,
};
static const char *const smallints[] = {
    "z", "k", "-1::smallint", "32767::smallint", NULL,
    "#z + #z", "#z * #z", "-#z", "abs(#z)", "#i::smallint", "COALESCE(#z, #z)", NULL,
};
static const char *const numerics[] = {
    "m", "\"any number\"", "n", "0.5", "-7.25", "100000000000000000000", "3::numeric", NULL,
    "#n + #n", "#n - #i", "#n * #n", "#n / #n", "#n % #n", "-#n", "abs(#n)", "round(#n, 1)",
    "floor(#n)", "ceil(#n)", "sign(#n)", "#i::numeric", "#b::numeric / #n", "#n::numeric(6,1)", "NULLIF(#i, #n)",
    "greatest(#n, #i)", "CASE WHEN #? THEN #i ELSE #n END", "lower(#t)::numeric", NULL,
};
static const char *const texts[] = {
    "s", "\"it\"\"s\"", "u", "v", "'x'", "''", "'a''b'", "'\\'", "'5'", "'-- /*'", NULL,
    "#t || #t", "#t || #i", "#b || #t", "lower(#t)", "upper(#t)", "substr(#t, #i)",
    "substring(#t, #i, 2)", "lpad(#t, 3, #t)", "#t::varchar(2)", "#n::text", "#?::text",
    "#w::text", "#l::text", "#i::varchar(1)", "COALESCE(#t, #t)", "CASE WHEN #? THEN #t END",
    "least(#t, #t)", "NULLIF(#t, #t)", NULL,
};
static const char *const times[] = {
    "w", "d", "timestamp '2000-01-02'", NULL,
    "greatest(#w, #w)", "COALESCE(#w, #w)", "CASE WHEN #? THEN #w ELSE #w END", NULL,
};
static const char *const arrays[] = {
    "l", "e", "'{1,NULL}'::bigint[]", "'{}'::bigint[]", NULL,
    "#l || #l", "#l || #b", "#b || #l", "array_append(#l, #b)", "ARRAY[#b, #i, #b]",
    "COALESCE(#l, #l)", NULL,
};
static const char *const truths[] = {
    "f", "g", "true", "NULL::boolean", "f IS NULL", NULL,
    "#i = #i", "#i < #b", "#b >= #n", "#n <> #i", "#n <= #n", "#t = #t", "#t < #t", "#w > #w",
    "#l = #l", "#? = #?", "#z > #i", "#? AND #?", "#? OR #?", "NOT #?", "#i IS NULL",
    "#t IS NOT NULL", "#? IS TRUE", "#? IS NOT TRUE", "#? IS FALSE", "#? IS NOT FALSE",
    "#? IS UNKNOWN", "#i IS DISTINCT FROM #b", "#t IS NOT DISTINCT FROM #t", "#i IN (#i, #i)",
    "#n IN (#i, #n, NULL)", "#t NOT IN (#t, #t)", "#w IN (#w)", "#i BETWEEN #i AND #b",
    "#t NOT BETWEEN #t AND #t", "#t LIKE #t", "#t NOT LIKE #t || '%'", "#t LIKE '%x_' ESCAPE 'x'", "#b = ANY (#l)", "#i = ANY (#l)",
    "CASE WHEN #? THEN #? ELSE #? END", "CASE #t WHEN #t THEN #? WHEN #t THEN #? END",
    "COALESCE(#?, #?)", "#i::boolean", NULL,
};

static const char *const *rules_of(char type)
{
    switch (type) {
    case 'i':
        return integers;
    case 'b':
        return bigints;
    case 'z':
        return smallints;
    case 'n':
        return numerics;
    case 't':
        return texts;
    case 'w':
        return times;
    case 'l':
        return arrays;
    default:
        return truths;
    }
}

static size_t count_rules(const char *const *rules)
{
    size_t count = 0;

    while (rules[count])
        count++;
    return count;
}

static const char *draw_rule(struct dice *dice, char type, unsigned depth)
{
    const char *const *rules = rules_of(type);
    size_t leaves = count_rules(rules);

    if (depth > 0 && dice_throw(dice, 5) > 0)
        rules += leaves + 1;
    return rules[dice_throw(dice, (unsigned)count_rules(rules))];
}

static void expand(struct dice *, char type, unsigned depth, struct buffer *);

/* What stands for the text, in which #i is any integer, and so on. */
static void expand_rule(struct dice *dice, const char *rule, unsigned depth, struct buffer *out)
{
    for (const char *c = rule; *c; c++)
        if (*c != '#') {
            buffer_byte(out, *c);
        } else {
            buffer_byte(out, '(');
            expand(dice, *++c, depth > 0 ? depth - 1 : 0, out);
            buffer_byte(out, ')');
        }
}

static void expand(struct dice *dice, char type, unsigned depth, struct buffer *out)
{
    expand_rule(dice, draw_rule(dice, type, depth), depth, out);
}

void random_condition(struct dice *dice, unsigned depth, struct buffer *out)
{
    unsigned conjuncts = 1 + dice_throw(dice, 3);

    for (unsigned i = 0; i < conjuncts; i++) {
        if (i > 0)
            buffer_text(out, TEXT(" AND "));
        buffer_byte(out, '(');
        expand(dice, '?', depth, out);
        buffer_byte(out, ')');
    }
}

/* Statements; @ is another of them. A column is set to what has its type, or nearly. */
static const char *const statements[] = {
    "SELECT #i, #b, #n INTO vi, vb, vn FROM t WHERE #? ORDER BY s || #t, id LIMIT 1;",
    "SELECT #t, #w, #l, #? INTO vt, vw, vl, vf FROM t WHERE id = #b;",
    "SELECT count(*), sum(#i), avg(#n), min(#t), max(#w) INTO vb, vn, vn, vt, vw FROM t WHERE #?;",
    "SELECT max(#b), min(#n), count(DISTINCT #t), sum(#n) INTO vb, vn, vb, vn FROM t;",
    "UPDATE t SET a = #i, \"order\" = #z, m = #n WHERE #?;",
    "UPDATE t SET s = #t, \"it\"\"s\" = #t, f = #?, w = #w, l = #l WHERE id = #b;",
    "UPDATE t SET z = #z, \"any number\" = #n, a = #b::int WHERE #i = #i RETURNING t.id INTO vb;",
    "DELETE FROM t WHERE #?;",
    "INSERT INTO t (id, a, s, m) VALUES (vb, vi, vt, vn) ON CONFLICT DO NOTHING;",
    "INSERT INTO t (id, a, s) VALUES (x - vi, y, u) ON CONFLICT (id) DO UPDATE SET a = excluded.a + t.a;",
    "INSERT INTO t VALUES (vi, y, vi, k, n, vn, v, vt, vf, vw, e);",
    "FOR r IN SELECT id, #n AS c, #t AS d FROM t WHERE #? ORDER BY a + #i, id LOOP vn := vn + r.c; vt := r.d; @ END LOOP;",
    "FOR i IN 1..3 LOOP vi := vi * i; @ END LOOP;",
    "WHILE vi < 5 LOOP @ EXIT WHEN vi > 0; vi := 7; END LOOP;",
    "IF vi > y THEN @ ELSIF vf THEN @ ELSE @ END IF;",
    "CASE WHEN vt = u THEN @ ELSE @ END CASE;",
    "SELECT count(*) INTO vb FROM t WHERE EXISTS (SELECT 1 FROM t AS o WHERE o.id = t.id AND #?) OR #?;",
    "SELECT (SELECT max(#i) FROM t), #t INTO vi, vt FROM t WHERE #i NOT IN (SELECT #i FROM t AS o WHERE #?) ORDER BY id LIMIT 1 OFFSET 1;",
    "SELECT #i, (SELECT o.s FROM t AS o WHERE o.a = t.a ORDER BY o.id LIMIT 1) INTO vi, vt FROM t WHERE #? ORDER BY id;",
    "FOR r IN SELECT j.id, o.a AS c FROM t AS j LEFT JOIN t AS o ON o.a = j.a AND o.id > j.id WHERE o.s IS NULL ORDER BY j.id, o.id LOOP vi := r.c; @ END LOOP;",
    "FOR r IN SELECT #i AS c FROM t UNION SELECT #b FROM t WHERE #? UNION ALL SELECT vi ORDER BY c DESC LIMIT 3 LOOP vb := r.c; @ END LOOP;",
    "UPDATE t SET a = (SELECT min(#i) FROM t AS o WHERE o.id > t.id AND #?) WHERE a IN (SELECT y FROM t WHERE #?) OR #?;",
    "DELETE FROM t WHERE NOT EXISTS (SELECT #i FROM t AS o WHERE o.id = t.a OR #?) AND #?;",
    "INSERT INTO t (id, a, s) VALUES ((SELECT max(id) / 2 FROM t), #i, (SELECT min(s) FROM t WHERE #?));",
    "FOR r IN SELECT DISTINCT #t AS c FROM t WHERE #? ORDER BY c OFFSET 1 LOOP vt := vt || r.c; @ END LOOP;",
    "FOR r IN SELECT a, count(*) AS c FROM t GROUP BY a HAVING sum(#b) > (SELECT avg(#i) FROM t AS o WHERE o.a = t.a) ORDER BY a LOOP vb := r.c; END LOOP;",
    "IF EXISTS (SELECT id FROM t WHERE #?) AND vi IN (SELECT a FROM t) THEN @ END IF;",
    "vi := (SELECT #i FROM t WHERE id = #b);",
    "vi := y % (vi + 1);", "vb := x + vi;", "vn := n / vn;", "vt := vt || u || vi;", "vl := e || vl || vb;",
    "vf := NOT g OR vi = 0;", "vi := vl[vi];", "vt := substr(vt, vi, 3);", "vw := greatest(d, vw);", "vn := round(vn, 2);",
    "vi := vn;", "vi := vt::int;", "vk := vi;", "vk := -k - vk;",
    "IF NOT FOUND THEN RAISE EXCEPTION 'nothing %', vi; END IF;", "RETURN vt;", "PERFORM id FROM t WHERE #? FOR UPDATE;",
    NULL,
};

static void expand_statement(struct dice *dice, unsigned depth, struct buffer *out)
{
    const char *rule = statements[dice_throw(dice, (unsigned)count_rules(statements))];

    if (depth == 0 && strchr(rule, '@'))
        rule = "vi := vi + 1;";
    for (const char *c = rule; *c; c++) {
        if (*c == '@')
            expand_statement(dice, depth - 1, out);
        else if (*c == '#') {
            const char type[] = { '#', *++c, '\0' };
            expand_rule(dice, type, 1 + dice_throw(dice, 3), out);
        } else
            buffer_byte(out, *c);
    }
    buffer_byte(out, '\n');
}

void random_program(struct dice *dice, struct buffer *out)
{
    unsigned count = 1 + dice_throw(dice, 6);

    buffer_text(out, TEXT(RANDOM_TABLE "CREATE FUNCTION q(" RANDOM_PARAMETERS ") RETURNS text LANGUAGE plpgsql AS $$\n"
                                       "DECLARE vi int := 1; vb bigint := 2; vk smallint := 3; vn numeric := 1.5;\n"
                                       "    vt text := 'a'; vw timestamp := '2000-01-01'; vl bigint[] := '{1}';\n"
                                       "    vf boolean := true; r record;\n"
                                       "BEGIN\n"));
    for (unsigned i = 0; i < count; i++)
        expand_statement(dice, 2, out);
    buffer_text(out, TEXT("RETURN vt;\nEND $$;\n"));
}

static struct datum one_of(struct random *random, const int64_t *numbers, size_t count)
{
    return datum_of_int64(numbers[random_below(random, count)]);
}

static struct datum draw_integer(struct random *random, int64_t low, int64_t high)
{
    int64_t numbers[] = { low, high, 0, 1, 2, -3, -1, 7 };

    return one_of(random, numbers, ROW_COUNT(numbers));
}

static struct datum draw_text(struct random *random)
{
    static const char *const some[] = { "",    "x",  "it's", "\\", "5",
                                        "5.0", "-3", "Ab",   "true", "\303\251t\303\251" };

    return datum_of_text(text_of(some[random_below(random, ROW_COUNT(some))]));
}

static struct datum draw_array(struct random *random)
{
    static const int64_t numbers[] = { 3, 0, -1, INT64_MAX };
    static const uint64_t nulls = 2;

    return (struct datum){ .kind = DATUM_ARRAY,
                           .length = (uint32_t)random_below(random, 5),
                           .as.array = { numbers, random_below(random, 2) ? &nulls : NULL } };
}

void random_row(struct random *random, struct datum row[RANDOM_COLUMNS])
{
    int64_t day_ns = INT64_C(86400) * 1000000000, year_2000_ns = 10957 * day_ns;

    row[0] = draw_integer(random, INT64_MIN, INT64_MAX);
    row[1] = draw_integer(random, INT32_MIN, INT32_MAX);
    row[2] = draw_integer(random, -5, 5);
    row[3] = draw_integer(random, INT16_MIN, INT16_MAX);
    row[4] = datum_of_numeric((struct numeric){ random_between(random, -99, 300) * 25, 2 });
    row[5] = datum_of_numeric((struct numeric){ random_between(random, -9, 9), 0 });
    row[6] = draw_text(random);
    row[7] = draw_text(random);
    row[8] = datum_of_bool(random_below(random, 2));
    row[9] = datum_of_timestamp(year_2000_ns + random_between(random, 0, 4) * day_ns);
    row[10] = draw_array(random);
    for (int i = 1; i < RANDOM_COLUMNS; i++)
        if (random_below(random, 7) == 0)
            row[i] = datum_null();
}
