#include "checkers/checker.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker_private.h"
#include "checkers/infer/workloads.h"
#include "checkers/proof/witness.h"
#include "history/anomaly.h"
#include "history/level.h"

const struct checker *const *checkers_all(void)
{
#define ROW(name) &checker_##name,
    static const struct checker *const all[] = { CHECKERS(ROW) NULL };
#undef ROW

    return all;
}

const char *const *checker_names(void)
{
#define ROW(name) #name,
    static const char *const names[] = { CHECKERS(ROW) NULL };
#undef ROW

    return names;
}

const struct checker *checker_find(struct text name)
{
    const struct checker *const *all = checkers_all();

    for (; *all; all++)
        if (text_equal(name, text_of((*all)->name)))
            return *all;
    return NULL;
}

const struct checker *checker_find_able(enum checker_ability ability)
{
    const struct checker *const *all = checkers_all();

    while (*all && !checker_can(*all, ability))
        all++;
    return *all;
}

static enum status refuse_level(const struct checker *checker, enum level level, struct error *err)
{
    char levels[1024] = "";
    size_t length = 0;

    for (int i = 0; i < LEVEL_END; i++)
        if (checker_decides(checker, (enum level)i))
            length += (size_t)snprintf(levels + length, sizeof levels - length, "%s%s",
                                       length ? ", " : "", level_name((enum level)i));
    return error_set(err, STATUS_BAD_INPUT, "the checker %s does not decide %s, but %s",
                     checker->name, level_name(level), levels);
}

static enum status check_level(const struct checker *checker, const struct history *h,
                               enum level level, struct error *err)
{
    if (!checker_decides(checker, level))
        return refuse_level(checker, level, err);
    if (workload_is_own(h) && !checker_can(checker, ABLE_WORKLOADS))
        return error_set(err, STATUS_BAD_INPUT,
                         "the history is one of a %.*s, in which reads and additions are not what the "
                         "checker %s takes them for: infer judges it",
                         TEXT_PRINT(history_text(h, h->workload)), checker->name);
    if (level_closing(level) == CLOSING_TIME && (!h->txn_invoked || !h->txn_completed) &&
        h->txn_count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s asks for real time, and no transaction of the history has an \"at\"",
                         level_name(level));
    return STATUS_OK;
}

enum status checker_examine(const struct checker *checker, const struct history *h,
                            enum level level, struct error *err)
{
    TRY(check_level(checker, h, level, err));
    return checker->needs ? checker->needs(h, err) : STATUS_OK;
}

static bool is_part(struct ratio ratio)
{
    return ratio.numerator < ratio.denominator;
}

const char *checker_inability(const struct checker *checker, const struct check_options *options)
{
    if (options->engine == ENGINE_Z3 && !checker_can(checker, ABLE_Z3))
        return "has no engine but its own";
    if (options->profile && !checker_can(checker, ABLE_PROFILE))
        return "takes no profile";
    if (is_part(options->version_order) && !checker_can(checker, ABLE_PARTS))
        return "needs the whole version order";
    return NULL;
}

/* An option that has no effect is refused, and not passed over in silence. */
static enum status check_abilities(const struct checker *checker,
                                   const struct check_options *options, struct error *err)
{
    const char *inability = checker_inability(checker, options);

    if (!inability)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "the checker %s %s", checker->name, inability);
}

static void count_ops(const struct history *h, struct check *check)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < h->statement_count; i++)
        rows += h->statement_row_count[i];
    check->txn_count = h->txn_count;
    check->op_count = h->op_count - rows;
}

/* What was not judged may be wrong: only the caller may call that valid. */
static void doubt_unjudged(const struct checker *checker, const struct check_options *options,
                           struct check *check)
{
    uint64_t count = check->unjudged_predicates;

    if (count == 0 || check->verdict != VERDICT_VALID || options->allows_unjudged)
        return;
    check->strongest = LEVEL_COUNT;
    check_doubt(check,
                "%" PRIu64 " %s not judged as a whole: %s (with --allow-unjudged it would be valid)",
                count, count == 1 ? "statement was" : "statements were", checker->unjudged_why);
}

static int compare_findings(const void *a, const void *b)
{
    const struct check_finding *x = a, *y = b;
    unsigned first = anomaly_severity(x->kind), second = anomaly_severity(y->kind);

    if (first != second)
        return first < second ? -1 : 1;
    /* The shorter proof first; then as the history goes. */
    if (x->txn_count != y->txn_count)
        return x->txn_count < y->txn_count ? -1 : 1;
    return x->txn_count == 0 ? 0 : (x->txns[0] > y->txns[0]) - (x->txns[0] < y->txns[0]);
}

/* The buffer's bytes, which end in a zero byte. */
static enum status take(struct buffer *buffer, char **text, struct error *err)
{
    buffer_byte(buffer, '\0');
    TRY(buffer_status(buffer, err));
    *text = buffer->at;
    *buffer = (struct buffer){ 0 };
    return STATUS_OK;
}

/* Where the name of a transaction, T7, stands first as a word; NULL: nowhere. */
static const char *find_name(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)); at += length) {
        bool begins = at == text || !(at[-1] == '_' || isalnum((unsigned char)at[-1]));

        if (begins && !isalnum((unsigned char)at[length]))
            return at + length;
    }
    return NULL;
}

#define NAMED_MAX 64 /* of a finding: who looks at more looks them up */

