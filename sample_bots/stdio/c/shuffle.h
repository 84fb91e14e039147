// The documented shuffle: the same seed gives the same order in every language.
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include <stdint.h>

enum { SEED_BYTES = 32 };

// Put the items in the order that the seed gives for this purpose.
void shuffle(uint32_t *items, uint32_t length, const uint8_t seed[SEED_BYTES], const char *purpose);

#endif
