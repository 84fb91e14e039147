package main

// The shuffle of every deal, as docs/reference/record-format.md describes it.

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	seedBytes = 32
	wordRange = 1 << 32
	purpose   = "glastonbury/deck"
)

// chance is a stream of numbers that a seed and a purpose determine.
type chance struct {
	key     []byte
	counter uint64
	block   []byte // what is left of the last block
}

// newChance begins the stream of a seed for a purpose.
func newChance(seed []byte, purpose string) *chance {
	return &chance{key: slices.Concat(seed, []byte(purpose), []byte{0})}
}

// word returns the next 32 bits of the stream.
func (c *chance) word() uint64 {
	if len(c.block) == 0 {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(c.key, c.counter))
		c.block = sum[:]
		c.counter++
	}
	word := binary.BigEndian.Uint32(c.block)
	c.block = c.block[4:]
	return uint64(word)
}

// below returns the next number of the stream, uniform over 0 … bound - 1.
func (c *chance) below(bound uint64) uint64 {
	limit := wordRange - wordRange%bound
	word := c.word()
	for word >= limit {
		word = c.word()
	}
	return word % bound
}

// shuffle puts the items into the order that the seed gives for a purpose.
func shuffle[T any](items []T, seed []byte, purpose string) {
	c := newChance(seed, purpose)
	for i := len(items) - 1; i > 0; i-- {
		j := c.below(uint64(i) + 1)
		items[i], items[j] = items[j], items[i]
	}
}

// printShuffle writes the numbers below a size as they are shuffled for the deck.
func printShuffle(w io.Writer, seedHex, size string) error {
	seed, err := hex.DecodeString(seedHex)
	if err != nil || len(seed) != seedBytes {
		return fmt.Errorf("cannot read the seed %q: give %d hexadecimal digits", seedHex, 2*seedBytes)
	}
	n, err := strconv.ParseUint(size, 10, 31)
	if err != nil {
		return fmt.Errorf("cannot read the size %q: give a whole number such as 84", size)
	}
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i)
	}
	shuffle(numbers, seed, purpose)
	_, err = fmt.Fprintln(w, strings.Join(numbers, " "))
	return err
}
