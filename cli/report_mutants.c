#include "cli/report_mutants.h"

#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "checkers/checker.h"

#define NAME_WIDTH 18
#define COUNT_WIDTH 10
#define CELL_WIDTH 14

static const char *const end_names[MUTANT_END_COUNT] = {
    [MUTANT_NOT_ASKED] = "not_asked", [MUTANT_UNDECIDED] = "undecided",
    [MUTANT_CAUGHT] = "caught",       [MUTANT_MISSED] = "missed",
    [MUTANT_LEFT] = "left",           [MUTANT_STRICTER] = "stricter",
    [MUTANT_ACCUSED] = "accused",
};

static void pad(struct buffer *out, size_t from, size_t width)
{
    while (out->count - from < width && !out->out_of_memory)
        buffer_byte(out, ' ');
}

static void end_line(struct buffer *out)
{
    while (out->count > 0 && out->at[out->count - 1] == ' ')
        out->count--;
    buffer_byte(out, '\n');
}

/* "98%", "98% 3 ACCUSED" : of the wrong ones that it judged; and what is wrong with its verdicts. */
static void print_cell(const uint64_t ends[MUTANT_END_COUNT], struct buffer *out)
{
    uint64_t wrong = ends[MUTANT_CAUGHT] + ends[MUTANT_MISSED] + ends[MUTANT_UNDECIDED];

    if (wrong > 0)
        buffer_print(out, "%" PRIu64 "%%", ends[MUTANT_CAUGHT] * 100 / wrong);
    else
        buffer_text(out, ends[MUTANT_LEFT] + ends[MUTANT_STRICTER] > 0 ? TEXT(".") : TEXT("-"));
    if (ends[MUTANT_MISSED] > 0)
        buffer_print(out, " %" PRIu64 " MISSED", ends[MUTANT_MISSED]);
    if (ends[MUTANT_ACCUSED] > 0)
        buffer_print(out, " %" PRIu64 " ACCUSED", ends[MUTANT_ACCUSED]);
}

void report_mutants_print(const struct mutations *mutations, struct buffer *out)
{
    const struct checker *const *all = checkers_all();

    buffer_print(out, "mutants    of %" PRIu64 " recorded histories\n", mutations->recordings);
    buffer_text(out, TEXT("mutation             mutants     wrong  "));
    for (unsigned i = 0; all[i] && i < JURY_MAX; i++) {
        size_t from = out->count;
        buffer_text(out, text_of(all[i]->name));
        pad(out, from, CELL_WIDTH);
    }
    end_line(out);
    for (int m = 0; m < MUTATION_COUNT; m++) {
        const struct mutation_sum *sum = &mutations->sums[m];
        buffer_print(out, "%-*s%*" PRIu64 "%*" PRIu64 "  ", NAME_WIDTH,
                     mutate_name((enum mutation)m), COUNT_WIDTH, sum->mutants, COUNT_WIDTH,
                     sum->wrong);
        for (unsigned i = 0; all[i] && i < JURY_MAX; i++) {
            size_t from = out->count;
            print_cell(sum->ends[i], out);
            pad(out, from, CELL_WIDTH);
        }
        end_line(out);
    }
}

void report_mutants_answer(const struct mutations *mutations, struct json_writer *json)
{
    const struct checker *const *all = checkers_all();

    json_writer_open(json, "mutations", '{');
    json_writer_number(json, "recordings", mutations->recordings);
    json_writer_open(json, "kinds", '[');
    for (int m = 0; m < MUTATION_COUNT; m++) {
        const struct mutation_sum *sum = &mutations->sums[m];
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "name", mutate_name((enum mutation)m));
        json_writer_number(json, "mutants", sum->mutants);
        json_writer_number(json, "wrong", sum->wrong);
        json_writer_open(json, "checkers", '{');
        for (unsigned i = 0; all[i] && i < JURY_MAX; i++) {
            json_writer_open(json, all[i]->name, '{');
            for (int end = 0; end < MUTANT_END_COUNT; end++)
                json_writer_number(json, end_names[end], sum->ends[i][end]);
            json_writer_close(json, '}');
        }
        json_writer_close(json, '}');
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

static const char introduction[] =
    "\n## Mutants\n"
    "\n"
    "%" PRIu64 " histories of small clean runs, of four protocols, over registers and lists, each changed in one place, again\n"
    "and again. Whether a mutant is *wrong*, not serializable (with 2pl: not strictly), is found out by trying every\n"
    "order of its transactions. A cell says how many in a hundred of the wrong ones that the checker was asked about it\n"
    "caught; then, of the right ones, how many it refused. Who sees only what clients saw must refuse none. Who believes the\n"
    "certificate refuses those whose order is broken though there is another; `–` is one that cannot judge such mutants.\n"
    "\n";

static void print_page_cell(const uint64_t ends[MUTANT_END_COUNT], struct buffer *out)
{
    uint64_t wrong = ends[MUTANT_CAUGHT] + ends[MUTANT_MISSED] + ends[MUTANT_UNDECIDED];
    uint64_t refused = ends[MUTANT_STRICTER] + ends[MUTANT_ACCUSED];

    if (wrong + refused + ends[MUTANT_LEFT] == 0) {
        buffer_text(out, TEXT(" – |"));
        return;
    }
    if (wrong > 0)
        buffer_print(out, " %" PRIu64, ends[MUTANT_CAUGHT] * 100 / wrong);
    else
        buffer_text(out, TEXT(" ·"));
    if (refused > 0)
        buffer_print(out, "; %" PRIu64, refused);
    if (ends[MUTANT_MISSED] > 0)
        buffer_print(out, "; **%" PRIu64 " missed**", ends[MUTANT_MISSED]);
    if (ends[MUTANT_ACCUSED] > 0)
        buffer_print(out, "; **%" PRIu64 " accused**", ends[MUTANT_ACCUSED]);
    buffer_text(out, TEXT(" |"));
}

void report_mutants_print_page(const struct mutations *mutations, struct buffer *out)
{
    const struct checker *const *all = checkers_all();

    buffer_print(out, introduction, mutations->recordings);
    buffer_text(out, TEXT("| mutation | what it does | mutants | wrong |"));
    for (unsigned i = 0; all[i] && i < JURY_MAX; i++)
        buffer_print(out, " %s |", all[i]->name);
    buffer_text(out, TEXT("\n|---|---|---|---|"));
    for (unsigned i = 0; all[i] && i < JURY_MAX; i++)
        buffer_text(out, TEXT("---|"));
    buffer_byte(out, '\n');
    for (int m = 0; m < MUTATION_COUNT; m++) {
        const struct mutation_sum *sum = &mutations->sums[m];
        buffer_print(out, "| %s | %s | %" PRIu64 " | %" PRIu64 " |",
                     mutate_name((enum mutation)m), mutate_summary((enum mutation)m),
                     sum->mutants, sum->wrong);
        for (unsigned i = 0; all[i] && i < JURY_MAX; i++)
            print_page_cell(sum->ends[i], out);
        buffer_byte(out, '\n');
    }
}
