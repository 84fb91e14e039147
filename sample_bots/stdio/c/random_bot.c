// Answers every decision of any game with a random legal move.
//
// The environment variable BOT_SEED makes it repeatable.
#include "random_bot.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

struct random {
    uint64_t state;
};

// Return the next number (SplitMix64).
static uint64_t next(struct random *self)
{
    uint64_t z = self->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Begin with the seed.
static void *match_started(const json *message)
{
    (void)message;
    struct random *self = allocate(sizeof *self);
    const char *seed = getenv("BOT_SEED");
    struct timespec now;
    if (seed)
        for (; *seed; seed++)
            self->state = next(self) ^ (unsigned char)*seed;
    else if (timespec_get(&now, TIME_UTC))
        self->state = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return self;
}

// Return any legal move.
static const json *choose(void *self, const json *decision)
{
    const json *moves = json_get(decision, "legal_moves");
    uint64_t skipped = next(self) % (uint64_t)json_count(moves);
    const json *move = json_first(moves);
    while (skipped-- > 0)
        move = move->next;
    return move;
}

static void match_ended(void *self, const json *message)
{
    (void)message;
    free(self);
}

const struct bot random_bot = {match_started, choose, match_ended};
