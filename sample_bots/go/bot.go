package main

// RandomBot answers every decision of any game with a random legal move. GreedyBot plays Glastonbury
// one move ahead; the same bot exists in other languages and chooses the same moves. The steps in
// the comments are those of the specification at the top of sample_bots/python/greedy_bot.py.

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	pb "example.com/bot/gen/highstreetv1"
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

// A card is its number in the protocol.
type card = pb.Glastonbury_Card

const (
	immuto     = pb.Glastonbury_CARD_IMMUTO
	accio      = pb.Glastonbury_CARD_ACCIO
	declinatio = pb.Glastonbury_CARD_DECLINATIO
	perluceo   = pb.Glastonbury_CARD_PERLUCEO
	vanesco    = pb.Glastonbury_CARD_VANESCO

	stops       = 20
	ingredients = 18
)

var gains = map[card]int{immuto: 12, accio: 2, declinatio: 8, perluceo: 0}

// lines has the cells that each stop faces; none at a corner.
var lines = func() (lines [stops][]int) {
	for i := 1; i <= 4; i++ {
		for j := range 6 {
			column, row := i+6*j, 6*i+j
			lines[i] = append(lines[i], column)
			lines[5+i] = append(lines[5+i], row)
			lines[15-i] = append(lines[15-i], column)
			lines[20-i] = append(lines[20-i], row)
		}
	}
	return lines
}()

// ingredient returns the ingredient of a card.
func ingredient(c card) int {
	return int(c-1) / 4
}

// number returns the number on an ingredient card or on Immuto.
func number(c card) int {
	if c >= immuto {
		return 0
	}
	return int(c-1)%4 + 1
}

// setWorth returns what the cards of one ingredient are worth (step 3).
func setWorth(count, total, left int) int {
	switch {
	case count == 0:
		return 0
	case count == 1 && left >= 2:
		return -total
	case count == 1:
		return -2 * total
	case count == 2 && left >= 1:
		return total
	case count == 2:
		return 0
	case count == 3:
		return 2 * total
	default:
		return 2*total + 10
	}
}

// tally has a number for each ingredient.
type tally [ingredients]int

// bestPoints returns twice the points of a cauldron, its Immuto assigned as they bring most.
func bestPoints(counts, totals tally, assignable int) int {
	if assignable == 0 {
		points := 0
		for i := range ingredients {
			points += setWorth(counts[i], totals[i], 0)
		}
		return points
	}
	best := math.MinInt
	for i := range ingredients {
		counts[i]++
		best = max(best, bestPoints(counts, totals, assignable-1))
		counts[i]--
	}
	return best
}

// GreedyBot remembers every cauldron, and plays the move that is worth most.
type GreedyBot struct {
	Base
	seat       int
	cauldrons  [][]card // by seat
	recipeCard int      // what a card in the colour of the own A recipe brings
	view       *pb.Glastonbury_View
	left       tally
	counts     []tally // by seat
	totals     []tally // by seat
}

// NewGreedyBot returns a bot that learns its seat when its match starts.
func NewGreedyBot() Bot {
	return &GreedyBot{}
}

// MatchStarted begins with empty cauldrons.
func (b *GreedyBot) MatchStarted(message *pb.MatchStarted) {
	b.seat = int(message.Seat)
	b.cauldrons = make([][]card, len(message.Seats))
	b.recipeCard = 2
	if len(message.Seats) == 4 {
		b.recipeCard = 4
	}
}

// Choose returns the first of the moves that are worth most (step 11).
func (b *GreedyBot) Choose(decision *pb.Decision) *pb.Move {
	situation := decision.GetGlastonbury()
	b.view = situation.View
	for _, event := range situation.Events {
		b.remember(event)
	}
	for seat, height := range b.view.Heights {
		cauldron := b.cauldrons[seat]
		b.cauldrons[seat] = cauldron[:min(len(cauldron), int(height))]
	}
	b.count()
	var best *pb.Move
	most := math.MinInt
	for _, move := range decision.LegalMoves {
		if worth := b.worth(move.GetGlastonbury()); worth > most {
			best, most = move, worth
		}
	}
	return best
}

// remember keeps the cauldrons up to date (step 1).
func (b *GreedyBot) remember(event *pb.Glastonbury_Event) {
	seat := event.Seat
	switch event.Kind {
	case pb.Glastonbury_EVENT_KIND_TOOK, pb.Glastonbury_EVENT_KIND_KEPT:
		if event.Card <= immuto {
			b.cauldrons[seat] = append(b.cauldrons[seat], event.Card)
		}
	case pb.Glastonbury_EVENT_KIND_LOST:
		b.cauldrons[seat] = b.cauldrons[seat][:len(b.cauldrons[seat])-1]
	case pb.Glastonbury_EVENT_KIND_CAULDRON_OPENED:
		b.cauldrons[seat] = slices.Clone(event.Cards)
	}
}

// count counts cards, sums of values and cards left (step 2).
func (b *GreedyBot) count() {
	for i := range b.left {
		b.left[i] = 4
	}
	b.counts = make([]tally, len(b.cauldrons))
	b.totals = make([]tally, len(b.cauldrons))
	for seat, cauldron := range b.cauldrons {
		for _, c := range cauldron {
			if c < immuto {
				b.left[ingredient(c)]--
				b.counts[seat][ingredient(c)]++
				b.totals[seat][ingredient(c)] += b.value(c, seat)
			}
		}
	}
	for _, c := range b.view.Out {
		if c < immuto {
			b.left[ingredient(c)]--
		}
	}
}

