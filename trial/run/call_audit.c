#include "trial/run/call_audit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/wall_clock.h"
#include "history/io/source.h"

static enum status read_log(struct call_audit *audit, struct simulation *simulation,
                            struct error *err)
{
    struct buffer text = { 0 };
    struct source source;
    enum status status = simulation_call_log(simulation, &text, err);

    if (status == STATUS_OK) {
        status = source_open_memory(&source, "the run's calls", text.at, text.count, err);
        if (status == STATUS_OK)
            status = call_log_read(&audit->log, &source, err);
        source_close(&source);
    }
    buffer_close(&text);
    return status;
}

/* The program gets the statements of the log, so it is not the one that the run has. */
static enum status audit_log(struct call_audit *audit, const char *path,
                             const struct run_options *with, struct error *err)
{
    struct audit_options options = { .level = audit->level, .stop = with->stop };
    struct program program;
    enum status status = program_load_file(&program, path, err);

    if (status == STATUS_OK)
        status = audit_run(&audit->log, &program, &options, &audit->verdict, err);
    program_close(&program);
    return status;
}

enum status call_audit_run(struct call_audit *audit, struct simulation *simulation,
                           enum level level, const struct run_options *with, struct error *err)
{
    const struct audit_wrong *wrong = &audit->verdict.wrong;
    int64_t began_ns = wall_clock_ns();

    *audit = (struct call_audit){ .level = level };
    TRY(read_log(audit, simulation, err));
    TRY(audit_log(audit, simulation->program_path, with, err));
    audit->ns = wall_clock_ns() - began_ns;
    if (audit->verdict.verdict == VERDICT_INVALID && wrong->is_there)
        snprintf(audit->explanation, sizeof audit->explanation,
                 "T%" PRId64 " answered %.300s, which no execution explains", wrong->txn,
                 wrong->answered ? wrong->answered : "");
    return STATUS_OK;
}

void call_audit_close(struct call_audit *audit)
{
    audit_verdict_close(&audit->verdict);
    call_log_close(&audit->log);
}

enum verdict call_audit_merge(const struct call_audit *audit, enum verdict verdict)
{
    enum verdict own = audit->verdict.verdict;

    if (own == VERDICT_INVALID || verdict == VERDICT_INVALID)
        return VERDICT_INVALID;
    return own == VERDICT_UNKNOWN ? own : verdict;
}
