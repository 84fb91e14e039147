#include "shuffle.h"

#include <stddef.h>
#include <string.h>

enum { BLOCK = 64, WORDS = 8 };

// SHA-256 (FIPS 180-4): words of a state that takes bytes.
typedef struct {
    uint32_t state[WORDS];
    uint8_t block[BLOCK];
    uint64_t length;
} sha256;

static const uint32_t INITIAL[WORDS] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void mix_block(sha256 *hash)
{
    uint32_t w[64], s[WORDS];
    for (int i = 0; i < 16; i++) {
        const uint8_t *b = hash->block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, hash->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t a = s[0], e = s[4];
        uint32_t choice = (e & s[5]) ^ (~e & s[6]);
        uint32_t majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
        uint32_t t1 =
            s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + ROUND[i] + w[i];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < WORDS; i++)
        hash->state[i] += s[i];
}

static void add(sha256 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash->block[hash->length++ % BLOCK] = bytes[i];
        if (hash->length % BLOCK == 0)
            mix_block(hash);
    }
}

static void add_number(sha256 *hash, uint64_t number)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        add(hash, &(uint8_t){(uint8_t)(number >> shift)}, 1);
}

static void finish(sha256 *hash)
{
    uint64_t bits = 8 * hash->length;
    add(hash, "\x80", 1);
    while (hash->length % BLOCK != BLOCK - 8)
        add(hash, "\0", 1);
    add_number(hash, bits);
}

// The stream of words that a seed and a purpose determine.
typedef struct {
    const uint8_t *seed;
    const char *purpose;
    uint64_t counter;
    sha256 hash;
    int used;
} stream;

static uint32_t next_word(stream *words)
{
    if (words->used == WORDS) {
        words->hash.length = 0;
        memcpy(words->hash.state, INITIAL, sizeof INITIAL);
        add(&words->hash, words->seed, SEED_BYTES);
        add(&words->hash, words->purpose, strlen(words->purpose) + 1);
        add_number(&words->hash, words->counter++);
        finish(&words->hash);
        words->used = 0;
    }
    return words->hash.state[words->used++];
}

// Return the next number of the stream, uniform over 0 … bound - 1.
static uint32_t below(stream *words, uint32_t bound)
{
    const uint64_t range = (uint64_t)1 << 32;
    uint32_t word;
    do
        word = next_word(words);
    while (word >= range - range % bound);
    return word % bound;
}

void shuffle(uint32_t *items, uint32_t length, const uint8_t seed[SEED_BYTES], const char *purpose)
{
    stream words = {.seed = seed, .purpose = purpose, .used = WORDS};
    for (uint32_t i = length; i-- > 1;) {
        uint32_t j = below(&words, i + 1);
        uint32_t swapped = items[i];
        items[i] = items[j];
        items[j] = swapped;
    }
}
