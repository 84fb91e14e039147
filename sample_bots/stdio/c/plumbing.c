// Everything between a bot and the referee; you can write a bot without reading it.
#define _POSIX_C_SOURCE 200809L
#include "plumbing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A match under way.
struct match {
    char *name; // as it is written in JSON
    void *self;
    int decision_id;
    char *submitted; // the last answer, to repeat it if the same decision comes again
    char *first;     // the first legal move, the answer if a move is rejected
    struct match *next;
};

static struct match *matches;

static void leave(int number);
static void answer(const struct bot *bot, const json *said);
static void decide(const struct bot *bot, const json *asked);
static void submit(const struct match *match, const char *move);
static struct match **find(const json *name);
static char *copy_text(const json *value);
static char *read_line(void);

int run(const struct bot *bot)
{
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    bool over = false;
    for (char *line; !over && (line = read_line()); free(line)) {
        json *said = json_read(line);
        if (!said) {
            fprintf(stderr, "this line is not JSON: %s\n", line);
            exit(EXIT_FAILURE);
        }
        over = json_get(said, "goodbye");
        answer(bot, said);
        free(said);
    }
    return EXIT_SUCCESS;
}

void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        perror("allocate");
        exit(EXIT_FAILURE);
    }
    return memory;
}

// Ask for no more matches, and play those under way; a second signal ends the program.
static void leave(int number)
{
    (void)number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    static const char line[] = "{\"leave\":{}}\n";
    if (write(STDOUT_FILENO, line, sizeof line - 1) < 0)
        _exit(EXIT_FAILURE);
}

static void answer(const struct bot *bot, const json *said)
{
    const json *message;
    if ((message = json_get(said, "match_started"))) {
        struct match *new = allocate(sizeof *new);
        new->name = copy_text(json_get(message, "match"));
        new->self = bot->match_started(message);
        new->next = matches;
        matches = new;
    } else if ((message = json_get(said, "decision"))) {
        decide(bot, message);
    } else if ((message = json_get(said, "move_rejected"))) {
        char *sentence = copy_text(json_get(message, "message"));
        fprintf(stderr, "rejected: %s\n", sentence);
        free(sentence);
        struct match *match = *find(json_get(message, "match"));
        if (match && match->first)
            submit(match, match->first);
    } else if ((message = json_get(said, "match_ended"))) {
        struct match **link = find(json_get(message, "match"));
        struct match *ended = *link;
        if (!ended)
            return;
        bot->match_ended(ended->self, message);
        *link = ended->next;
        free(ended->name);
        free(ended->submitted);
        free(ended->first);
        free(ended);
    }
}

static void decide(const struct bot *bot, const json *asked)
{
    struct match *match = *find(json_get(asked, "match"));
    if (!match) {
        fprintf(stderr, "a decision of a match that did not start\n");
        return;
    }
    int decision_id = json_int(json_get(asked, "decision_id"));
    if (!match->submitted || match->decision_id != decision_id) {
        free(match->submitted);
        free(match->first);
        match->submitted = copy_text(bot->choose(match->self, asked));
        match->first = copy_text(json_first(json_get(asked, "legal_moves")));
        match->decision_id = decision_id;
    }
    submit(match, match->submitted);
}

static void submit(const struct match *match, const char *move)
{
    printf("{\"submit_move\":{\"match\":%s,\"decision_id\":%d,\"move\":%s}}\n", match->name,
           match->decision_id, move);
    fflush(stdout);
}

// Return the link to the match of this name; it is NULL if there is no such match.
static struct match **find(const json *name)
{
    struct match **link = &matches;
    while (*link && name &&
           (strlen((*link)->name) != name->length ||
            memcmp((*link)->name, name->text, name->length) != 0))
        link = &(*link)->next;
    return link;
}

static char *copy_text(const json *value)
{
    size_t length = value ? value->length : 0;
    char *copy = allocate(length + 1);
    if (value)
        memcpy(copy, value->text, length);
    return copy;
}

// Read a line of any length; NULL at the end of the input.
static char *read_line(void)
{
    size_t size = 1 << 14, length = 0;
    char *line = allocate(size);
    while (fgets(line + length, (int)(size - length), stdin)) {
        length += strlen(line + length);
        if (length + 1 < size || line[length - 1] == '\n')
            return line;
        size *= 2;
        char *longer = realloc(line, size);
        if (!longer) {
            perror("read_line");
            exit(EXIT_FAILURE);
        }
        line = longer;
    }
    if (length > 0)
        return line;
    free(line);
    return NULL;
}
