// The bots of bot.cpp.
#pragma once

#include <memory>

#include "plumbing.h"

namespace highstreet {

// Return a bot that plays at random.
std::unique_ptr<Bot> make_random_bot();

// Return a bot that plays Glastonbury one move ahead.
std::unique_ptr<Bot> make_greedy_bot();

}  // namespace highstreet
