#include "history/binary/oh.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/checksum.h"
#include "history/history_private.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are mapped as they stand");

#define VERSION 1
#define ALIGNMENT 64
#define NAME_SIZE 28

static const unsigned char magic[OH_MAGIC_SIZE] = { 0x89, 'O', 'H', 'D', '\r', '\n', 0x1a, '\n' };

struct header {
    unsigned char magic[OH_MAGIC_SIZE];
    uint32_t version, section_count;
    uint64_t file_size;
    uint32_t workload, producer;
    int32_t unique;
    uint32_t zero[5];
    uint64_t checksum; /* of header and table, with this as zero */
};

struct oh_section {
    char name[NAME_SIZE]; /* the column's, and zeros */
    uint32_t element_size;
    uint64_t count, offset, size, checksum;
};

_Static_assert(sizeof(struct header) == 64 && sizeof(struct oh_section) == 64, "no padding");

struct head {
    struct header header;
    struct oh_section sections[HISTORY_COLUMN_COUNT];
};

_Static_assert(sizeof(struct head) == 64 + 64 * HISTORY_COLUMN_COUNT, "no padding");

static uint64_t align(uint64_t offset)
{
    return (offset + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

static size_t head_size(uint32_t section_count)
{
    return sizeof(struct header) + section_count * sizeof(struct oh_section);
}

static uint64_t head_checksum(const struct head *head)
{
    struct head copy = *head;

    copy.header.checksum = 0;
    return checksum(&copy, head_size(head->header.section_count));
}

bool oh_is(const void *bytes, size_t size)
{
    return size >= OH_MAGIC_SIZE && memcmp(bytes, magic, OH_MAGIC_SIZE) == 0;
}

/* The sections of a history, one after another. */
static void lay_out(const struct history *h, struct head *head)
{
    uint64_t offset;
    uint32_t count = 0;

    *head = (struct head){ .header = { .version = VERSION,
                                       .workload = h->workload,
                                       .producer = h->producer,
                                       .unique = h->unique } };
    memcpy(head->header.magic, magic, sizeof magic);
    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++)
        count += history_column(h, c) != NULL;
    head->header.section_count = count;
    offset = head_size(count);
    count = 0;
    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++) {
        const struct history_form *form = &history_forms[c];
        struct oh_section *section = &head->sections[count];
        if (!history_column(h, c))
            continue;
        memcpy(section->name, form->name, strlen(form->name));
        section->element_size = form->element_size;
        section->count = history_group_count(h, form->group) + form->extra;
        section->size = section->count * form->element_size;
        section->offset = align(offset);
        section->checksum = checksum(history_column(h, c), section->size);
        offset = section->offset + section->size;
        count++;
    }
    head->header.file_size = offset;
    head->header.checksum = head_checksum(head);
}

enum status oh_write(const struct history *h,
                     enum status (*write)(void *, const void *, size_t, struct error *),
                     void *context, struct error *err)
{
    static const char zeros[ALIGNMENT];
    struct head head;
    uint64_t written;
    size_t n = 0;

    lay_out(h, &head);
    written = head_size(head.header.section_count);
    TRY(write(context, &head, (size_t)written, err));
    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++) {
        const void *column = history_column(h, c);
        if (!column)
            continue;
        if (head.sections[n].offset > written)
            TRY(write(context, zeros, (size_t)(head.sections[n].offset - written), err));
        if (head.sections[n].size)
            TRY(write(context, column, (size_t)head.sections[n].size, err));
        written = head.sections[n].offset + head.sections[n].size;
        n++;
    }
    assert(written == head.header.file_size);
    return STATUS_OK;
}

static enum status refuse_section(const struct oh_section *section, struct error *err,
                                  const char *why)
{
    err->offset = section->offset;
    return error_set(err, STATUS_BAD_INPUT, "section %.*s: %s", NAME_SIZE, section->name, why);
}

/* Header and table, as far as their checksum vouches for them. */
static enum status read_head(const char *bytes, size_t size, struct head *head, struct error *err)
{
    struct header *header = &head->header;

