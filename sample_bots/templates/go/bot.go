// Plays any game at random: change Choose.
package main

import (
	"encoding/json"
	"math/rand"
)

// MyBot plays one match.
type MyBot struct{}

// MatchStarted learns the game, its options and your seat.
func (b *MyBot) MatchStarted(message Message) {}

// Choose returns one of the legal moves; the decision has the view of your seat and events too.
func (b *MyBot) Choose(decision Message) json.RawMessage {
	moves := decision.List("legal_moves")
	return moves[rand.Intn(len(moves))]
}

// MatchEnded learns the result.
func (b *MyBot) MatchEnded(message Message) {}

func main() {
	run(func() Bot { return &MyBot{} })
}
