#include "trial/run/signature.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "history/anomaly.h"
#include "history/level.h"

#define EDGES_MAX 64 /* of a cycle; what is longer has the shape of being long */

/* --- The shape of a proof --------------------------------------------------------------------- */

/* A piece of a shape: a kind of edge, and whether it stands for several. */
struct signature_piece {
    struct text kind;
    bool several;
};

static bool is_anti_dependency(struct text kind)
{
    return kind.length >= 2 && memcmp(kind.at + kind.length - 2, "rw", 2) == 0;
}

static int compare_pieces(const struct signature_piece *a, const struct signature_piece *b)
{
    int order = text_compare(a->kind, b->kind);

    return order ? order : (int)a->several - (int)b->several;
}

/*
 * The kinds of the edges of "cycle":[...]. Within the proof's texts every quotation
 * mark stands behind a backslash, so that this one is always the name of the field.
 */
static size_t read_edges(const char *proof, struct signature_piece pieces[EDGES_MAX])
{
    static const char field[] = "\"edge\":\"";
    size_t count = 0;

    while ((proof = strstr(proof, field)) != NULL && count < EDGES_MAX) {
        proof += sizeof field - 1;
        pieces[count++] = (struct signature_piece){ { proof, strcspn(proof, "\"") }, false };
    }
    return count;
}

/* Neighbours of one kind become one, also those at both ends: a cycle has none. */
static size_t merge_pieces(struct signature_piece *pieces, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && !is_anti_dependency(pieces[i].kind) &&
            text_equal(pieces[kept - 1].kind, pieces[i].kind))
            pieces[kept - 1].several = true;
        else
            pieces[kept++] = pieces[i];
    }
    if (kept > 1 && !is_anti_dependency(pieces[0].kind) &&
        text_equal(pieces[0].kind, pieces[kept - 1].kind)) {
        pieces[0].several = true;
        kept--;
    }
    return kept;
}

/* Where the cycle is to begin, so that every rotation of it reads the same. */
static size_t smallest_rotation(const struct signature_piece *pieces, size_t count)
{
    size_t best = 0;

    for (size_t from = 1; from < count; from++) {
        int order = 0;
        for (size_t i = 0; i < count && order == 0; i++)
            order = compare_pieces(&pieces[(from + i) % count], &pieces[(best + i) % count]);
        if (order < 0)
            best = from;
    }
    return best;
}

static void print_cycle(struct buffer *out, const char *proof)
{
    struct signature_piece pieces[EDGES_MAX];
    size_t count = read_edges(proof, pieces);
    size_t from;

    if (count == EDGES_MAX) {
        buffer_text(out, TEXT(" long"));
        return;
    }
    count = merge_pieces(pieces, count);
    from = smallest_rotation(pieces, count);
    for (size_t i = 0; i < count; i++) {
        const struct signature_piece *piece = &pieces[(from + i) % count];
        buffer_print(out, " %.*s%s", TEXT_PRINT(piece->kind), piece->several ? "+" : "");
    }
}

static bool is_row(uint8_t kind)
{
    return kind == OP_ROW_READ || kind == OP_ROW_WRITE || kind == OP_ROW_REMOVE;
}

static bool is_head(uint8_t kind)
{
    return kind == OP_SELECT || kind == OP_INSERT || kind == OP_UPDATE || kind == OP_DELETE;
}

/* Whether operation `number` of one of the transactions with this id is a statement. */
static bool reads_predicate(const struct history *h, const struct check_finding *finding,
                            int64_t id, uint32_t number)
{
    for (size_t i = 0; i < finding->txn_count; i++) {
        uint32_t txn = finding->txns[i];
        uint32_t counted = 0;
        for (uint32_t op = h->txn_op[txn]; h->txn_id[txn] == id && op < h->txn_op[txn + 1]; op++)
            if (!is_row(h->op_kind[op]) && counted++ == number)
                return is_head(h->op_kind[op]);
    }
    return false;
}

static void print_read(struct buffer *out, const struct history *h,
                       const struct check_finding *finding, const char *proof)
{
    long long id;
    unsigned number;

    if (sscanf(proof, "\"read\":{\"txn\":%lld,\"op\":%u", &id, &number) != 2)
        buffer_text(out, TEXT(" read"));
    else if (reads_predicate(h, finding, id, number))
        buffer_text(out, TEXT(" predicate"));
    else
        buffer_text(out, TEXT(" item"));
}

