// Plays Glastonbury one move ahead.
#ifndef GREEDY_BOT_H
#define GREEDY_BOT_H

#include "plumbing.h"

extern const struct bot greedy_bot;

#endif
