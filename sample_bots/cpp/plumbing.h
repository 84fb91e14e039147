// Everything between a bot and the referee; you can write a bot without reading plumbing.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "highstreet/v1/play.pb.h"

namespace highstreet {

// Plays one match. A subclass overrides what it needs.
class Bot {
 public:
    virtual ~Bot() = default;

    // Learn the game, its options and your seat.
    virtual void match_started(const v1::MatchStarted& /*message*/) {}

    // Return one of decision.legal_moves().
    virtual v1::Move choose(const v1::Decision& decision) { return decision.legal_moves(0); }

    // Learn the result.
    virtual void match_ended(const v1::MatchEnded& /*message*/) {}

    v1::Decision asked;        // the last decision, to answer it again if the move was rejected
    v1::SubmitMove submitted;  // the last answer, to repeat it if the connection broke
};

// Makes the bot for a new match.
using BotFactory = std::function<std::unique_ptr<Bot>()>;

// Play these games, or all if none is named, over gRPC with the referee at HIGHSTREET_TARGET until
// it says goodbye. On SIGINT or SIGTERM the bot leaves: it plays its matches to their end and waits
// for the goodbye. A second signal ends it at once. Throws std::runtime_error if that cannot go on.
void run(BotFactory make_bot, int max_matches = 1, const std::vector<std::string>& games = {});

}  // namespace highstreet
