#include "checkers/check.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_private.h"

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

/* The buffer's bytes, which end in a zero byte. */
static enum status take(struct buffer *buffer, char **text, struct error *err)
{
    buffer_byte(buffer, '\0');
    TRY(buffer_status(buffer, err));
    *text = buffer->at;
    *buffer = (struct buffer){ 0 };
    return STATUS_OK;
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

    assert(d->why.count > 0 || d->why.out_of_memory); /* a finding has a reason */
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

enum status check_tell(struct check *check, struct discovery d, struct error *err)
{
    d.proven = d.kind;
    return check_add(check, &d, err);
}

/* Pages of zeros that nobody writes take no memory. */
static bool take_zeros(void **at, size_t count, size_t size)
{
    void *zeros = calloc(count, size);

    if (zeros)
        memcpy(at, &zeros, sizeof zeros); /* the caller's pointer has a type of its own */
    return zeros;
}

enum status check_memory(void **at, size_t count, size_t size, int fill, struct error *err)
{
    void *before;

    memcpy(&before, at, sizeof before);
    if (fill == 0 && !before && take_zeros(at, count, size))
        return STATUS_OK;
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

/* --- The order of findings, and their names ------------------------------------------- */

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

enum status check_put_in_order(const struct history *h, struct check *check, struct error *err)
{
    if (check->findings.count > 1)
        qsort(check->findings.at, check->findings.count, sizeof *check->findings.at,
              compare_findings);
    return name_by_origins(h, check, err);
}
