// Everything between a bot and the referee; you can write a bot without reading it.
#include "plumbing.h"

#include <csignal>
#include <iostream>
#include <map>
#include <string>
#include <unistd.h>

namespace {

// A match under way.
struct Match {
    std::unique_ptr<Bot> bot;
    std::string decision_id;
    std::string move;  // the last answer, to repeat it if the same decision comes again
    std::string first; // the first legal move, the answer if a move is rejected
};

using Matches = std::map<std::string, Match, std::less<>>;

// Answer a decision.
void submit(Json asked, const std::string &move) {
    std::cout << R"({"submit_move":{"match":)" << asked["match"].text << R"(,"decision_id":)"
              << asked["decision_id"].text << R"(,"move":)" << move << "}}" << std::endl;
}

// Let the bot of the match learn a message, and answer a decision.
void answer(Json message, Matches &matches, const std::function<std::unique_ptr<Bot>()> &new_bot) {
    if (Json started = message["match_started"]) {
        Match &match = matches[std::string(started["match"].text)];
        match.bot = new_bot();
        match.bot->match_started(started);
    } else if (Json decision = message["decision"]) {
        Match &match = matches.find(decision["match"].text)->second;
        if (match.decision_id != decision["decision_id"].text) {
            match.decision_id = decision["decision_id"].text;
            match.first = decision["legal_moves"].items().front().text;
            match.move = match.bot->choose(decision).text;
        }
        submit(decision, match.move);
    } else if (Json rejected = message["move_rejected"]) {
        std::cerr << "rejected: " << rejected["message"].text << std::endl;
        submit(rejected, matches.find(rejected["match"].text)->second.first);
    } else if (Json ended = message["match_ended"]) {
        auto match = matches.find(ended["match"].text);
        match->second.bot->match_ended(ended);
        matches.erase(match);
    }
}

// Leave on the first SIGINT or SIGTERM; a second one ends the program at once.
void leave(int) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    static const char line[] = "{\"leave\":{}}\n";
    if (write(STDOUT_FILENO, line, sizeof line - 1) < 0)
        _exit(1);
}

} // namespace

void run(const std::function<std::unique_ptr<Bot>()> &new_bot) {
    std::signal(SIGINT, leave);
    std::signal(SIGTERM, leave);
    std::ios::sync_with_stdio(false);
    Matches matches;
    for (std::string line; std::getline(std::cin, line);) {
        Json message{line};
        if (message["goodbye"])
            return;
        answer(message, matches, new_bot);
    }
}