/* T7 becomes T7 (index 41, process 3), once, where the file that it comes from says so. */
static enum status name_by_origin(const struct history *h, uint32_t txn, char **text,
                                  struct error *err)
{
    struct place origin = history_origin(h, txn);
    struct buffer out = { 0 };
    char name[24];
    const char *end;

    snprintf(name, sizeof name, "T%" PRId64, h->txn_id[txn]);
    end = origin.parts > 0 ? find_name(*text, name) : NULL;
    if (!end)
        return STATUS_OK;
    buffer_print(&out, "%.*s (index %" PRId64, (int)(end - *text), *text, origin.part[0]);
    if (origin.parts > 1)
        buffer_print(&out, ", process %" PRId64, origin.part[1]);
    buffer_print(&out, ")%s", end);
    free(*text);
    *text = NULL;
    return take(&out, text, err);
}

static enum status name_by_origins(const struct history *h, struct check *check,
                                   struct error *err)
{
    for (size_t i = 0; h->txn_origin && i < check->findings.count; i++) {
        struct check_finding *finding = &check->findings.at[i];

        for (size_t t = 0; t < finding->txn_count && t < NAMED_MAX; t++) {
            bool is_new = true;

            for (size_t before = 0; before < t; before++)
                is_new &= finding->txns[before] != finding->txns[t];
            if (is_new)
                TRY(name_by_origin(h, finding->txns[t], &finding->explanation, err));
        }
    }
    return STATUS_OK;
}

enum status checker_run(const struct checker *checker, const struct history *h,
                        const struct check_options *options, struct check *check, struct error *err)
{
    *check = (struct check){ .checker = checker, .level = options->level };
    check->strongest = check->weakest_violated = LEVEL_COUNT;
    TRY(check_level(checker, h, options->level, err));
    TRY(check_abilities(checker, options, err));
    count_ops(h, check);
    if (h->statement_count > 0)
        TRY(check_memory((void **)&check->is_unjudged, h->statement_count, 1, 0, err));
    TRY(checker->judge(h, options, check, err));
    doubt_unjudged(checker, options, check);
    if (check->verdict == VERDICT_VALID && check->strongest == LEVEL_COUNT)
        check->strongest = options->level;
    if (check->findings.count > 1)
        qsort(check->findings.at, check->findings.count, sizeof *check->findings.at,
              compare_findings);
    TRY(name_by_origins(h, check, err));
    return check_wants(options, CHECK_WITNESS) ? witness_finish(h, check, err) : STATUS_OK;
}

static void close_finding(struct check_finding *finding)
{
    free(finding->txns);
    free(finding->explanation);
    free(finding->proof);
    free(finding->drawing);
}

void check_close(struct check *check)
{
    for (size_t i = 0; i < check->findings.count; i++)
        close_finding(&check->findings.at[i]);
    array_close(&check->findings);
    buffer_close(&check->premises);
    free(check->is_unjudged);
    buffer_close(&check->witness);
}

void check_note_unjudged(struct check *check, uint32_t statement)
{
    check->unjudged_predicates += !check->is_unjudged[statement];
    check->is_unjudged[statement] = 1;
}

void check_note_all_unjudged(struct check *check, const struct history *h)
{
    for (uint32_t s = 0; s < h->statement_count; s++) {
        uint32_t head = h->statement_op[s];

        if (h->op_kind[head] != OP_INSERT && !(h->op_flags[head] & OP_ERROR) &&
            h->statement_flags[s] & STATEMENT_ANSWERED &&
            h->txn_status[history_txn_of(h, head)] == TXN_OK)
            check_note_unjudged(check, s);
    }
}

static void become_invalid(struct check *check)
{
    check->verdict = VERDICT_INVALID;
    check->reason[0] = '\0';
}

bool check_is_full(struct check *check)
{
    bool is_full = check->findings.count == CHECK_FINDINGS_MAX;

    if (is_full) {
        become_invalid(check);
        check->has_more_findings = true;
    }
    return is_full;
}

static enum status fill_finding(struct check_finding *finding, struct discovery *d,
                                struct error *err)
{
    TRY(take(&d->why, &finding->explanation, err));
    TRY(take(&d->proof, &finding->proof, err));
    TRY(take(&d->drawing, &finding->drawing, err));
    TRY(memory_resize((void **)&finding->txns, d->txn_count, sizeof *finding->txns, err));
    memcpy(finding->txns, d->txns, d->txn_count * sizeof *d->txns);
    return STATUS_OK;
}

enum status check_add(struct check *check, struct discovery *d, struct error *err)
{
    struct check_finding finding = { .kind = d->kind,
                                     .proven = d->proven,
                                     .txn_count = d->txn_count };
    enum status status = STATUS_OK;

    become_invalid(check);
    if (!check_is_full(check)) {
        status = fill_finding(&finding, d, err);
        if (status == STATUS_OK)
            status = array_push(&check->findings, finding, err);
        if (status != STATUS_OK)
            close_finding(&finding);
    }
    buffer_close(&d->why);
    buffer_close(&d->proof);
    buffer_close(&d->drawing);
    return status;
}

enum status check_memory(void **at, size_t count, size_t size, int fill, struct error *err)
{
    TRY(memory_resize(at, count, size, err));
    memset(*at, fill, count * size);
    return STATUS_OK;
}

void check_doubt(struct check *check, const char *format, ...)
{
    va_list arguments;

    if (check->verdict != VERDICT_VALID)
        return;
    check->verdict = VERDICT_UNKNOWN;
    va_start(arguments, format);
    vsnprintf(check->reason, sizeof check->reason, format, arguments);
    va_end(arguments);
}
