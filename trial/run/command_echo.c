#include "trial/run/command_echo.h"

#include <inttypes.h>
#include <string.h>

void command_echo_print_word(const char *word, struct buffer *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=.,/:@%";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        buffer_text(out, text_of(word));
        return;
    }
    buffer_byte(out, '\'');
    for (; *word; word++)
        buffer_text(out, *word == '\'' ? TEXT("'\\''") : (struct text){ word, 1 });
    buffer_byte(out, '\'');
}

void command_echo_print(const char *path, uint64_t seed, const char *const *sets, size_t set_count,
                        struct buffer *out)
{
    buffer_text(out, TEXT("ordeal run "));
    command_echo_print_word(path, out);
    buffer_print(out, " --seed %" PRIu64, seed);
    for (size_t i = 0; i < set_count; i++) {
        buffer_text(out, TEXT(" --set "));
        command_echo_print_word(sets[i], out);
    }
}