    err->offset = 0;
    if (!oh_is(bytes, size))
        return error_set(err, STATUS_BAD_INPUT, "not an .oh file: its first bytes are others");
    if (size < sizeof *header)
        return error_set(err, STATUS_BAD_INPUT, "header: the file is cut short: %zu of %zu bytes",
                         size, sizeof *header);
    memcpy(header, bytes, sizeof *header);
    if (header->version != VERSION)
        return error_set(err, STATUS_BAD_INPUT, "version %" PRIu32 ", but we read version %d",
                         header->version, VERSION);
    if (header->section_count > HISTORY_COLUMN_COUNT)
        return error_set(err, STATUS_BAD_INPUT, "header: %" PRIu32 " sections, more than there are",
                         header->section_count);
    if (size < head_size(header->section_count))
        return error_set(err, STATUS_BAD_INPUT,
                         "table of sections: the file is cut short: %zu of %zu bytes", size,
                         head_size(header->section_count));
    memcpy(head->sections, bytes + sizeof *header,
           header->section_count * sizeof *head->sections);
    if (header->checksum != head_checksum(head))
        return error_set(err, STATUS_BAD_INPUT,
                         "header: checksum does not match: the file is damaged");
    for (size_t i = 0; i < ROW_COUNT(header->zero); i++)
        if (header->zero[i])
            return error_set(err, STATUS_BAD_INPUT, "header: what must be zero is not");
    if (header->unique < -1 || header->unique > 1)
        return error_set(err, STATUS_BAD_INPUT, "header: unique is %" PRId32, header->unique);
    return STATUS_OK;
}

static bool has_name(const struct oh_section *section, enum history_column column)
{
    char name[NAME_SIZE] = { 0 };

    memcpy(name, history_forms[column].name, strlen(history_forms[column].name));
    return memcmp(name, section->name, NAME_SIZE) == 0;
}

/* Sections come in the order of the columns; only optional ones may be left out. */
static enum status find_column(const struct head *head, size_t n, enum history_column *column,
                               struct error *err)
{
    const struct oh_section *section = n < head->header.section_count ? &head->sections[n] : NULL;
    bool is_known = false;

    for (; *column < HISTORY_COLUMN_COUNT; (*column)++) {
        if (section && has_name(section, *column))
            return STATUS_OK;
        if (!history_forms[*column].optional)
            break;
    }
    for (enum history_column c = 0; section && c < HISTORY_COLUMN_COUNT; c++)
        is_known = is_known || has_name(section, c);
    if (section && !is_known)
        return refuse_section(section, err, "no section has this name");
    if (*column < HISTORY_COLUMN_COUNT)
        return error_set(err, STATUS_BAD_INPUT, "section %s: missing, or not in its place",
                         history_forms[*column].name);
    return section ? refuse_section(section, err, "not in its place") : STATUS_OK;
}

/* Element sizes and counts fit the column; the first column of a group counts it. */
static enum status check_section(const struct oh_section *section, enum history_column column,
                                 bool is_first, uint64_t offset, struct history *h,
                                 struct error *err)
{
    const struct history_form *form = &history_forms[column];
    uint64_t size;

    if (section->element_size != form->element_size)
        return refuse_section(section, err, "elements of another size");
    if (__builtin_mul_overflow(section->count, section->element_size, &size) ||
        size != section->size || section->count < form->extra)
        return refuse_section(section, err, "count and size do not go together");
    if (is_first)
        history_set_group_count(h, form->group, (size_t)(section->count - form->extra));
    if (section->count != history_group_count(h, form->group) + form->extra)
        return refuse_section(section, err, "not as many elements as the columns beside it");
    if (section->offset != offset)
        return refuse_section(section, err, "not where the section before it ends");
    if (section->offset + section->size < section->offset)
        return refuse_section(section, err, "larger than any file");
    return STATUS_OK;
}

