/*
 * The shapes of histories: in native text and binary, compressed, and in formats of other tools.
 */
#include "tests/hostile/shapes_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/random.h"

/* --- Pieces ------------------------------------------------------------------------------------- */

static void header(FILE *out)
{
    fputs("{\"ordeal-history\":1}\n", out);
}

/* One table t of an integer v and a text, with so many rows at first. */
static void table_header(FILE *out, uint64_t rows)
{
    fputs("{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\",\"s\":\"text\"},"
          "\"key\":[\"id\"]}}",
          out);
    for (uint64_t i = 0; i < rows; i++)
        fprintf(out, "%s\"t/%" PRIu64 "\":{\"id\":%" PRIu64 ",\"v\":%" PRIu64 ",\"s\":\"aaaaaaaaaaaaaaaaaaaaaaa\"}",
                i ? "," : ",\"initial\":{", i, i, i);
    fputs(rows ? "}}\n" : "}\n", out);
}

/* The beginning of a committed transaction, up to its operations. */
static void begin(FILE *out, uint64_t txn, uint64_t session)
{
    fprintf(out, "{\"txn\":%" PRIu64 ",\"session\":%" PRIu64 ",\"status\":\"ok\",\"ops\":[", txn, session);
}

static void end(FILE *out)
{
    fputs("]}\n", out);
}

static void one_select(FILE *out, const char *where)
{
    table_header(out, 1000);
    begin(out, 1, 0);
    fprintf(out, "{\"select\":\"t\",\"where\":\"%s", where);
}

static void end_select(FILE *out)
{
    fputs("\",\"rows\":{}}", out);
    end(out);
}

/* --- Compressed input that expands ---------------------------------------------------------------- */

struct packing {
    FILE *out;
    ZSTD_CCtx *context;
    char packed[1 << 16];
};

static void pack(struct packing *packing, const char *bytes, size_t size, ZSTD_EndDirective last)
{
    ZSTD_inBuffer in = { bytes, size, 0 };
    size_t left;

    do {
        ZSTD_outBuffer packed = { packing->packed, sizeof packing->packed, 0 };
        left = ZSTD_compressStream2(packing->context, &packed, &in, last);
        assert(!ZSTD_isError(left));
        fwrite(packing->packed, 1, packed.pos, packing->out);
    } while (in.pos < in.size || (last == ZSTD_e_end && left > 0));
}

/* Some text, then so many megabytes of another, over and over. */
static void expanding(FILE *out, const char *first, const char *again, uint64_t megabytes)
{
    struct packing packing = { .out = out, .context = ZSTD_createCCtx() };
    size_t length = strlen(again), room = ((size_t)1 << 20) / length * length;
    char *bytes = malloc(room);

    assert(packing.context && bytes);
    for (size_t i = 0; i < room; i += length)
        memcpy(bytes + i, again, length);
    pack(&packing, first, strlen(first), ZSTD_e_continue);
    for (uint64_t i = 0; i < megabytes; i++)
        pack(&packing, bytes, room, ZSTD_e_continue);
    pack(&packing, "", 0, ZSTD_e_end);
    ZSTD_freeCCtx(packing.context);
    free(bytes);
}

static void expanding_line(FILE *out, uint64_t size)
{
    expanding(out, "{\"ordeal-history\":1,\"producer\":\"", "a", size);
}

static void expanding_blanks(FILE *out, uint64_t size)
{
    expanding(out, "{\"ordeal-history\":1}\n", " ", size);
}

static void expanding_operations(FILE *out, uint64_t size)
{
    expanding(out, "{\"ordeal-history\":1}\n{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":1}",
              ",{\"w\":\"x\",\"v\":1}", size);
}

static void expanding_zeros(FILE *out, uint64_t size)
{
    expanding(out, "\x89OHD\r\n\x1a\n", "\x01", size);
}

static void expanding_plume(FILE *out, uint64_t size)
{
    expanding(out, "", "w(1,5,0,1)\nr(1,5,1,2)\n", size);
}

static void expanding_edn(FILE *out, uint64_t size)
{
    expanding(out, "", "{:type :ok :process 0 :f :txn :value [[:append 8 1]]}\n", size);
}

/* --- Keys that collide ---------------------------------------------------------------------------- */

#define ODD_1 UINT64_C(0x9e3779b97f4a7c15)
#define ODD_2 UINT64_C(0xd6e8feb86659fd93)

