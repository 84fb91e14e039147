// Starts a bot by its name, or shows the documented shuffle.
#include <charconv>
#include <cstdint>
#include <exception>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "bot.h"
#include "plumbing.h"
#include "shuffle.h"

namespace {

constexpr int kMaxMatches = 16;

// Read how many numbers to shuffle.
std::uint32_t read_count(const std::string& text) {
    std::uint32_t count = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || stop != end) {
        throw std::invalid_argument("cannot read \"" + text +
                                    "\": give a whole number such as 76.");
    }
    return count;
}

// Print the numbers 0 to count - 1 in the order that the seed gives to a deck.
void print_shuffle(const std::string& seed, std::uint32_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    numbers = highstreet::shuffled(numbers, highstreet::seed_from_text(seed), "glastonbury/deck");
    const char* separator = "";
    for (const auto number : numbers) {
        std::cout << separator << number;
        separator = " ";
    }
    std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::string name = arguments.empty() ? "random" : arguments.front();
    try {
        if (name == "random") {
            highstreet::run(highstreet::make_random_bot, kMaxMatches);
        } else if (name == "greedy") {
            highstreet::run(highstreet::make_greedy_bot, kMaxMatches, {"glastonbury"});
        } else if (name == "shuffle" && arguments.size() == 3) {
            print_shuffle(arguments[1], read_count(arguments[2]));
        } else {
            std::cerr << "usage: bot [random | greedy | shuffle SEED_HEX N]\n";
            return 2;
        }
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
