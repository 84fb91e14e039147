#include "shuffle.h"

#include <openssl/sha.h>

#include <stdexcept>

namespace highstreet {

Chance::Chance(const std::string& seed, const std::string& purpose) : key_(seed + purpose + '\0') {}

std::uint32_t Chance::below(std::uint64_t bound) {
    constexpr std::uint64_t kWordRange = std::uint64_t{1} << 32;
    const std::uint64_t limit = kWordRange - kWordRange % bound;
    std::uint64_t word = next_word();
    while (word >= limit) word = next_word();
    return static_cast<std::uint32_t>(word % bound);
}

std::uint32_t Chance::next_word() {
    if (used_ == block_.size()) {
        std::string input = key_;
        for (int shift = 56; shift >= 0; shift -= 8) {
            input.push_back(static_cast<char>(counter_ >> shift & 0xff));
        }
        SHA256(reinterpret_cast<const unsigned char*>(input.data()), input.size(), block_.data());
        ++counter_;
        used_ = 0;
    }
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | block_[used_++];
    return word;
}

std::string seed_from_text(const std::string& text) {
    if (text.size() != 64 ||
        text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
        throw std::invalid_argument("cannot read the seed \"" + text +
                                    "\": give 64 hexadecimal digits.");
    }
    std::string seed;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        seed.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
    }
    return seed;
}

}  // namespace highstreet
