// The shuffle of docs/reference/record-format.md: the same seed gives the same order everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace highstreet {

// A stream of numbers that a seed and a purpose determine.
class Chance {
 public:
    // The seed has 32 bytes; the purpose is a text such as "glastonbury/deck".
    Chance(const std::string& seed, const std::string& purpose);

    // Return the next number of the stream, uniform over 0 to bound - 1.
    std::uint32_t below(std::uint64_t bound);

 private:
    std::uint32_t next_word();

    std::string key_;
    std::uint64_t counter_ = 0;
    std::array<unsigned char, 32> block_ = {};
    std::size_t used_ = block_.size();
};

// Return the items in the order that the seed gives for this purpose.
template <typename T>
std::vector<T> shuffled(std::vector<T> items, const std::string& seed, const std::string& purpose) {
    Chance chance(seed, purpose);
    for (std::size_t i = items.size(); i > 1; --i) {
        using std::swap;
        swap(items[i - 1], items[chance.below(i)]);
    }
    return items;
}

// Read 64 hexadecimal digits as the 32 bytes of a seed; throws std::invalid_argument.
std::string seed_from_text(const std::string& text);

}  // namespace highstreet
