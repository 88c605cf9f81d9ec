#include "audit/follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/witness_private.h"
#include "base/bisect.h"
#include "history/io/source.h"

#define FAILURES_MAX 3 /* steps that a transaction may be late */
#define RUNS_PER_TXN 16
#define RUNS_MIN 100000

void audit_follow_init(struct audit_follow *f, const struct audit_follow_options *options)
{
    *f = (struct audit_follow){ .options = *options,
                                .is_by_version = true,
                                .settled.invoked_ns = INT64_MIN };
    digest_begin(&f->digest);
}

void audit_follow_close(struct audit_follow *f)
{
    for (size_t i = 0; i < f->lines.count; i++)
        free(f->lines.at[i].text);
    array_close(&f->lines);
    buffer_close(&f->partial);
    buffer_close(&f->header);
    array_close(&f->ids);
    witness_parts_close(&f->settled.parts);
    call_log_close(&f->log);
}

/* --- Lines -------------------------------------------------------------------------------------------- */

static enum status add_line(struct audit_follow *f, struct text line, struct error *err)
{
    struct follow_line kept = { .length = line.length,
                                .number = ++f->line_count,
                                .offset = f->byte_count };

    f->byte_count += line.length + 1;
    digest_add(&f->digest, line.at, line.length);
    digest_add(&f->digest, "\n", 1);
    if (kept.number == 1) {
        buffer_text(&f->header, line);
        return buffer_status(&f->header, err);
    }
    TRY(array_reserve(&f->lines, 1, err));
    kept.text = malloc(line.length + 1);
    if (!kept.text)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a line");
    memcpy(kept.text, line.at, line.length);
    f->lines.at[f->lines.count++] = kept;
    return STATUS_OK;
}

enum status audit_follow_feed(struct audit_follow *f, struct text text, struct error *err)
{
    while (text.length > 0) {
        const char *end = memchr(text.at, '\n', text.length);
        size_t length = end ? (size_t)(end - text.at) : text.length;

        buffer_text(&f->partial, (struct text){ text.at, length });
        TRY(buffer_status(&f->partial, err));
        if (!end)
            break;
        TRY(add_line(f, (struct text){ f->partial.at ? f->partial.at : "", f->partial.count }, err));
        buffer_clear(&f->partial);
        text.at += length + 1;
        text.length -= length + 1;
    }
    return STATUS_OK;
}

bool audit_follow_is_due(const struct audit_follow *f)
{
    return f->lines.count - f->looked_at >= f->options.step;
}

bool audit_follow_is_stuck(const struct audit_follow *f)
{
    return f->late[0] != '\0' || f->failures >= FAILURES_MAX;
}

uint64_t audit_follow_txns(const struct audit_follow *f)
{
    return f->line_count > 0 ? f->line_count - 1 : 0;
}

/* --- What is open, as a log ----------------------------------------------------------------------------- */

/* From the place in what was read to that in the whole log. */
static void move_error(const struct audit_follow *f, struct error *err)
{
    uint64_t before = f->header.count + 1;

    error_set_file(err, f->options.name);
    if (err->line < 2)
        return;
    for (uint64_t i = 0; i + 2 < err->line; i++)
        before += f->lines.at[i].length + 1;
    err->offset = err->offset - before + f->lines.at[err->line - 2].offset;
    err->line = f->lines.at[err->line - 2].number;
}

static enum status read_open(struct audit_follow *f, struct error *err)
{
    struct buffer text = { 0 };
    struct source source;
    enum status status;

    if (f->line_count > 0) {
        buffer_text(&text, (struct text){ f->header.at ? f->header.at : "", f->header.count });
        buffer_byte(&text, '\n');
    }
    for (size_t i = 0; i < f->lines.count; i++) {
        buffer_text(&text, (struct text){ f->lines.at[i].text, f->lines.at[i].length });
        buffer_byte(&text, '\n');
    }
    call_log_close(&f->log);
    status = buffer_status(&text, err);
    if (status == STATUS_OK)
        status = source_open_memory(&source, f->options.name, text.at ? text.at : "", text.count, err);
    if (status == STATUS_OK) {
        status = call_log_read(&f->log, &source, err);
        source_close(&source);
        if (status == STATUS_BAD_INPUT)
            move_error(f, err);
    }
    buffer_close(&text);
    return status;
}

