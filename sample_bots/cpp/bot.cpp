// The logic: a bot that plays any game at random, and one that plays Glastonbury greedily.
//
// The same greedy bot exists in other languages and chooses the same moves. Its steps are described
// in sample_bots/python/greedy_glastonbury.py; the comments here give their numbers. Cards,
// colours, tasks and cells are the numbers of the protocol; ingredients count from 0 (Ya) to 17
// (Sb). What things are worth is counted in half points and always whole.
#include "bot.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace highstreet {
namespace {

using v1::Glastonbury;

// Plays at random.
class RandomBot : public Bot {
 public:
    // Seed the generator with the environment variable BOT_SEED, which makes it repeatable.
    RandomBot() {
        if (const char* text = std::getenv("BOT_SEED")) {
            const std::string seed = text;
            std::seed_seq sequence(seed.begin(), seed.end());
            random_.seed(sequence);
        } else {
            random_.seed(std::random_device{}());
        }
    }

    // Return any legal move.
    v1::Move choose(const v1::Decision& decision) override {
        std::uniform_int_distribution<int> index(0, decision.legal_moves_size() - 1);
        return decision.legal_moves(index(random_));
    }

 private:
    std::mt19937 random_;
};

constexpr int kIngredients = 18;
constexpr int kStops = 20;
constexpr int kImmuto = Glastonbury::CARD_IMMUTO;
constexpr int kAccio = Glastonbury::CARD_ACCIO;
constexpr int kDeclinatio = Glastonbury::CARD_DECLINATIO;
constexpr int kVanesco = Glastonbury::CARD_VANESCO;

// A number for each ingredient.
using PerIngredient = std::array<int, kIngredients>;

// Return the cells that a stop faces; none at a corner.
std::vector<int> make_line(int stop) {
    const int side = stop / 5;
    const int place = side < 2 ? stop % 5 : 5 - stop % 5;
    std::vector<int> cells;
    for (int i = 0; i < 6 && stop % 5 != 0; ++i) {
        cells.push_back(side % 2 == 0 ? 6 * i + place : 6 * place + i);
    }
    return cells;
}

// Return the cells that each stop faces.
const std::array<std::vector<int>, kStops>& lines() {
    static const auto all = [] {
        std::array<std::vector<int>, kStops> made;
        for (int stop = 0; stop < kStops; ++stop) made[stop] = make_line(stop);
        return made;
    }();
    return all;
}

// Return the ingredient of a card.
int ingredient(int card) {
    return (card - 1) / 4;
}

// Return the number on an ingredient card or on Immuto.
int number(int card) {
    return card < kImmuto ? (card - 1) % 4 + 1 : 0;
}

// Return what the cards of one ingredient are worth (step 3).
int set_worth(int count, int total, int left) {
    switch (count) {
        case 0:
            return 0;
        case 1:
            return left >= 2 ? -total : -2 * total;
        case 2:
            return left >= 1 ? total : 0;
        case 3:
            return 2 * total;
        default:
            return 2 * total + 10;
    }
}

// Return twice the points of a cauldron, its Immuto assigned as they bring most.
int best_points(PerIngredient counts, const PerIngredient& totals, int immuto) {
    if (immuto == 0) {
        int points = 0;
        for (int i = 0; i < kIngredients; ++i) points += set_worth(counts[i], totals[i], 0);
        return points;
    }
    int best = -10000;
    for (int& count : counts) {
        ++count;
        best = std::max(best, best_points(counts, totals, immuto - 1));
        --count;
    }
    return best;
}

// Remembers every cauldron, and plays the move that is worth most.
class GreedyBot : public Bot {
 public:
    // Begin with empty cauldrons.
    void match_started(const v1::MatchStarted& message) override {
        if (!message.has_glastonbury()) {
            throw std::runtime_error("greedy plays glastonbury, and not " + message.game() + ".");
        }
        seat_ = message.seat();
        cauldrons_.assign(message.seats_size(), {});
    }

