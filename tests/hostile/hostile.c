/*
 * hostile: what Ordeal does with files that are damaged, or made to hurt.
 *
 *     hostile damaged ORDEAL SAMPLES FROM COUNT    damages so many of the samples, each by its number
 *     hostile shapes ORDEAL PERCENT [SHAPE...]     each shape, at so much of its size, to all who read it
 *     hostile make SHAPE PERCENT                   prints one
 *     hostile list                                 the shapes
 *
 * Each file goes to the program in a process of its own, with 5 seconds and 1 GB (attempt.h). Damaged files are
 * many and small: most go to the program's main function, which is linked here. A finding is
 * printed with the command, and its file is kept in the folder that HOSTILE_KEEP names.
 *
 * The name of a sample tells what it is by its ending: history, scenario, program, witness (of the
 * history of the same name), log (of the program of the same name), journal, profile.
 */
#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/command.h"
#include "history/level.h"
#include "tests/history/binary/oh_repair.h"
#include "tests/hostile/attempt.h"
#include "tests/hostile/damage.h"
#include "tests/hostile/shapes.h"
#include "tests/trial/sweep/journal_repair.h"

#define ARGUMENTS_MAX 20
#define SAMPLES_MAX 1000
#define PATH_SIZE 500

static const struct allowance limits = { .seconds = 5, .megabytes = 1024 };

/* A command line that is put together. */
struct command_line {
    const char *words[ARGUMENTS_MAX + 1];
    size_t count;
    bool is_called; /* the function, not the program */
};

static void add(struct command_line *command, const char *word)
{
    assert(command->count < ARGUMENTS_MAX);
    command->words[command->count++] = word;
}

#define ADD(command, ...)                                                                          \
    do {                                                                                           \
        const char *const words[] = { __VA_ARGS__ };                                               \
        for (size_t i_ = 0; i_ < ROW_COUNT(words); i_++)                                           \
            add(command, words[i_]);                                                               \
    } while (0)

struct work {
    const char *ordeal;
    char folder[PATH_SIZE]; /* of what is being tried */
    char file[PATH_SIZE + 20], output[PATH_SIZE + 20], witness[PATH_SIZE + 20];
    uint64_t tried, statuses[4], findings;
};

static void work_open(struct work *work, const char *ordeal)
{
    const char *parent = getenv("TMPDIR");

    *work = (struct work){ .ordeal = ordeal };
    snprintf(work->folder, sizeof work->folder, "%s/hostile-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(work->folder)) {
        perror(work->folder);
        exit(2);
    }
    snprintf(work->output, sizeof work->output, "%s/output", work->folder);
    snprintf(work->witness, sizeof work->witness, "%s/witness", work->folder);
}

/* A new file of a kind: a profile is known by its ending, and a journal by its name. */
static void work_file(struct work *work, const char *kind)
{
    remove(work->file);
    snprintf(work->file, sizeof work->file, "%s/%s", work->folder,
             strcmp(kind, "profile") == 0 ? "profile.toml" : "journal");
}

static void work_close(struct work *work)
{
    remove(work->file);
    remove(work->output);
    remove(work->witness);
    rmdir(work->folder);
}

static void keep(const struct work *work, const char *name)
{
    const char *folder = getenv("HOSTILE_KEEP");
    char to[PATH_SIZE * 2];

    if (!folder)
        return;
    snprintf(to, sizeof to, "%s/%s", folder, name);
    if (link(work->file, to) != 0) { /* on another disk, perhaps */
        char line[PATH_SIZE * 4];
        snprintf(line, sizeof line, "cp '%s' '%s'", work->file, to);
        if (system(line) != 0)
            perror(to);
    }
}

static int call_ordeal(int count, char *const *arguments)
{
    return command_main(count, arguments, "hostile");
}

/* Runs it and says what is wrong, if anything is. */
static struct attempt try_it(struct work *work, struct command_line *command, const char *name)
{
    struct attempt attempt;
    const char *fault;