static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static bool is_plain(uint64_t word)
{
    if (word & UINT64_C(0x8080808080808080))
        return false;
    for (unsigned i = 0; i < 8; i++) {
        unsigned char byte = (unsigned char)(word >> 8 * i);
        if (byte < ' ' || byte > '~' || strchr("\"\\/%", byte))
            return false;
    }
    return true;
}

/* A letter, a to p, for each four bits of a number. */
static uint64_t letters(uint64_t number)
{
    number = (number | number << 16) & UINT64_C(0x0000ffff0000ffff);
    number = (number | number << 8) & UINT64_C(0x00ff00ff00ff00ff);
    number = (number | number << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return number + UINT64_C(0x6161616161616161);
}

/*
 * Texts of 16 bytes with one hash, if hash_bytes() of base/hash.h had no key: the second word undoes
 * what the first did.
 */
static void colliding_keys(FILE *out, uint64_t size)
{
    uint64_t made = 0, start = 16 * ODD_1 + 1;

    header(out);
    for (uint64_t i = 0; made < size; i++) {
        uint64_t word = letters(i & 0xffffffff);
        uint64_t second = (fold(start ^ word, ODD_2) + word) ^ UINT64_C(0x5555555555555555);

        if (!is_plain(second))
            continue;
        made++;
        begin(out, made, made % 10);
        fprintf(out, "{\"w\":\"%.8s%.8s\",\"v\":1}", (const char *)&word, (const char *)&second);
        end(out);
    }
}

/* --- Tokens and nesting ---------------------------------------------------------------------------- */

static void giant_key(FILE *out, uint64_t size)
{
    header(out);
    begin(out, 1, 0);
    fputs("{\"w\":\"", out);
    repeat(out, "key ", size / 4);
    fputs("\",\"v\":1}", out);
    end(out);
}

static void giant_value(FILE *out, uint64_t size)
{
    header(out);
    begin(out, 1, 0);
    fputs("{\"w\":\"x\",\"v\":\"", out);
    repeat(out, "\\u00e9\\n", size / 8);
    fputs("\"}", out);
    end(out);
}

static void giant_number(FILE *out, uint64_t size)
{
    header(out);
    begin(out, 1, 0);
    fputs("{\"w\":\"x\",\"v\":1", out);
    repeat(out, "0000000000", size / 10);
    fputs("}", out);
    end(out);
}

static void giant_predicate(FILE *out, uint64_t size)
{
    one_select(out, "v = 1");
    repeat(out, " OR v = 17", size / 10);
    end_select(out);
}

static void giant_name(FILE *out, uint64_t size)
{
    one_select(out, "a");
    repeat(out, "aaaaaaaaaa", size / 10);
    end_select(out);
}

static void deep_predicate(FILE *out, uint64_t size)
{
    one_select(out, "");
    repeat(out, "(", size);
    fputs("v > 1", out);
    repeat(out, ")", size);
    end_select(out);
}

static void deep_not(FILE *out, uint64_t size)
{
    one_select(out, "");
    repeat(out, "NOT ", size);
    fputs("v > 1", out);
    end_select(out);
}

static void deep_minus(FILE *out, uint64_t size)
{
    one_select(out, "v > ");
    repeat(out, "- ", size);
    fputs("1", out);
    end_select(out);
}

static void deep_case(FILE *out, uint64_t size)
{
    one_select(out, "v > ");
    repeat(out, "CASE WHEN true THEN ", size);
    fputs("1", out);
    repeat(out, " END", size);
    end_select(out);
}

/* Doubles with each step, if nothing bounds it. */
static void growing_text(FILE *out, uint64_t size)
{
    one_select(out, "s = ");
    for (uint64_t i = 0; i < size; i++)
        fputs("replace(", out);
    fputs("'aa'", out);
    repeat(out, ", 'a', 'aaaa')", size);
    end_select(out);
}

static void backtracking_like(FILE *out, uint64_t size)
{
    one_select(out, "s LIKE '");
    repeat(out, "%a", size);
    fputs("%b'", out);
    end_select(out);
}

static void giant_numeric(FILE *out, uint64_t size)
{
    one_select(out, "v > 1");
    repeat(out, "0000000000", size / 10);
    fputs(".5 * 3", out);
    end_select(out);
}

static void deep_arrays(FILE *out, uint64_t size)
{
    header(out);
    begin(out, 1, 0);
    fputs("{\"w\":\"x\",\"v\":", out);
    repeat(out, "[", size);
}

static void deep_objects(FILE *out, uint64_t size)
{
    header(out);
    repeat(out, "{\"a\":", size);
}

static void deep_edn(FILE *out, uint64_t size)
{
    fputs("{:type :ok :process 0 :f :txn :value ", out);
    repeat(out, "[", size);
    repeat(out, "]", size);
    fputs("}\n", out);
}

static void deep_edn_tags(FILE *out, uint64_t size)
{
    fputs("{:type :ok :process 0 :f :txn :value ", out);
    repeat(out, "#a ", size);
    fputs("1}\n", out);
}

static void deep_dbcop(FILE *out, uint64_t size)
{
    fputs("[[{\"events\":", out);
    repeat(out, "[{\"a\":", size);
}

static void deep_chronos(FILE *out, uint64_t size)
{
    fputs("[{\"tid\":67,\"sid\":\"s\",\"ops\":", out);
    repeat(out, "[", size);
}

static void huge_numbers(FILE *out, uint64_t size)
{
    static const char *const numbers[] = { "9223372036854775807", "-9223372036854775808",
                                           "9223372036854775806", "-1", "0", "4294967295" };

    header(out);
    for (uint64_t i = 0; i < size; i++) {
        const char *number = numbers[i % 6];
        fprintf(out,
                "{\"txn\":%s,\"session\":%s,\"status\":\"ok\",\"at\":[%s,%s],\"ops\":[{\"w\":\"%s\",\"v\":%s,"
                "\"at\":[%s,%s]}],\"ts\":%s}\n",
                i < 6 ? number : "1", i % 7 == 3 ? "9223372036854775807" : "0", numbers[1 + i % 4],
                numbers[0], number, number, numbers[1], numbers[0], number);
    }
}

static void unterminated_text(FILE *out, uint64_t size)
{
    header(out);
    fputs("{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"", out);
    repeat(out, "x", size);
}

static void unterminated_list(FILE *out, uint64_t size)
{
    header(out);
    begin(out, 1, 0);
    fputs("{\"w\":\"x\",\"v\":[1", out);
    repeat(out, ",1", size);
}

static void rubbish(FILE *out, uint64_t size)
{
    struct random_key key = random_key_of_seed(size);
    struct random random;

    random_init(&random, &key);
    for (uint64_t i = 0; i < size; i += 8) {
        uint64_t word = random_next(&random);
        fwrite(&word, 1, sizeof word, out);
    }
}

static void rubbish_zst(FILE *out, uint64_t size)
{
    fwrite("\x28\xb5\x2f\xfd", 1, 4, out);
    rubbish(out, size);
}

static void rubbish_oh(FILE *out, uint64_t size)
{
    fwrite("\x89OHD\r\n\x1a\n\x01\0\0\0\x30\0\0", 1, 15, out);
    rubbish(out, size);
}

/* --- Many of one thing ---------------------------------------------------------------------------- */

static void tiny_transactions(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, 0);
        end(out);
    }
}