    // Return the first of the moves that are worth most (step 11).
    v1::Move choose(const v1::Decision& decision) override {
        view_ = decision.glastonbury().view();
        for (const auto& event : decision.glastonbury().events()) remember(event);
        for (int seat = 0; seat < seats(); ++seat) {
            auto& cauldron = cauldrons_[seat];
            cauldron.resize(std::min<std::size_t>(cauldron.size(), view_.heights(seat)));
        }
        count();
        int best = 0;
        int most = worth(decision.legal_moves(0).glastonbury());
        for (int i = 1; i < decision.legal_moves_size(); ++i) {
            const int points = worth(decision.legal_moves(i).glastonbury());
            if (points > most) {
                best = i;
                most = points;
            }
        }
        return decision.legal_moves(best);
    }

 private:
    // Keep the cauldrons up to date (step 1).
    void remember(const Glastonbury::Event& event) {
        switch (event.kind()) {
            case Glastonbury::EVENT_KIND_TOOK:
            case Glastonbury::EVENT_KIND_KEPT:
                if (event.card() <= kImmuto) cauldrons_.at(event.seat()).push_back(event.card());
                break;
            case Glastonbury::EVENT_KIND_LOST:
                cauldrons_.at(event.seat()).pop_back();
                break;
            case Glastonbury::EVENT_KIND_CAULDRON_OPENED:
                cauldrons_.at(event.seat()).assign(event.cards().begin(), event.cards().end());
                break;
            default:
                break;
        }
    }

    // Count cards, sums of values and cards left (step 2).
    void count() {
        left_.fill(4);
        counts_.assign(seats(), {});
        totals_.assign(seats(), {});
        for (int seat = 0; seat < seats(); ++seat) {
            for (const int card : cauldrons_[seat]) {
                if (card < kImmuto) {
                    --left_[ingredient(card)];
                    ++counts_[seat][ingredient(card)];
                    totals_[seat][ingredient(card)] += value(card, seat);
                }
            }
        }
        for (const int card : view_.out()) {
            if (card < kImmuto) --left_[ingredient(card)];
        }
    }

    // Return the value of a card for a seat.
    int value(int card, int seat) const {
        const bool own = ingredient(card) / 2 + 1 == view_.colours(seat);
        return own ? 2 * number(card) : number(card);
    }

    // Return what a move is worth (steps 7 to 10).
    int worth(const Glastonbury::Move& move) const {
        switch (move.action_case()) {
            case Glastonbury::Move::kTake:
                return take_worth(move.take());
            case Glastonbury::Move::kDeclinatio:
                return prospect((view_.stops(seat_) + view_.steps()) % kStops, kDeclinatio, -1);
            case Glastonbury::Move::kPass:
                return -4;
            case Glastonbury::Move::kKeep:
                return last_card_worth(view_.last_card()) + bonus(view_.last_card());
            case Glastonbury::Move::kDiscard:
                return last_card_worth(0);
            case Glastonbury::Move::kImmuto:
                return assignment_worth(move.immuto());
            case Glastonbury::Move::ACTION_NOT_SET:
                break;
        }
        throw std::runtime_error("a legal move is of a kind that this bot does not know.");
    }

    // Return what it is worth to take the card of a cell (step 7).
    int take_worth(int cell) const {
        const int card = view_.board(cell);
        const auto& cauldron = cauldrons_[seat_];
        int stop = view_.stops(seat_);
        const auto& line = lines()[stop];
        const int cost = std::find(line.begin(), line.end(), cell) != line.end() ? 0 : 10;
        int steps = cauldron.empty() ? 2 : number(cauldron.back());
        if (card <= kImmuto) steps = number(card);
        stop = (stop + steps) % kStops;
        if (lines()[stop].empty() && view_.declinatio(seat_) > 0) stop = (stop + steps) % kStops;
        return gain(card) - cost + prospect(stop, kVanesco, cell);
    }

    // Return the highest gain in the line that a stop faces (step 6).
    int prospect(int stop, int highest_card, int taken) const {
        int best = -8;
        for (const int cell : lines()[stop]) {
            const int card = view_.board(cell);
            if (cell != taken && 0 < card && card <= highest_card)
                best = std::max(best, gain(card));
        }
        return best;
    }