    command->words[command->count] = NULL;
    attempt = command->is_called ? attempt_call(call_ordeal, command->words, work->file, &limits)
                                 : attempt_run(command->words, work->file, &limits);
    fault = attempt_fault(&attempt, &limits);
    work->tried++;
    if (attempt.status >= 0 && attempt.status < 4)
        work->statuses[attempt.status]++;
    if (fault) {
        work->findings++;
        keep(work, name);
        printf("not ok - %s: %s (status %d, signal %d, %" PRId64 " ms of processors, %" PRId64
               " ms, %" PRId64 " MB):",
               name, fault, attempt.status, attempt.signal, attempt.cpu_ms, attempt.wall_ms,
               attempt.megabytes_max);
        for (size_t i = 0; i < command->count; i++)
            printf(" %s", command->words[i]);
        printf("\n    %s\n", attempt.words);
        fflush(stdout);
    }
    return attempt;
}

static bool work_report(const struct work *work, const char *what)
{
    printf("%s - %" PRIu64 " %s: %" PRIu64 " valid, %" PRIu64 " invalid, %" PRIu64 " refused, %" PRIu64
           " undecided, %" PRIu64 " findings\n",
           work->findings ? "not ok" : "ok", work->tried, what, work->statuses[0], work->statuses[1],
           work->statuses[2], work->statuses[3], work->findings);
    return work->findings == 0;
}

static void add_limits(struct command_line *command)
{
    if (strcmp(command->words[0], "/bin/sh") == 0)
        return;
    if (strcmp(command->words[1], "sweep") != 0) /* whose limits are those of its runs */
        ADD(command, "--timeout", "5");
    ADD(command, "--memory", "1G");
}

/* --- Commands for a file, by what it is -------------------------------------------------------- */

static const char *const checkers[] = { "order", "certificate", "blackbox", "weak", "infer", "interval" };
static const char *const formats[] = { "jsonl", "oh", "plume", "dbcop", "jepsen-edn", "jepsen-json",
                                       "isopredict" };

/* From a pipe: a file might still grow, which is waited for. */
static void watch_command(const struct work *work, struct command_line *command)
{
    command->count = 0;
    ADD(command, "/bin/sh", "-c",
        "cat \"$1\" | exec \"$0\" watch - --profile postgresql/serializable --timeout 5 --memory 1G",
        work->ordeal, work->file);
}

static void history_command(struct dice *dice, struct work *work, const char *ordeal_witness,
                            struct command_line *command)
{
    switch (dice_throw(dice, 8)) {
    case 0:
        ADD(command, "check", work->file);
        break;
    case 1:
        ADD(command, "convert", work->file, "--to", formats[dice_throw(dice, ROW_COUNT(formats))], "-o",
            work->output);
        break;
    case 2:
        ADD(command, "watch", "-", "--profile", "postgresql/serializable");
        break;
    case 3:
        if (ordeal_witness) {
            ADD(command, "verify", work->file, ordeal_witness);
            break;
        }
        /* fall through */
    default:
        ADD(command, "check", work->file, "--checker", checkers[dice_throw(dice, ROW_COUNT(checkers))],
            "--level", level_name((enum level)dice_throw(dice, LEVEL_COUNT)), "-j", "1");
        if (dice_rarely(dice, 4))
            ADD(command, "--version-order", "0");
        if (dice_rarely(dice, 4))
            ADD(command, "--witness", work->output);
    }
}

static const char *const audited[] = { "serializable", "strict-serializable", "snapshot", "strict-snapshot",
                                       "read-committed" };

/* Without dice: at the first level. */
static void log_command(struct dice *dice, struct work *work, const char *programs,
                        struct command_line *command)
{
    unsigned level = dice ? dice_throw(dice, ROW_COUNT(audited)) : 0;

    ADD(command, "audit", work->file, "--programs", programs, "--level", audited[level]);
    if (dice && dice_rarely(dice, 4))
        ADD(command, "--witness", work->output);
    if (dice && dice_rarely(dice, 8))
        ADD(command, "--initial", "unknown");
}

/* --- Damaged samples ---------------------------------------------------------------------------- */

struct sample {
    char path[PATH_SIZE];
    const char *kind; /* the name's ending */
    struct buffer bytes;
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct sample *)a)->path, ((const struct sample *)b)->path);
}

