#include "store/clients/call_notes.h"

#include <stdlib.h>

#include "history/call_log_write.h"
#include "programs/workloads/calls.h"
#include "store/clients/record_private.h"

void call_notes_close(struct call_notes *notes)
{
    array_close(&notes->calls);
    buffer_close(&notes->bytes);
    buffer_close(&notes->rows);
    buffer_close(&notes->room);
}

void call_notes_begin(struct call_notes *notes, const struct program *program, uint32_t function,
                      const struct datum *arguments, struct buffer *beginning)
{
    struct json_writer json = { .out = beginning };

    buffer_clear(beginning);
    call_log_begin_call(&json, program->tree.functions[function].name);
    calls_write_arguments(&json, program, function, arguments, &notes->room);
}

/* [["12.50"]], or nothing where nobody was told. */
static struct text print_rows(struct call_notes *notes, const struct noted_end *end)
{
    struct json_writer json = { .out = &notes->rows };

    if (end->status == TXN_ABORT || end->request->kind != REQUEST_RETURNED)
        return TEXT("");
    if (end->is_void)
        return TEXT("[]");
    buffer_clear(&notes->rows);
    json_writer_open(&json, NULL, '[');
    json_writer_open(&json, NULL, '[');
    calls_write_value(&json, &end->request->value, &notes->room);
    json_writer_close(&json, ']');
    json_writer_close(&json, ']');
    return (struct text){ notes->rows.at, notes->rows.count };
}

bool call_notes_end(struct call_notes *notes, uint64_t txn, const struct buffer *beginning,
                    const struct noted_end *end)
{
    struct noted_call call = { .txn = txn, .at = notes->bytes.count };
    struct json_writer json = { .out = &notes->bytes, .needs_comma = true };
    bool has_failed = end->request->kind == REQUEST_FAILED;
    struct text rows = print_rows(notes, end);
    struct error ignored;

    buffer_text(&notes->bytes, (struct text){ beginning->at, beginning->count });
    call_log_end_call(&json, has_failed ? end->request->sqlstate : "", rows);
    call.length = notes->bytes.count - call.at;
    return array_push(&notes->calls, call, &ignored) == STATUS_OK && !beginning->out_of_memory &&
           !notes->bytes.out_of_memory && !notes->rows.out_of_memory && !notes->room.out_of_memory;
}

bool call_notes_add(struct call_notes *notes, uint64_t txn, struct text members)
{
    struct noted_call call = { .txn = txn, .at = notes->bytes.count, .length = members.length };
    struct error ignored;

    buffer_text(&notes->bytes, members);
    return array_push(&notes->calls, call, &ignored) == STATUS_OK && !notes->bytes.out_of_memory;
}

void call_notes_write_rows(struct call_notes *notes, const struct request *request,
                           struct json_writer *json)
{
    json_writer_open(json, NULL, '{');
    json_writer_open(json, "rows", '[');
    for (uint32_t i = 0; i < request->row_count; i++) {
        json_writer_open(json, NULL, '[');
        for (uint32_t k = 0; k < request->row_width; k++)
            calls_write_value(json, &request->rows[i * request->row_width + k], &notes->room);
        json_writer_close(json, ']');
    }
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

static int compare_calls(const void *a, const void *b)
{
    const struct noted_call *x = a, *y = b;

    return (x->txn > y->txn) - (x->txn < y->txn);
}

static struct call_log_line line_of(const struct call_notes *notes, const struct noted_call *call,
                                    const struct recorded_txn *txn)
{
    struct call_log_line line = {
        .txn = call->txn,
        .session = txn->session,
        .call = { notes->bytes.at + call->at, call->length },
        .status = txn->status,
        .invoked_ns = txn->invoked_ns,
        .completed_ns = txn->completed_ns,
    };

    if (recorded_is_committed(txn)) {
        line.ts[0] = txn->place.wall_ns;
        line.ts[1] = txn->place.logical;
        line.ts[2] = (int64_t)txn->place.txn;
        line.ts_parts = CALL_PLACES_MAX;
        while (line.ts_parts > 1 && line.ts[line.ts_parts - 1] == 0)
            line.ts_parts--;
    }
    return line;
}

enum status call_notes_write(struct call_notes *notes, const struct run_record *record,
                             struct text load, struct buffer *out, struct error *err)
{
    if (notes->calls.count > 1)
        qsort(notes->calls.at, notes->calls.count, sizeof *notes->calls.at, compare_calls);
    call_log_write_head(out, &(struct call_log_head){ .producer = TEXT("ordeal"), .load = load });
    for (size_t i = 0; i < notes->calls.count; i++) {
        const struct noted_call *call = &notes->calls.at[i];
        struct call_log_line line = line_of(notes, call, &record->txns.at[call->txn - 1]);

        call_log_write_line(out, &line);
    }
    return buffer_status(out, err);
}
