// Everything between a bot and the referee.
#ifndef PLUMBING_H
#define PLUMBING_H

#include "json.h"

// How a bot plays. Each match has a self of its own.
struct bot {
    // Learn the game, its options and your seat; return the self for this match.
    void *(*match_started)(const json *message);
    // Return one of the legal_moves of a decision.
    const json *(*choose)(void *self, const json *decision);
    // Learn the result, and free the self.
    void (*match_ended)(void *self, const json *message);
};

// Play over standard input and output until the referee says goodbye or ends the input; return the
// exit code. On SIGINT or SIGTERM the bot leaves: it asks for no more matches, and plays those under
// way to their end. A second signal ends it at once.
int run(const struct bot *bot);

// Allocate memory filled with zeros, or end the program.
void *allocate(size_t size);

#endif