static enum status check_contents(const struct oh_section *section, uint64_t before,
                                  const char *bytes, size_t size, struct error *err)
{
    if (section->offset > size || section->size > size - section->offset)
        return refuse_section(section, err, "the file is cut short: it ends before");
    if (checksum(bytes + section->offset, (size_t)section->size) != section->checksum)
        return refuse_section(section, err, "checksum does not match: the file is damaged");
    for (uint64_t i = before; i < section->offset; i++)
        if (bytes[i])
            return refuse_section(section, err, "the bytes before it are not zero");
    return STATUS_OK;
}

/* Points the history's columns into the bytes. */
static enum status read_sections(const char *bytes, size_t size, const struct head *head,
                                 struct history *h, struct error *err)
{
    bool group_is_counted[GROUP_COUNT] = { false };
    uint64_t end = head_size(head->header.section_count);
    enum history_column column = 0;

    for (size_t n = 0; n < head->header.section_count; n++, column++) {
        const struct oh_section *section = &head->sections[n];
        bool *is_counted;
        TRY(find_column(head, n, &column, err));
        is_counted = &group_is_counted[history_forms[column].group];
        TRY(check_section(section, column, !*is_counted, align(end), h, err));
        TRY(check_contents(section, end, bytes, size, err));
        *is_counted = true;
        history_set_column(h, column, bytes + section->offset);
        end = section->offset + section->size;
    }
    TRY(find_column(head, head->header.section_count, &column, err));
    err->offset = end;
    if (end != head->header.file_size)
        return error_set(err, STATUS_BAD_INPUT, "header: not the size of its sections");
    if (size != end)
        return error_set(err, STATUS_BAD_INPUT, "%" PRIu64 " bytes too many after the last section",
                         (uint64_t)size - end);
    err->offset = 0;
    return STATUS_OK;
}

/* Makes a history of the bytes, which are its own from now on. */
static enum status take(void *bytes, size_t size, bool is_mapped, struct history *h,
                        struct error *err)
{
    struct head head;

    *h = (struct history){ 0 };
    h->memory = calloc(1, sizeof *h->memory);
    if (!h->memory) {
        if (is_mapped)
            (void)munmap(bytes, size);
        else
            free(bytes);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a history");
    }
    h->memory->file = bytes;
    h->memory->file_size = size;
    h->memory->file_is_mapped = is_mapped;
    TRY(read_head(bytes, size, &head, err));
    h->workload = head.header.workload;
    h->producer = head.header.producer;
    h->unique = (int8_t)head.header.unique;
    TRY(read_sections(bytes, size, &head, h, err));
    TRY(history_check(h, err));
    return history_derive(h, err);
}

static enum status take_or_free(const char *name, void *bytes, size_t size, bool is_mapped,
                                struct history *h, struct error *err)
{
    enum status status = take(bytes, size, is_mapped, h, err);

    if (status != STATUS_OK) {
        history_close(h);
        error_set_file(err, name);
    }
    return status;
}

enum status oh_read(const char *name, void *bytes, size_t size, struct history *h,
                    struct error *err)
{
    return take_or_free(name, bytes, size, false, h, err);
}

static enum status refuse_file(const char *path, const char *what, struct error *err)
{
    error_set_file(err, path);
    return error_set(err, STATUS_IO, "%s: %s", what, strerror(errno));
}

static enum status map(const char *path, int file, struct history *h, struct error *err)
{
    struct stat about;
    void *bytes;

    if (fstat(file, &about) != 0)
        return refuse_file(path, "cannot be read", err);
    if (!S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof(struct header)) {
        error_set_file(err, path);
        return error_set(err, STATUS_BAD_INPUT, "not an .oh file: %s",
                         S_ISREG(about.st_mode) ? "it is too short" : "no plain file");
    }
    bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED)
        return refuse_file(path, "cannot be mapped", err);
    return take_or_free(path, bytes, (size_t)about.st_size, true, h, err);
}

enum status oh_map(const char *path, struct history *h, struct error *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    enum status status;

    *h = (struct history){ 0 };
    if (file < 0)
        return refuse_file(path, "cannot be opened", err);
    status = map(path, file, h, err);
    (void)close(file);
    return status;
}