/* The range that has the id, or before which it would stand. */
static size_t find_id(const struct audit_follow *f, int64_t id)
{
    size_t place = 0;

    BISECT(place, 0, f->ids.count, f->ids.at[place].high < id);
    return place;
}

static bool is_settled(const struct audit_follow *f, int64_t id)
{
    size_t place = find_id(f, id);

    return place < f->ids.count && f->ids.at[place].low <= id;
}

static enum status settle_id(struct audit_follow *f, int64_t id, struct error *err)
{
    size_t place = find_id(f, id);
    bool follows = place > 0 && f->ids.at[place - 1].high == id - 1;
    bool precedes = place < f->ids.count && f->ids.at[place].low == id + 1;

    if (follows && precedes) {
        f->ids.at[place - 1].high = f->ids.at[place].high;
        array_remove(&f->ids, place);
    } else if (follows) {
        f->ids.at[place - 1].high = id;
    } else if (precedes) {
        f->ids.at[place].low = id;
    } else {
        TRY(array_reserve(&f->ids, 1, err));
        memmove(&f->ids.at[place + 1], &f->ids.at[place],
                (f->ids.count - place) * sizeof *f->ids.at);
        f->ids.at[place] = (struct follow_range){ id, id };
        f->ids.count++;
    }
    return STATUS_OK;
}

static bool stands_before_settled(const struct audit_follow *f, const struct logged_txn *t)
{
    if (!f->settled.has_ts || !t->has_ts || f->has_hints)
        return false;
    for (size_t i = 0; i < CALL_PLACES_MAX; i++)
        if (t->ts[i] != f->settled.ts[i])
            return t->ts[i] < f->settled.ts[i];
    return true;
}

/* Whether it would have to stand before what is settled. */
static bool is_late(const struct audit_follow *f, const struct logged_txn *t)
{
    bool is_strict = level_closing(f->options.audit.level) == CLOSING_TIME;
    int64_t answered_ns = call_log_first_answer(&f->log, t);

    if (t->status == TXN_ABORT)
        return false;
    if (stands_before_settled(f, t))
        return true;
    return is_strict && answered_ns != TIME_NEVER && answered_ns < f->settled.invoked_ns;
}

static enum status check_new(struct audit_follow *f, struct error *err)
{
    for (size_t i = 0; i < f->log.txns.count; i++) {
        struct logged_txn *t = &f->log.txns.at[i];

        t->line = f->lines.at[t->line - 2].number;
        if (i < f->looked_at)
            continue;
        if (is_settled(f, t->id)) {
            error_set_file(err, f->options.name);
            err->line = t->line;
            return error_set(err, STATUS_BAD_INPUT, "transaction %" PRId64 " is there twice", t->id);
        }
        if (is_late(f, t) && !f->late[0])
            snprintf(f->late, sizeof f->late,
                     "line %" PRIu64 " came too late: transactions that stand behind it were settled",
                     t->line);
    }
    return STATUS_OK;
}

/* --- Settling ----------------------------------------------------------------------------------------- */

static enum status add_parts(struct witness_parts *to, const struct witness_parts *from,
                             struct error *err)
{
    struct buffer *const into[] = { &to->order, &to->states, &to->absent, &to->numbers };
    const struct buffer *const of[] = { &from->order, &from->states, &from->absent,
                                       &from->numbers };

    for (size_t i = 0; i < ROW_COUNT(into); i++) {
        if (of[i]->count == 0)
            continue;
        if (into[i]->count > 0)
            buffer_byte(into[i], ',');
        buffer_text(into[i], (struct text){ of[i]->at, of[i]->count });
        TRY(buffer_status(into[i], err));
    }
    return STATUS_OK;
}