/* Of any other proof the shape is the name of its field. */
static void print_shape(struct buffer *out, const struct history *h,
                        const struct check_finding *finding)
{
    const char *proof = finding->proof ? finding->proof : "";

    if (strncmp(proof, "\"cycle\":", 8) == 0)
        print_cycle(out, proof);
    else if (strncmp(proof, "\"read\":", 7) == 0)
        print_read(out, h, finding, proof);
    else if (proof[0] == '"')
        buffer_print(out, " %.*s", (int)strcspn(proof + 1, "\""), proof + 1);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* On one line, and short enough. */
static void take(char text[SIGNATURE_SIZE], struct buffer *from)
{
    size_t length = from->count < SIGNATURE_SIZE ? from->count : SIGNATURE_SIZE - 1;

    if (from->out_of_memory)
        length = 0;
    for (size_t i = 0; i < length; i++)
        text[i] = (unsigned char)from->at[i] < ' ' ? ' ' : from->at[i];
    text[length] = '\0';
    /* A character that was cut in two is left out. */
    while (length > 0 && !text_is_utf8((struct text){ text, length }))
        text[--length] = '\0';
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
    buffer_close(from);
}

void signature_of_finding(char text[SIGNATURE_SIZE], const struct check *check,
                          const struct history *h, const struct check_finding *finding)
{
    struct buffer out = { 0 };

    buffer_print(&out, "%s %s %s", check->checker->name, level_name(check->level),
                 anomaly_name(finding->kind));
    print_shape(&out, h, finding);
    take(text, &out);
}

void signature_of_process(char text[SIGNATURE_SIZE], const char *how, const char *shape)
{
    struct buffer out = { 0 };

    buffer_print(&out, "run - %s %s", how, shape);
    take(text, &out);
}

/* A checker that found more than it tells of has found something. */
static void add_check(const struct check *check, const struct history *history,
                      struct signatures *signatures)
{
    struct signature *signature = &signatures->at[signatures->count++];

    if (check->findings.count > 0) {
        signature_of_finding(signature->text, check, history, &check->findings.at[0]);
        signature->explanation = check->findings.at[0].explanation;
        return;
    }
    snprintf(signature->text, SIGNATURE_SIZE, "%s %s invalid", check->checker->name,
             level_name(check->level));
    signature->explanation = check->reason;
}

static void add_jury(const struct jury *jury, const struct history *history,
                     struct signatures *signatures)
{
    for (uint32_t i = 0; i < jury->juror_count; i++)
        if (jury->jurors[i].check.verdict == VERDICT_INVALID)
            add_check(&jury->jurors[i].check, history, signatures);
}

static void add_own(enum anomaly kind, const char *name, const char *explanation,
                    struct signatures *signatures)
{
    struct signature *signature = &signatures->at[signatures->count++];

    signature_of_process(signature->text, anomaly_name(kind), name);
    signature->explanation = explanation;
}

static void add_audit(const struct call_audit *audit, struct signatures *signatures)
{
    struct signature *signature = &signatures->at[signatures->count++];

    snprintf(signature->text, SIGNATURE_SIZE, "audit %s %s", level_name(audit->level),
             anomaly_name(ANOMALY_WRONG_ANSWER));
    signature->explanation = audit->explanation;
}

void signature_of_trial(const struct trial *trial, struct signatures *signatures)
{
    const struct simulation *simulation = trial->simulation;

    signatures->count = 0;
    for (uint32_t i = 0; i < simulation->finding_count; i++)
        add_own(simulation->findings[i].kind, simulation->findings[i].name,
                simulation->findings[i].explanation, signatures);
    if (trial->is_judged)
        add_jury(&trial->jury, &trial->history, signatures);
    if (trial->is_audited && trial->audit.verdict.verdict == VERDICT_INVALID)
        add_audit(&trial->audit, signatures);
}

void signature_of_recording(const struct record_trial *trial, struct signatures *signatures)
{
    const struct recorded_run *recording = &trial->recording;

    signatures->count = 0;
    for (uint32_t i = 0; i < recording->finding_count; i++)
        add_own(recording->findings[i].kind, "", recording->findings[i].explanation, signatures);
    add_jury(&trial->jury, &recording->history, signatures);
}

static struct text next_word(struct text *rest)
{
    struct text word = { rest->at, 0 };

    while (word.length < rest->length && rest->at[word.length] != ' ')
        word.length++;
    rest->at += word.length;
    rest->length -= word.length;
    if (rest->length > 0) {
        rest->at++;
        rest->length--;
    }
    return word;
}

struct signature_parts signature_parts(struct text signature)
{
    struct signature_parts parts;

    parts.checker = next_word(&signature);
    parts.level = next_word(&signature);
    parts.anomaly = next_word(&signature);
    parts.shape = signature;
    return parts;
}

struct text signature_class(struct text signature)
{
    struct signature_parts parts = signature_parts(signature);

    return (struct text){ signature.at,
                          (size_t)(parts.anomaly.at + parts.anomaly.length - signature.at) };
}

static void answer_part(struct json_writer *json, const char *name, struct text part)
{
    char word[SIGNATURE_SIZE];

    if (part.length == 1 && part.at[0] == '-') {
        json_writer_null(json, name);
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)part.length, part.at);
    json_writer_text(json, name, word);
}

void signature_answer(const char *text, const char *explanation, struct json_writer *json)
{
    struct signature_parts parts = signature_parts(text_of(text));

    answer_part(json, "checker", parts.checker);
    answer_part(json, "level", parts.level);
    answer_part(json, "anomaly", parts.anomaly);
    json_writer_text(json, "signature", text);
    json_writer_text(json, "explanation", explanation);
}
