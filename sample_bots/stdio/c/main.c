// Plays at random or greedily over a pipe, or shows the documented shuffle.
#include "greedy_bot.h"
#include "random_bot.h"
#include "shuffle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_seed(const char *text, uint8_t seed[SEED_BYTES])
{
    if (strlen(text) != 2 * SEED_BYTES)
        return false;
    for (int i = 0; i < SEED_BYTES; i++) {
        char digits[3] = {text[2 * i], text[2 * i + 1]};
        if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
            return false;
        seed[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return true;
}

static int show_shuffle(const char *seed_text, const char *length_text, const char *purpose)
{
    uint8_t seed[SEED_BYTES];
    if (!read_seed(seed_text, seed)) {
        fprintf(stderr, "a seed has 64 hexadecimal digits: %s\n", seed_text);
        return EXIT_FAILURE;
    }
    size_t digits = strspn(length_text, "0123456789");
    if (digits == 0 || digits > 9 || length_text[digits] != '\0') {
        fprintf(stderr, "a length is a whole number: %s\n", length_text);
        return EXIT_FAILURE;
    }
    uint32_t length = (uint32_t)strtoul(length_text, NULL, 10);
    uint32_t *items = allocate((length + 1) * sizeof *items);
    for (uint32_t i = 0; i < length; i++)
        items[i] = i;
    shuffle(items, length, seed, purpose);
    for (uint32_t i = 0; i < length; i++)
        printf("%s%lu", i == 0 ? "" : " ", (unsigned long)items[i]);
    printf("\n");
    free(items);
    return EXIT_SUCCESS;
}

int main(int argc, char *argv[])
{
    const char *what = argc > 1 ? argv[1] : "random";
    if (argc <= 2 && strcmp(what, "random") == 0)
        return run(&random_bot);
    if (argc == 2 && strcmp(what, "greedy") == 0)
        return run(&greedy_bot);
    if ((argc == 4 || argc == 5) && strcmp(what, "shuffle") == 0)
        return show_shuffle(argv[2], argv[3], argc == 5 ? argv[4] : "glastonbury/deck");
    fprintf(stderr, "usage: %s [random | greedy | shuffle SEED_HEX N [PURPOSE]]\n", argv[0]);
    return 2;
}
