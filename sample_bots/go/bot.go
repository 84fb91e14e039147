package main

// RandomBot answers every decision of any game with a random legal move. GreedyBot plays one move
// ahead; the same bot exists in other languages and chooses the same moves. How it plays a game is
// in the package of that game.

import (
	"crypto/sha256"
	"log"
	"math/rand/v2"
	"os"
	"strings"

	"example.com/bot/festo"
	"example.com/bot/gargon"
	pb "example.com/bot/gen/highstreetv1"
	"example.com/bot/glastonbury"
	"example.com/bot/kupferkessel"
)

// RandomBot plays at random.
type RandomBot struct {
	Base
	intN func(n int) int
}

// NewRandomBot returns a bot that the environment variable BOT_SEED makes repeatable.
func NewRandomBot() Bot {
	if seed, ok := os.LookupEnv("BOT_SEED"); ok {
		return &RandomBot{intN: rand.New(rand.NewChaCha8(sha256.Sum256([]byte(seed)))).IntN}
	}
	return &RandomBot{intN: rand.IntN}
}

// Choose returns any legal move.
func (b *RandomBot) Choose(decision *pb.Decision) *pb.Move {
	return decision.LegalMoves[b.intN(len(decision.LegalMoves))]
}

// greedyGames has the games that GreedyBot plays.
var greedyGames = []string{"glastonbury", "kupferkessel", "gargon", "festo"}

// logic plays one match of one game.
type logic interface {
	MatchStarted(message *pb.MatchStarted)
	Choose(decision *pb.Decision) *pb.Move
}

// GreedyBot lets the logic of the game play.
type GreedyBot struct {
	Base
	player logic
}

// NewGreedyBot returns a bot that learns its game when its match starts.
func NewGreedyBot() Bot {
	return &GreedyBot{}
}

// MatchStarted chooses the logic by the game.
func (b *GreedyBot) MatchStarted(message *pb.MatchStarted) {
	switch message.Game {
	case "glastonbury":
		b.player = &glastonbury.Player{}
	case "kupferkessel":
		b.player = &kupferkessel.Player{}
	case "gargon":
		b.player = &gargon.Player{}
	case "festo":
		b.player = &festo.Player{}
	default:
		log.Fatalf("greedy plays %s, but not %s", strings.Join(greedyGames, ", "), message.Game)
	}
	b.player.MatchStarted(message)
}

// Choose returns the first of the moves that are worth most.
func (b *GreedyBot) Choose(decision *pb.Decision) *pb.Move {
	return b.player.Choose(decision)
}