static void many_keys(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, i % 20);
        fprintf(out, "{\"w\":\"%" PRIu64 "\",\"v\":1},{\"r\":\"%" PRIu64 "\",\"v\":1}", i, i / 2);
        end(out);
    }
}

static void many_sessions(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, i * 7919);
        fprintf(out, "{\"r\":\"x\",\"v\":%" PRIu64 "},{\"w\":\"x\",\"v\":%" PRIu64 "}", i, i + 1);
        end(out);
    }
}

static void many_tables(FILE *out, uint64_t size)
{
    fputs("{\"ordeal-history\":1,\"tables\":{", out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "%s\"t%" PRIu64 "\":{\"columns\":{\"id\":\"bigint\"},\"key\":[\"id\"]}", i ? "," : "", i);
    fputs("}}\n", out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, 0);
        fprintf(out, "{\"select\":\"t%" PRIu64 "\",\"where\":\"id > 0\",\"rows\":{}}", i);
        end(out);
    }
}

static void many_columns(FILE *out, uint64_t size)
{
    fputs("{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\"", out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, ",\"c%" PRIu64 "\":\"bigint\"", i);
    fputs("},\"key\":[\"id\"]}}}\n", out);
}

static void many_operations(FILE *out, uint64_t size)
{
    header(out);
    begin(out, 1, 0);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "%s{\"%s\":\"%" PRIu64 "\",\"v\":%" PRIu64 "}", i ? "," : "", i % 2 ? "r" : "w",
                i % 100, i % 2 ? i - 1 : i);
    end(out);
}

static void many_initial(FILE *out, uint64_t size)
{
    table_header(out, size);
}