static void read_sample(struct sample *sample)
{
    FILE *file = fopen(sample->path, "rb");
    char bytes[65536];
    size_t size;

    while (file && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
        buffer_text(&sample->bytes, (struct text){ bytes, size });
    if (!file || sample->bytes.count == 0) {
        fprintf(stderr, "hostile: %s cannot be read, or is empty\n", sample->path);
        exit(2);
    }
    fclose(file);
    sample->kind = strrchr(sample->path, '.');
    sample->kind = sample->kind ? sample->kind + 1 : "history";
}

static size_t read_samples(const char *folder, struct sample *samples)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    size_t count = 0;

    while (directory && (entry = readdir(directory)) && count < SAMPLES_MAX)
        if (entry->d_name[0] != '.')
            snprintf(samples[count++].path, PATH_SIZE, "%s/%s", folder, entry->d_name);
    if (count == 0) {
        fprintf(stderr, "hostile: there are no samples in %s\n", folder);
        exit(2);
    }
    closedir(directory);
    qsort(samples, count, sizeof *samples, by_path);
    for (size_t i = 0; i < count; i++)
        read_sample(&samples[i]);
    return count;
}

static bool put_file(const char *path, struct text bytes)
{
    FILE *file = fopen(path, "wb");
    bool is_written = file && fwrite(bytes.at, 1, bytes.length, file) == bytes.length;

    return file && fclose(file) == 0 && is_written;
}

/* Another file beside the sample: "x.history" of "x.blackbox.witness". NULL: there is none. */
static const char *sibling(const char *path, const char *ending, char *buffer)
{
    const char *name = strrchr(path, '/') + 1;

    snprintf(buffer, PATH_SIZE, "%.*s.%s", (int)(name - path + (ptrdiff_t)strcspn(name, ".")), path, ending);
    return access(buffer, R_OK) == 0 ? buffer : NULL;
}

/* Histories have the most readers; of each other kind there are as many, however many samples it has. */
static struct sample *pick_sample(struct dice *dice, struct sample *samples, size_t sample_count)
{
    static const char *const kinds[] = { "witness", "scenario", "program", "profile", "journal", "log" };
    const char *kind = dice_rarely(dice, 2) ? "history" : kinds[dice_throw(dice, ROW_COUNT(kinds))];
    size_t of_kind = 0, chosen;

    for (size_t i = 0; i < sample_count; i++)
        of_kind += strcmp(samples[i].kind, kind) == 0;
    chosen = of_kind > 0 ? dice_throw(dice, (unsigned)of_kind) : dice_throw(dice, (unsigned)sample_count);
    for (size_t i = 0; of_kind > 0 && i <= chosen; i++)
        chosen += strcmp(samples[i].kind, kind) != 0;
    return &samples[chosen];
}

/* Who reads it. Without dice, which choose among those of a history: the first. */
static void sample_command(struct dice *dice, struct work *work, const struct sample *sample, char *other,
                           struct command_line *command)
{
    add(command, work->ordeal);
    /* A journal is of the program that wrote it, which this is not. */
    command->is_called = strcmp(sample->kind, "journal") != 0;
    if (strcmp(sample->kind, "scenario") == 0)
        ADD(command, "run", work->file);
    else if (strcmp(sample->kind, "program") == 0)
        ADD(command, "program", work->file);
    else if (strcmp(sample->kind, "witness") == 0)
        ADD(command, "verify", sibling(sample->path, "history", other), work->file);
    else if (strcmp(sample->kind, "journal") == 0)
        ADD(command, "sweep", "--merge", work->folder);
    else if (strcmp(sample->kind, "profile") == 0)
        ADD(command, "check", sibling(sample->path, "history", other), "--checker", "interval", "--profile",
            work->file);
    else if (strcmp(sample->kind, "log") == 0)
        log_command(dice, work, sibling(sample->path, "program", other), command);
    else if (dice)
        history_command(dice, work, sibling(sample->path, "blackbox.witness", other), command);
    else
        ADD(command, "check", work->file);
    add_limits(command);
}

