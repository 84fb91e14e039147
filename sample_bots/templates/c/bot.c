// Plays any game at random: change choose.
#include "plumbing.h"

#include <stdlib.h>
#include <time.h>

// What the bot remembers of one match.
struct memory {
    int seat;
};

// Learn the game, its options and your seat.
static void *match_started(const json *message)
{
    struct memory *self = allocate(sizeof *self);
    self->seat = json_int(json_get(message, "seat"));
    return self;
}

// Return one of the legal moves; the decision has the view of your seat and events too.
static const json *choose(void *self, const json *decision)
{
    (void)self;
    const json *moves = json_get(decision, "legal_moves");
    const json *move = json_first(moves);
    for (int skipped = rand() % json_count(moves); skipped > 0; skipped--)
        move = move->next;
    return move;
}

// Learn the result.
static void match_ended(void *self, const json *message)
{
    (void)message;
    free(self);
}

int main(void)
{
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    srand((unsigned)now.tv_nsec);
    return run(&(struct bot){match_started, choose, match_ended});
}