static void long_list(FILE *out, uint64_t size)
{
    header(out);
    begin(out, 1, 0);
    fputs("{\"r\":\"x\",\"v\":[0", out);
    for (uint64_t i = 1; i < size; i++)
        fprintf(out, ",%" PRIu64, i);
    fputs("]}", out);
    end(out);
}

static void version_order(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, i % 9);
        fprintf(out, "{\"w\":\"x\",\"v\":%" PRIu64 "}", i);
        end(out);
    }
    fputs("{\"version-order\":{\"x\":[0", out);
    for (uint64_t i = 1; i < size; i++)
        fprintf(out, ",%" PRIu64, i * 7919 % size);
    fputs("]}}\n", out);
}

/* --- Histories that are hard to judge --------------------------------------------------------------- */

static void selects_over_rows(FILE *out, uint64_t size)
{
    table_header(out, size * 2);
    for (uint64_t i = 0; i < size; i++) {
        fprintf(out, "{\"txn\":%" PRIu64 ",\"session\":%" PRIu64 ",\"status\":\"ok\",\"at\":[%" PRIu64
                     ",%" PRIu64 "],\"ops\":[{\"select\":\"t\",\"where\":\"v < 0\",\"rows\":{}},"
                     "{\"update\":\"t\",\"where\":\"id = %" PRIu64 "\",\"rows\":{\"%" PRIu64 "\":{\"id\":%" PRIu64
                     ",\"v\":%" PRIu64 ",\"s\":\"b\"}}}],\"ts\":%" PRIu64 "}\n",
                i, i % 10, i * 10, i * 10 + 9, i, i, i, i + 100, i);
    }
}

static void blind_writes(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, i);
        fprintf(out, "{\"w\":\"x\",\"v\":%" PRIu64 "}", i);
        end(out);
    }
    begin(out, size, size);
    fputs("{\"r\":\"x\",\"v\":0}", out);
    end(out);
}

static void equal_values(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, i);
        fprintf(out, "{\"r\":\"x\",\"v\":%d},{\"w\":\"x\",\"v\":%d},{\"r\":\"y\",\"v\":%d},{\"w\":\"y\",\"v\":1}",
                i % 3 == 0, i % 2 == 0, i % 5 == 0);
        end(out);
    }
}

/* Every pair of sessions skews: nothing is decided by looking. */
static void write_skews(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, i);
        fprintf(out,
                "{\"r\":\"%" PRIu64 "\",\"v\":null},{\"w\":\"%" PRIu64 "\",\"v\":%" PRIu64 "},{\"w\":\"z\",\"v\":%" PRIu64
                "}",
                i * 31 % size, i * 17 % size, i, i);
        end(out);
    }
}

static void all_at_once(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out,
                "{\"txn\":%" PRIu64 ",\"session\":%" PRIu64 ",\"status\":\"ok\",\"at\":[%" PRIu64
                ",1000000000],\"ops\":[{\"r\":\"x\",\"v\":%" PRIu64 ",\"at\":[%" PRIu64 ",900000000]},{\"w\":\"x\",\"v\":%" PRIu64
                ",\"at\":[%" PRIu64 ",950000000]}]}\n",
                i, i, i, i * 31 % size, i + 1, i + 1, i + 2);
}

/* Each transaction reads the whole list: the file is the square of its transactions. */
static void list_squares(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++) {
        begin(out, i, i % 20);
        fputs("{\"r\":\"l\",\"v\":[", out);
        for (uint64_t j = 0; j < i; j++)
            fprintf(out, "%s%" PRIu64, j ? "," : "", j);
        fprintf(out, "]},{\"append\":\"l\",\"v\":%" PRIu64 "}", i);
        end(out);
    }
}

static void unknown_outcomes(FILE *out, uint64_t size)
{
    header(out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out,
                "{\"txn\":%" PRIu64 ",\"session\":%" PRIu64 ",\"status\":\"%s\",\"ops\":[{\"append\":\"%" PRIu64
                "\",\"v\":%" PRIu64 "},{\"r\":\"%" PRIu64 "\",\"v\":[%" PRIu64 "]}]}\n",
                i, i, i % 4 ? "unknown" : "ok", i % 5, i, (i + 1) % 5, i > 4 ? i - 4 : 0);
}

/* --- Files of other tools --------------------------------------------------------------------------- */

static void plume_sessions(FILE *out, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "w(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")\n", i * 7919, i + 1, i, i);
}

static void dbcop_counts(FILE *out, uint64_t size)
{
    uint64_t words[] = { 1, 1, size, size, size, 5 };

    fwrite(words, 1, sizeof words, out);
    fputs("2026-11-19T00:00:00Z2026-11-19T00:00:00Z", out);
    for (uint64_t i = 0; i < 1000; i++)
        fwrite(&size, 1, sizeof size, out);
}