/* One of unknown outcome that can stand nowhere any more has not committed. */
static enum status give_up(struct audit_follow *f, const struct logged_txn *t, struct error *err)
{
    struct buffer *absent = &f->settled.parts.absent;

    buffer_print(absent, "%s%" PRId64, absent->count > 0 ? "," : "", t->id);
    f->counts.txns++;
    TRY(settle_id(f, t->id, err));
    return buffer_status(absent, err);
}

/* Lines of settled and of aborted transactions go; those that stay are in their order. */
static enum status forget_lines(struct audit_follow *f, struct error *err)
{
    size_t kept = 0;
    enum status status = STATUS_OK;

    for (size_t i = 0; i < f->lines.count; i++) {
        const struct logged_txn *t = &f->log.txns.at[i];
        bool is_over = is_settled(f, t->id);

        if (status == STATUS_OK && !is_over && t->status == TXN_ABORT) {
            status = settle_id(f, t->id, err);
            is_over = true;
        } else if (status == STATUS_OK && !is_over && t->status == TXN_UNKNOWN &&
                   stands_before_settled(f, t)) {
            status = give_up(f, t, err);
            is_over = true;
        }
        if (is_over)
            free(f->lines.at[i].text);
        else
            f->lines.at[kept++] = f->lines.at[i];
    }
    f->lines.count = kept;
    return status;
}

static void make_header(struct audit_follow *f, const struct buffer *rows)
{
    buffer_clear(&f->header);
    buffer_text(&f->header, TEXT("{\"ordeal-log\":1,"));
    if (f->has_hints)
        buffer_text(&f->header, TEXT("\"ts\":\"hint\","));
    buffer_text(&f->header, TEXT("\"rows\":"));
    buffer_text(&f->header, (struct text){ rows->at, rows->count });
    buffer_byte(&f->header, '}');
}

static enum status settle(struct audit_follow *f, const struct audit_verdict *v, struct error *err)
{
    const struct audit_settled *s = &v->settled;

    if (s->txns.count > 0) {
        f->model = v->model;
        f->is_by_version = f->is_by_version && v->is_by_version;
    }
    f->settled_count += s->txns.count;
    f->counts.txns += s->txns.count;
    f->counts.answers += s->judged;
    f->counts.unjudged += s->unjudged;
    if (f->options.audit.wants_witness)
        TRY(add_parts(&f->settled.parts, &s->parts, err));
    if (s->has_ts && !f->has_hints) {
        f->settled.has_ts = true;
        memcpy(f->settled.ts, s->ts, sizeof s->ts);
    }
    if (s->invoked_ns > f->settled.invoked_ns)
        f->settled.invoked_ns = s->invoked_ns;
    for (size_t i = 0; i < s->txns.count; i++)
        TRY(settle_id(f, s->txns.at[i], err));
    if (s->txns.count == 0 || s->rows.count == 0)
        return STATUS_OK;
    make_header(f, &s->rows);
    TRY(buffer_status(&f->header, err));
    return forget_lines(f, err);
}

/* --- Verdicts ----------------------------------------------------------------------------------------- */

static void say_unknown(struct audit_verdict *v, const char *why)
{
    v->verdict = VERDICT_UNKNOWN;
    snprintf(v->reason, sizeof v->reason, "%s", why);
    buffer_clear(&v->witness);
}

static enum status put_witness(struct audit_follow *f, struct audit_verdict *v, struct error *err)
{
    enum level level = f->options.audit.level;
    const struct witness_execution head = {
        .level = level,
        .mode = level_is_snapshot(level)              ? RUN_SNAPSHOT
                : level != LEVEL_READ_COMMITTED       ? RUN_AT_PLACE
                : f->model == AUDIT_RC_LOCKING        ? RUN_LOCKING
                : f->model == AUDIT_RC_STATEMENT      ? RUN_STATEMENT
                                                      : RUN_PAPER,
        .is_by_version = f->is_by_version,
    };
    struct digest digest = digest_end(&f->digest);