static void try_damaged(struct work *work, struct sample *samples, size_t sample_count, uint64_t number)
{
    struct dice dice;
    struct sample *sample;
    struct buffer bytes = { 0 };
    struct command_line command = { 0 };
    char other[PATH_SIZE], name[PATH_SIZE * 2];
    bool is_repaired;

    dice_of_seed(&dice, number);
    sample = pick_sample(&dice, samples, sample_count);
    work_file(work, sample->kind);
    is_repaired = dice_rarely(&dice, 2);
    buffer_text(&bytes, (struct text){ sample->bytes.at, sample->bytes.count });
    damage(&dice, &bytes);
    if (is_repaired && bytes.count > 8 && memcmp(bytes.at, "\x89OHD", 4) == 0)
        oh_repair((unsigned char *)bytes.at, bytes.count);
    if (is_repaired && strcmp(sample->kind, "journal") == 0)
        journal_repair(work->file, (struct text){ bytes.at, bytes.count });
    else if (!put_file(work->file, (struct text){ bytes.at, bytes.count }))
        perror(work->file);

    sample_command(&dice, work, sample, other, &command);
    snprintf(name, sizeof name, "%" PRIu64 "-%s", number, strrchr(sample->path, '/') + 1);
    try_it(work, &command, name);
    buffer_close(&bytes);
}

/* Damage to what would be refused anyhow shows nothing: whoever reads a sample must accept it. */
static bool accepts_whole(struct work *work, const struct sample *sample)
{
    struct command_line command = { 0 };
    struct attempt attempt;
    char other[PATH_SIZE];

    work_file(work, sample->kind);
    if (!put_file(work->file, (struct text){ sample->bytes.at, sample->bytes.count }))
        perror(work->file);
    sample_command(NULL, work, sample, other, &command);
    attempt = try_it(work, &command, strrchr(sample->path, '/') + 1);
    if (attempt.status == 2)
        fprintf(stderr, "hostile: %s is refused before it is damaged: %s\n", sample->path, attempt.words);
    return attempt.status != 2;
}

static int damaged(const char *ordeal, const char *folder, uint64_t from, uint64_t count)
{
    static struct sample samples[SAMPLES_MAX];
    size_t sample_count = read_samples(folder, samples);
    struct work work;
    bool is_good = true;

    work_open(&work, ordeal);
    for (size_t i = 0; i < sample_count; i++)
        is_good = accepts_whole(&work, &samples[i]) && is_good;
    if (!is_good) {
        work_close(&work);
        return 2;
    }
    work.tried = 0;
    memset(work.statuses, 0, sizeof work.statuses);
    for (uint64_t i = 0; i < count; i++)
        try_damaged(&work, samples, sample_count, from + i);
    is_good = work_report(&work, "damaged files");
    for (size_t i = 0; i < sample_count; i++)
        buffer_close(&samples[i].bytes);
    work_close(&work);
    return is_good ? 0 : 1;
}

/* --- Shapes --------------------------------------------------------------------------------------- */

/* Small, for a witness or profile to be tried on; the witness has its digest. */
static const char small_history[] =
    "{\"ordeal-history\":1}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"append\":\"x\",\"v\":1}]}\n"
    "{\"txn\":2,\"session\":0,\"status\":\"ok\",\"at\":[3,4],\"ops\":[{\"r\":\"x\",\"v\":[1]}]}\n";

static void make_shape(const struct shape *shape, FILE *out, unsigned percent)
{
    uint64_t size = shape->size / 100 * percent + shape->size % 100 * percent / 100;

    shape->make(out, size > 0 ? size : 1);
    if (fflush(out) != 0 || ferror(out)) {
        perror(shape->name);
        exit(2);
    }
}

static void try_history(struct work *work, const char *name)
{
    static const char *const levels[] = { "serializable", "serializable", "snapshot", "causal",
                                          "serializable", "snapshot" };

    for (size_t i = 0; i < ROW_COUNT(checkers); i++) {
        struct command_line check = { 0 }, verify = { 0 };

        remove(work->witness);
        ADD(&check, work->ordeal, "check", work->file, "--checker", checkers[i], "--level", levels[i], "-j",
            "1", "--witness", work->witness);
        add_limits(&check);
        try_it(work, &check, name);
        if (access(work->witness, R_OK) == 0) {
            ADD(&verify, work->ordeal, "verify", work->file, work->witness);
            add_limits(&verify);
            try_it(work, &verify, name);
        }
    }
    {
        struct command_line all = { 0 }, without = { 0 }, z3 = { 0 }, convert = { 0 }, watch = { 0 };

        ADD(&all, work->ordeal, "check", work->file, "-j", "1");
        add_limits(&all);
        try_it(work, &all, name);
        ADD(&without, work->ordeal, "check", work->file, "-j", "1", "--version-order", "0");
        add_limits(&without);
        try_it(work, &without, name);
        ADD(&z3, work->ordeal, "check", work->file, "--checker", "blackbox", "--engine", "z3");
        add_limits(&z3);
        try_it(work, &z3, name);
        ADD(&convert, work->ordeal, "convert", work->file, "--to", "oh", "-o", work->output);
        add_limits(&convert);
        try_it(work, &convert, name);
        watch_command(work, &watch);
        try_it(work, &watch, name);
    }
}