static void jepsen_open(FILE *out, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "{:type :invoke :process %" PRIu64 " :f :txn :value [[:append %" PRIu64 " %" PRIu64 "] [:r 1 nil]]}\n",
                i, i % 7, i);
}

static void jepsen_one_process(FILE *out, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        fputs("{:type :invoke :process 0 :f :txn :value [[:r 1 nil]]}\n", out);
    for (uint64_t i = 0; i < size; i++)
        fputs("{:type :ok :process 0 :f :txn :value [[:r 1 nil]]}\n", out);
}

static void chronos_many(FILE *out, uint64_t size)
{
    fputs("[", out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out,
                "%s{\"tid\":%" PRIu64 ",\"sid\":\"s%" PRIu64 "\",\"sts\":{\"p\":%" PRIu64
                ",\"l\":1},\"cts\":{\"p\":%" PRIu64 ",\"l\":0},\"ops\":[{\"t\":\"w\",\"k\":7,\"v\":%" PRIu64 "}]}",
                i ? "," : "", i, i, i, i + 1000, i);
    fputs("]", out);
}

const struct shape shapes_of_histories[] = {
    { "expanding-line", "history", 6000, expanding_line },
    { "expanding-blanks", "history", 6000, expanding_blanks },
    { "expanding-operations", "history", 6000, expanding_operations },
    { "expanding-zeros", "history", 6000, expanding_zeros },
    { "expanding-plume", "history", 6000, expanding_plume },
    { "expanding-edn", "history", 6000, expanding_edn },
    { "colliding-keys", "history", 100000, colliding_keys },
    { "giant-key", "history", 100000000, giant_key },
    { "giant-value", "history", 100000000, giant_value },
    { "giant-number", "history", 100000000, giant_number },
    { "giant-predicate", "history", 10000000, giant_predicate },
    { "giant-name", "history", 10000000, giant_name },
    { "giant-numeric", "history", 10000000, giant_numeric },
    { "deep-predicate", "history", 1000000, deep_predicate },
    { "deep-not", "history", 1000000, deep_not },
    { "deep-minus", "history", 1000000, deep_minus },
    { "deep-case", "history", 200000, deep_case },
    { "growing-text", "history", 100, growing_text },
    { "backtracking-like", "history", 200, backtracking_like },
    { "deep-arrays", "history", 10000000, deep_arrays },
    { "deep-objects", "history", 10000000, deep_objects },
    { "deep-edn", "history", 10000000, deep_edn },
    { "deep-edn-tags", "history", 3000000, deep_edn_tags },
    { "deep-dbcop", "history", 2000000, deep_dbcop },
    { "deep-chronos", "history", 10000000, deep_chronos },
    { "huge-numbers", "history", 100000, huge_numbers },
    { "unterminated-text", "history", 100000000, unterminated_text },
    { "unterminated-list", "history", 50000000, unterminated_list },
    { "rubbish", "history", 10000000, rubbish },
    { "rubbish-zst", "history", 10000000, rubbish_zst },
    { "rubbish-oh", "history", 10000000, rubbish_oh },
    { "tiny-transactions", "history", 2000000, tiny_transactions },
    { "many-keys", "history", 1000000, many_keys },
    { "many-sessions", "history", 1000000, many_sessions },
    { "many-tables", "history", 100000, many_tables },
    { "many-columns", "history", 1000000, many_columns },
    { "many-operations", "history", 3000000, many_operations },
    { "many-initial", "history", 1000000, many_initial },
    { "long-list", "history", 10000000, long_list },
    { "version-order", "history", 500000, version_order },
    { "selects-over-rows", "history", 30000, selects_over_rows },
    { "blind-writes", "history", 10000, blind_writes },
    { "equal-values", "history", 10000, equal_values },
    { "write-skews", "history", 30000, write_skews },
    { "all-at-once", "history", 30000, all_at_once },
    { "list-squares", "history", 5000, list_squares },
    { "unknown-outcomes", "history", 20000, unknown_outcomes },
    { "plume-sessions", "history", 1000000, plume_sessions },
    { "dbcop-counts", "history", UINT64_C(1) << 60, dbcop_counts },
    { "jepsen-open", "history", 500000, jepsen_open },
    { "jepsen-one-process", "history", 200000, jepsen_one_process },
    { "chronos-many", "history", 500000, chronos_many },
    { .name = NULL },
};