// value returns the value of a card for a seat.
func (b *GreedyBot) value(c card, seat int) int {
	if ingredient(c)/2+1 == int(b.view.Colours[seat]) {
		return 2 * number(c)
	}
	return number(c)
}

// worth returns what a move is worth (steps 7 to 10).
func (b *GreedyBot) worth(move *pb.Glastonbury_Move) int {
	switch action := move.Action.(type) {
	case *pb.Glastonbury_Move_Take:
		return b.takeWorth(int(action.Take))
	case *pb.Glastonbury_Move_Declinatio:
		return b.prospect(int(b.view.Stops[b.seat]+b.view.Steps)%stops, declinatio, -1)
	case *pb.Glastonbury_Move_Pass:
		return -4
	case *pb.Glastonbury_Move_Keep:
		return b.lastCardWorth(b.view.LastCard) + b.bonus(b.view.LastCard)
	case *pb.Glastonbury_Move_Discard:
		return b.lastCardWorth(0)
	default:
		return b.assignmentWorth(move.GetImmuto().GetIngredients())
	}
}

// takeWorth returns what it is worth to take the card of a cell (step 7).
func (b *GreedyBot) takeWorth(cell int) int {
	c, stop := b.view.Board[cell], int(b.view.Stops[b.seat])
	cauldron := b.cauldrons[b.seat]
	cost := 0
	if !slices.Contains(lines[stop], cell) {
		cost = 10
	}
	steps := 2
	if c <= immuto {
		steps = number(c)
	} else if len(cauldron) > 0 {
		steps = number(cauldron[len(cauldron)-1])
	}
	stop = (stop + steps) % stops
	if len(lines[stop]) == 0 && b.view.Declinatio[b.seat] > 0 {
		stop = (stop + steps) % stops
	}
	return b.gain(c) - cost + b.prospect(stop, vanesco, cell)
}

// prospect returns the highest gain in the line that a stop faces (step 6).
func (b *GreedyBot) prospect(stop int, highestCard card, taken int) int {
	best := -8
	for _, cell := range lines[stop] {
		c := b.view.Board[cell]
		if cell != taken && 0 < c && c <= highestCard {
			best = max(best, b.gain(c))
		}
	}
	return best
}

// gain returns what a card gains (steps 4 and 5).
func (b *GreedyBot) gain(c card) int {
	if c == vanesco {
		loss := 0
		for seat, cauldron := range b.cauldrons {
			if seat != b.seat && len(cauldron) > 0 {
				loss += b.difference(cauldron[len(cauldron)-1], seat, 0)
			}
		}
		return loss + b.bonus(c)
	}
	return b.difference(c, b.seat, 1) + b.bonus(c)
}

// difference returns what a card changes for a seat that puts it (1) or has it and loses it (0).
func (b *GreedyBot) difference(c card, seat, put int) int {
	if c >= immuto {
		return gains[c]
	}
	i, value := ingredient(c), b.value(c, seat)
	count, total, left := b.counts[seat][i]+put, b.totals[seat][i]+put*value, b.left[i]-put
	return setWorth(count, total, left) - setWorth(count-1, total-value, left+1)
}

// bonus returns the bonus of a card for the own recipes (step 5).
func (b *GreedyBot) bonus(c card) int {
	if len(b.view.RecipeTasks) == 0 {
		return 0
	}
	bonus := 0
	if c < immuto && ingredient(c)/2+1 == int(b.view.RecipeColours[b.seat]) {
		bonus += b.recipeCard
	}
	switch task := b.view.RecipeTasks[b.seat]; {
	case task == pb.Glastonbury_TASK_FEWEST_FOURS && number(c) == 4:
		bonus -= 4
	case task == pb.Glastonbury_TASK_MOST_ONES && number(c) == 1:
		bonus += 4
	case task == pb.Glastonbury_TASK_FEWEST_SPELLS && c > immuto:
		bonus -= 4
	}
	return bonus
}

// lastCardWorth returns what the cauldron is worth with the last card, or without it for 0 (step 9).
func (b *GreedyBot) lastCardWorth(c card) int {
	counts, totals := b.counts[b.seat], b.totals[b.seat]
	assignable := 0
	for _, held := range b.cauldrons[b.seat] {
		if held == immuto {
			assignable++
		}
	}
	if 0 < c && c < immuto {
		counts[ingredient(c)]++
		totals[ingredient(c)] += b.value(c, b.seat)
	} else if c == immuto {
		assignable++
	}
	return bestPoints(counts, totals, assignable)
}

// assignmentWorth returns what an assignment of Immuto is worth (step 10).
func (b *GreedyBot) assignmentWorth(assigned []pb.Glastonbury_Ingredient) int {
	counts := b.counts[b.seat]
	for _, i := range assigned {
		counts[i-1]++
	}
	first := 2*int(b.view.RecipeColours[b.seat]) - 2
	held := counts[first] + counts[first+1]
	points := bestPoints(counts, b.totals[b.seat], 0)
	for seat, other := range b.counts {
		if seat != b.seat && other[first]+other[first+1] >= held {
			return points
		}
	}
	return points + held*b.recipeCard
}