static void try_log(struct work *work, const char *name)
{
    put_file(work->output, (struct text){ shape_log_program, strlen(shape_log_program) });
    for (size_t i = 0; i < ROW_COUNT(audited); i++) {
        struct command_line command = { 0 };

        ADD(&command, work->ordeal, "audit", work->file, "--programs", work->output, "--level", audited[i],
            "--witness", work->witness);
        add_limits(&command);
        try_it(work, &command, name);
    }
}

static void try_shape(struct work *work, const struct shape *shape, unsigned percent)
{
    struct command_line command = { 0 };
    FILE *file;

    work_file(work, shape->kind);
    file = fopen(work->file, "wb");
    if (!file) {
        perror(work->file);
        exit(2);
    }
    make_shape(shape, file, percent);
    fclose(file);
    if (strcmp(shape->kind, "history") == 0) {
        try_history(work, shape->name);
        return;
    }
    if (strcmp(shape->kind, "log") == 0) {
        try_log(work, shape->name);
        return;
    }
    add(&command, work->ordeal);
    if (strcmp(shape->kind, "scenario") == 0)
        ADD(&command, "run", work->file);
    else if (strcmp(shape->kind, "program") == 0)
        ADD(&command, "program", work->file);
    else if (strcmp(shape->kind, "journal") == 0)
        ADD(&command, "sweep", "--merge", work->folder);
    else {
        put_file(work->output, (struct text){ small_history, sizeof small_history - 1 });
        if (strcmp(shape->kind, "witness") == 0)
            ADD(&command, "verify", work->output, work->file);
        else
            ADD(&command, "check", work->output, "--checker", "interval", "--profile", work->file);
    }
    add_limits(&command);
    try_it(work, &command, shape->name);
}

static int try_shapes(const char *ordeal, unsigned percent, char **names, size_t name_count)
{
    const struct shape *shape;
    struct work work;
    bool is_good;

    work_open(&work, ordeal);
    for (size_t i = 0; i < name_count; i++)
        if (!shape_named(names[i])) {
            fprintf(stderr, "hostile: there is no shape %s\n", names[i]);
            return 2;
        }
    for (size_t i = 0; (shape = shape_at(i)); i++) {
        bool is_wanted = name_count == 0;

        for (size_t j = 0; j < name_count; j++)
            is_wanted = is_wanted || strcmp(names[j], shape->name) == 0;
        if (is_wanted)
            try_shape(&work, shape, percent);
    }
    is_good = work_report(&work, "hostile files");
    work_close(&work);
    return is_good ? 0 : 1;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 6 && strcmp(argv[1], "damaged") == 0)
        return damaged(argv[2], argv[3], strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
    if (argc >= 4 && strcmp(argv[1], "shapes") == 0)
        return try_shapes(argv[2], (unsigned)atoi(argv[3]), argv + 4, (size_t)argc - 4);
    if (argc == 4 && strcmp(argv[1], "make") == 0 && shape_named(argv[2])) {
        make_shape(shape_named(argv[2]), stdout, (unsigned)atoi(argv[3]));
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        const struct shape *shape;

        for (size_t i = 0; (shape = shape_at(i)); i++)
            printf("%-22s %s\n", shape->name, shape->kind);
        return 0;
    }
    fprintf(stderr, "usage: hostile damaged ORDEAL SAMPLES FROM COUNT | shapes ORDEAL PERCENT [SHAPE...] |"
                    " make SHAPE PERCENT | list\n");
    return 2;
}
