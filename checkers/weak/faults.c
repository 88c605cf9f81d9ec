/*
 * Reads that are wrong by themselves, in words and with proof; each begins with the name that
 * Plume has for it.
 */
#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"
#include "checkers/values/suspects.h"
#include "checkers/weak/weak_private.h"

/* What a fault is called here and there. */
struct name {
    enum anomaly kind;
    const char *of_plume;
    const char *why; /* behind what was read */
    bool has_version;
};

static struct name name_of_suspect(const struct suspect *s)
{
    if (s->repeats)
        return (struct name){ ANOMALY_DUPLICATE_ELEMENTS, "ThinAirRead",
                              ", which has an element twice", false };
    switch (s->suspicion) {
    case SUSPECT_ABORTED:
        return (struct name){ ANOMALY_G1A, "AbortedRead", " wrote and rolled back", true };
    case SUSPECT_LEFT_OUT:
        return (struct name){ ANOMALY_G1A, "AbortedRead",
                              " wrote, and did not commit by the version order", true };
    case SUSPECT_INTERMEDIATE:
        return (struct name){ ANOMALY_G1B, "IntermediateRead", " wrote and then overwrote itself",
                              true };
    case SUSPECT_SELF_LATER:
        return (struct name){ ANOMALY_FUTURE_READ, "FutureRead", ", which it wrote only later",
                              true };
    case SUSPECT_NOBODY:
        return (struct name){ ANOMALY_GARBAGE_READ, "ThinAirRead", ", which nobody wrote", false };
    default:
        return (struct name){ ANOMALY_GARBAGE_READ, "ThinAirRead", ", which no version ever was",
                              false };
    }
}

static bool has_written_value(const struct weak *w, const struct weak_fault *f)
{
    const struct history *h = w->history;

    for (uint32_t op = h->txn_op[f->txn]; op < f->op; op++)
        if (history_makes_version(h, op) && h->op_key[op] == h->op_key[f->op] &&
            values_same(h, history_value(h, op), history_value(h, f->op)))
            return true;
    return false;
}

static enum status name_fault(struct weak *w, struct suspects *suspects, const struct weak_fault *f,
                              struct name *name, struct suspect *suspect, struct error *err)
{
    *suspect = (struct suspect){ .version = VERSION_INITIAL, .txn = HISTORY_NONE };
    switch ((enum weak_fault_kind)f->kind) {
    case WEAK_NO_WRITER:
        TRY(suspects_find(suspects, f->txn, f->op, suspect, err));
        *name = name_of_suspect(suspect);
        break;
    case WEAK_NOT_OWN:
        *name = (struct name){ ANOMALY_INTERNAL,
                               has_written_value(w, f) ? "NotMyLastWrite" : "NotMyOwnWrite",
                               ", which is not what it had written there before", false };
        break;
    case WEAK_NOT_REPEATED:
        *name = (struct name){ ANOMALY_INTERNAL, "NonRepeatableRead",
                               ", and had read something else there before", false };
        break;
    case WEAK_INCOMPATIBLE:
        *name = (struct name){ ANOMALY_INCOMPATIBLE_ORDER, "incompatible-order",
                               ", neither of which is a beginning of the other", false };
        break;
    }
    return STATUS_OK;
}

static void tell_reading(struct buffer *out, const struct history *h, uint32_t txn, uint32_t op)
{
    tell_txn(out, h, txn);
    buffer_text(out, TEXT(" read "));
    tell_key_value(out, h, h->op_key[op], history_value(h, op));
}

static void tell_fault(struct buffer *out, const struct history *h, const struct weak_fault *f,
                       const struct name *name, const struct suspect *suspect)
{
    buffer_print(out, "%s: ", name->of_plume);
    tell_reading(out, h, f->txn, f->op);
    if (f->kind == WEAK_INCOMPATIBLE) {
        buffer_text(out, TEXT(", and "));
        tell_reading(out, h, history_txn_of(h, f->other), f->other);
    } else if (name->has_version && suspect->txn != f->txn) {
        buffer_text(out, TEXT(", which "));
        tell_txn(out, h, suspect->txn);
    }
    buffer_text(out, text_of(name->why));
}

static enum status tell(struct weak *w, struct suspects *suspects, const struct weak_fault *f,
                        struct error *err)
{
    const struct history *h = w->history;
    uint32_t txns[2] = { f->txn, HISTORY_NONE }, ops[2] = { f->op, f->other };
    struct discovery found = { .txns = txns, .txn_count = 1 };
    struct wrong_read read = { .txn = f->txn, .op = f->op, .key = h->op_key[f->op] };
    struct suspect suspect;
    struct name name = { 0 };

    TRY(name_fault(w, suspects, f, &name, &suspect, err));
    found.kind = found.proven = name.kind;
    tell_fault(&found.why, h, f, &name, &suspect);
    if (f->kind == WEAK_INCOMPATIBLE) {
        txns[1] = history_txn_of(h, f->other);
        proof_reads(&found.proof, h, txns, ops);
    } else {
        read.version_is_known = name.has_version;
        read.version = suspect.version;
        txns[1] = name.has_version ? suspect.txn : HISTORY_NONE;
        proof_read(&found.proof, h, &read);
    }
    found.txn_count += txns[1] != HISTORY_NONE && txns[1] != f->txn;
    return check_add(w->check, &found, err);
}

enum status weak_tell_faults(struct weak *w, struct error *err)
{
    struct suspects suspects;
    enum status status = STATUS_OK;

    suspects_init(&suspects, w->history, &w->places);
    for (size_t i = 0; i < w->faults.count && status == STATUS_OK && !check_is_full(w->check); i++)
        status = tell(w, &suspects, &w->faults.at[i], err);
    suspects_close(&suspects);
    return status;
}
