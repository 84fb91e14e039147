// Plays any game at random: change choose.
#include "plumbing.h"

#include <memory>
#include <random>

// Plays one match.
class MyBot : public Bot {
public:
    // Learn the game, its options and your seat.
    void match_started(Json) override {}

    // Return one of the legal moves; the decision has the view of your seat and events too.
    Json choose(Json decision) override {
        auto moves = decision["legal_moves"].items();
        return moves[std::uniform_int_distribution<size_t>(0, moves.size() - 1)(random_)];
    }

    // Learn the result.
    void match_ended(Json) override {}

private:
    std::mt19937 random_{std::random_device{}()};
};

int main() {
    run([] { return std::make_unique<MyBot>(); });
}