    buffer_clear(&v->witness);
    return witness_put_valid(&v->witness, &digest, &head, &f->settled.parts, err);
}

/* What it says as a verdict on the whole log. */
static enum status conclude(struct audit_follow *f, enum follow_end end, uint64_t settled_before,
                            struct audit_verdict *v, struct error *err)
{
    bool changes_model = settled_before > 0 && v->verdict == VERDICT_VALID &&
                         f->options.audit.level == LEVEL_READ_COMMITTED && v->model != f->model;

    if (f->late[0]) {
        say_unknown(v, f->late);
    } else if (changes_model) {
        snprintf(f->late, sizeof f->late,
                 "what was settled keeps the model %s and what came later only %s, so that no single model is shown for all",
                 audit_model_name(f->model), audit_model_name(v->model));
        say_unknown(v, f->late);
    } else if (v->verdict == VERDICT_INVALID && end == FOLLOW_IS_CUT) {
        say_unknown(v, "no execution gives the answers so far, but the log has not ended, and what comes may explain them");
    } else if (v->verdict != VERDICT_VALID && settled_before > 0) {
        char why[sizeof v->reason];

        snprintf(why, sizeof why,
                 "no execution was found on top of %" PRIu64 " transactions that had been settled; without --follow more may be known",
                 settled_before);
        say_unknown(v, why);
    }
    f->failures = v->verdict == VERDICT_VALID ? 0 : f->failures + 1;
    if (v->verdict == VERDICT_VALID)
        TRY(settle(f, v, err));
    return STATUS_OK;
}

/* Counts of the whole log: of what is settled, and of what is open. */
static void count_all(struct audit_follow *f, const struct audit_counts *before,
                      struct audit_verdict *v)
{
    f->counts.runs += v->counts.runs;
    f->counts.jumps += v->counts.jumps;
    v->counts.txns += before->txns;
    v->counts.answers += before->answers;
    v->counts.unjudged += before->unjudged;
    v->counts.runs = f->counts.runs;
    v->counts.jumps = f->counts.jumps;
}

static enum status audit_open(struct audit_follow *f, enum follow_end end, struct audit_verdict *v,
                              struct error *err)
{
    struct audit_options options = f->options.audit;
    struct program program = { 0 };
    enum status status = program_load(&program, f->options.programs, err);

    options.settles = options.allows_unjudged = true;
    options.keep = end == FOLLOW_GOES_ON ? f->options.step : 0;
    options.settled_before = f->settled_count;
    options.wants_witness = options.wants_witness && end == FOLLOW_ENDS; /* of what is invalid */
    if (end == FOLLOW_GOES_ON)
        options.runs_max = RUNS_MIN + RUNS_PER_TXN * f->lines.count;
    if (status == STATUS_OK)
        status = audit_run(&f->log, &program, &options, v, err);
    program_close(&program);
    return status;
}

enum status audit_follow_step(struct audit_follow *f, enum follow_end end, struct audit_verdict *v,
                              struct error *err)
{
    uint64_t settled_before = f->settled_count;
    const struct audit_counts before = f->counts;

    *v = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    if (end == FOLLOW_ENDS && f->partial.count > 0) {
        TRY(add_line(f, (struct text){ f->partial.at, f->partial.count }, err));
        buffer_clear(&f->partial);
    }
    TRY(read_open(f, err));
    f->has_hints = f->log.ts_is_hint;
    TRY(check_new(f, err));
    if (!f->late[0])
        TRY(audit_open(f, end, v, err));
    TRY(conclude(f, end, settled_before, v, err));
    count_all(f, &before, v);
    if (end != FOLLOW_GOES_ON && v->verdict == VERDICT_VALID && f->options.audit.wants_witness)
        TRY(put_witness(f, v, err));
    if (!f->options.audit.allows_unjudged)
        audit_doubt_unjudged(v);
    f->looked_at = f->lines.count;
    return STATUS_OK;
}