    // Return what a card gains (steps 4 and 5).
    int gain(int card) const {
        if (card != kVanesco) return difference(card, seat_, 1) + bonus(card);
        int loss = 0;
        for (int seat = 0; seat < seats(); ++seat) {
            const auto& cauldron = cauldrons_[seat];
            if (seat != seat_ && !cauldron.empty()) loss += difference(cauldron.back(), seat, 0);
        }
        return loss + bonus(card);
    }

    // Return what a card changes for a seat that puts it (1) or has it and loses it (0).
    int difference(int card, int seat, int put) const {
        if (card == kImmuto) return 12;
        if (card == kAccio) return 2;
        if (card == kDeclinatio) return 8;
        if (card > kDeclinatio) return 0;
        const int i = ingredient(card);
        const int points = value(card, seat);
        const int count = counts_[seat][i] + put;
        const int total = totals_[seat][i] + put * points;
        const int left = left_[i] - put;
        return set_worth(count, total, left) - set_worth(count - 1, total - points, left + 1);
    }

    // Return the bonus of a card for the own recipes (step 5).
    int bonus(int card) const {
        if (view_.recipe_tasks().empty()) return 0;
        const int task = view_.recipe_tasks(seat_);
        int bonus = 0;
        if (card < kImmuto && ingredient(card) / 2 + 1 == view_.recipe_colours(seat_)) {
            bonus += recipe_points();
        }
        if (task == Glastonbury::TASK_FEWEST_FOURS && number(card) == 4) bonus -= 4;
        if (task == Glastonbury::TASK_MOST_ONES && number(card) == 1) bonus += 4;
        if (task == Glastonbury::TASK_FEWEST_SPELLS && card > kImmuto) bonus -= 4;
        return bonus;
    }

    // Return what the cauldron is worth with the last card, or without it for 0 (step 9).
    int last_card_worth(int card) const {
        const auto& cauldron = cauldrons_[seat_];
        PerIngredient counts = counts_[seat_];
        PerIngredient totals = totals_[seat_];
        auto immuto = static_cast<int>(std::count(cauldron.begin(), cauldron.end(), kImmuto));
        if (0 < card && card < kImmuto) {
            ++counts[ingredient(card)];
            totals[ingredient(card)] += value(card, seat_);
        } else if (card == kImmuto) {
            ++immuto;
        }
        return best_points(counts, totals, immuto);
    }

    // Return what an assignment of Immuto is worth (step 10).
    int assignment_worth(const Glastonbury::AssignImmuto& assigned) const {
        PerIngredient counts = counts_[seat_];
        for (const int i : assigned.ingredients()) ++counts[i - 1];
        const int first = 2 * view_.recipe_colours(seat_) - 2;
        const int held = counts[first] + counts[first + 1];
        bool most = true;
        for (int seat = 0; seat < seats(); ++seat) {
            const int theirs = counts_[seat][first] + counts_[seat][first + 1];
            if (seat != seat_ && theirs >= held) most = false;
        }
        const int points = best_points(counts, totals_[seat_], 0);
        return most ? points + held * recipe_points() : points;
    }

    // Return what a card in the colour of an A recipe brings.
    int recipe_points() const { return seats() == 4 ? 4 : 2; }

    // Return how many seats the match has.
    int seats() const { return static_cast<int>(cauldrons_.size()); }

    int seat_ = 0;
    Glastonbury::View view_;
    std::vector<std::vector<int>> cauldrons_;  // by seat, the top card last
    PerIngredient left_ = {};
    std::vector<PerIngredient> counts_;
    std::vector<PerIngredient> totals_;
};

}  // namespace

std::unique_ptr<Bot> make_random_bot() {
    return std::make_unique<RandomBot>();
}

std::unique_ptr<Bot> make_greedy_bot() {
    return std::make_unique<GreedyBot>();
}

}  // namespace highstreet
