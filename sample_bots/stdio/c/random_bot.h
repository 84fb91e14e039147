// Answers every decision of any game with a random legal move.
#ifndef RANDOM_BOT_H
#define RANDOM_BOT_H

#include "plumbing.h"

extern const struct bot random_bot;

#endif
