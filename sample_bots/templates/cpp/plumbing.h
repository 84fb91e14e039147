// Everything between a bot and the referee.
#pragma once

#include "json.h"

#include <functional>
#include <memory>

// Plays one match.
class Bot {
public:
    virtual ~Bot() = default;
    virtual void match_started(Json message) = 0;
    virtual Json choose(Json decision) = 0;
    virtual void match_ended(Json message) = 0;
};

// Play over standard input and output until the referee says goodbye or ends the input.
//
// Each match has a bot of its own. On SIGINT or SIGTERM the bot leaves: it asks for no more
// matches, and plays those under way to their end. A second signal ends it at once.
void run(const std::function<std::unique_ptr<Bot>()> &new_bot);
