// Package kupferkessel plays Kupferkessel Co. greedily; the same logic exists in other languages and
// moves alike. The steps in the comments are those at the top of
// sample_bots/python/greedy_kupferkessel.py.
package kupferkessel

import (
	"math"
	"slices"

	pb "example.com/bot/gen/highstreetv1"
)

// A card is its number in the protocol.
type card = pb.Kupferkessel_Card

const (
	stops       = 20
	ingredients = 14

	// The first of seven recipes each, in the order of the colours.
	both = pb.Kupferkessel_RECIPE_BOTH_WHITE
	one  = pb.Kupferkessel_RECIPE_ONE_WHITE
)

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

// number returns the value that is printed on a card.
func number(c card) int {
	return int(c-1)%4 + 1
}

// colour returns the colour of a card.
func colour(c card) pb.Kupferkessel_Colour {
	return pb.Kupferkessel_Colour((c-1)/8 + 1)
}

// isPlant tells whether a card is a plant: ingredient a of a colour that is not white or black.
func isPlant(c card) bool {
	return ingredient(c) >= 4 && ingredient(c)%2 == 0
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

// Player remembers every cauldron, and plays the move that is worth most.
type Player struct {
	seat       int
	cauldrons  [][]card // by seat
	explosions []card
	wands      []card
	view       *pb.Kupferkessel_View
	left       tally
	counts     []tally // by seat
	totals     []tally // by seat
}

// MatchStarted begins with empty cauldrons, and learns which cards have symbols.
func (p *Player) MatchStarted(message *pb.MatchStarted) {
	p.seat = int(message.Seat)
	p.cauldrons = make([][]card, len(message.Seats))
	p.explosions = message.GetKupferkessel().GetExplosions()
	p.wands = message.GetKupferkessel().GetWands()
}

// Choose returns the first of the moves that are worth most (step 10).
func (p *Player) Choose(decision *pb.Decision) *pb.Move {
	situation := decision.GetKupferkessel()
	p.view = situation.View
	for _, event := range situation.Events {
		p.remember(event)
	}
	for seat, height := range p.view.Heights {
		cauldron := p.cauldrons[seat]
		p.cauldrons[seat] = cauldron[:min(len(cauldron), int(height))]
	}
	p.count()
	var best *pb.Move
	most := math.MinInt
	for _, move := range decision.LegalMoves {
		if worth := p.worth(move.GetKupferkessel()); worth > most {
			best, most = move, worth
		}
	}
	return best
}

// remember keeps the cauldrons up to date (step 1).
func (p *Player) remember(event *pb.Kupferkessel_Event) {
	seat := event.Seat
	switch event.Kind {
	case pb.Kupferkessel_EVENT_KIND_DREW_START_CARD:
		if event.Flag {
			p.cauldrons[seat] = append(p.cauldrons[seat], event.Card)
		}
	case pb.Kupferkessel_EVENT_KIND_TOOK, pb.Kupferkessel_EVENT_KIND_KEPT:
		p.cauldrons[seat] = append(p.cauldrons[seat], event.Card)
	case pb.Kupferkessel_EVENT_KIND_LOST:
		p.cauldrons[seat] = p.cauldrons[seat][:len(p.cauldrons[seat])-1]
	case pb.Kupferkessel_EVENT_KIND_CAULDRON_OPENED:
		p.cauldrons[seat] = slices.Clone(event.Cards)
	}
}

// count counts cards, sums of values and cards left (step 2).
func (p *Player) count() {
	for i := range p.left {
		p.left[i] = 4
	}
	p.counts = make([]tally, len(p.cauldrons))
	p.totals = make([]tally, len(p.cauldrons))
	for seat, cauldron := range p.cauldrons {
		for _, c := range cauldron {
			p.left[ingredient(c)]--
			p.counts[seat][ingredient(c)]++
			p.totals[seat][ingredient(c)] += p.value(c, seat)
		}
	}
	for _, c := range p.view.Out {
		p.left[ingredient(c)]--
	}
}

// value returns the value of a card for a seat.
func (p *Player) value(c card, seat int) int {
	if colour(c) == p.view.Colours[seat] {
		return 2 * number(c)
	}
	return number(c)
}

// worth returns what a move is worth (steps 7 to 9).
func (p *Player) worth(move *pb.Kupferkessel_Move) int {
	switch action := move.Action.(type) {
	case *pb.Kupferkessel_Move_Take:
		return p.takeWorth(int(action.Take))
	case *pb.Kupferkessel_Move_Use:
		return p.useWorth()
	case *pb.Kupferkessel_Move_Keep:
		return p.keepWorth(p.view.LastCard)
	default:
		return 0
	}
}

// takeWorth returns what it is worth to take the card of a cell (step 7).
func (p *Player) takeWorth(cell int) int {
	c := p.view.Board[cell]
	prospect := p.prospect(p.reached(number(c)), cell)
	worth := p.gain(c) + prospect
	if slices.Contains(p.wands, c) && p.view.Phase == pb.Kupferkessel_PHASE_TAKE {
		worth += max(0, prospect)
	}
	if slices.Contains(p.explosions, c) {
		worth += max(0, p.losses())
	}
	return worth
}

// useWorth returns what it is worth to use the symbol of the card just taken (step 8).
func (p *Player) useWorth() int {
	if p.view.Phase == pb.Kupferkessel_PHASE_EXPLOSION {
		return p.losses()
	}
	cost := 0
	if slices.Contains(p.view.Recipes, pb.Kupferkessel_RECIPE_FEWER_CARDS) {
		cost = 8
	}
	steps := number(p.view.Tops[p.seat])
	return p.prospect(p.reached(steps), -1) - cost
}

// keepWorth returns what it is worth to keep the last card (step 9).
func (p *Player) keepWorth(c card) int {
	i := ingredient(c)
	count, total := p.counts[p.seat][i], p.totals[p.seat][i]
	kept := setWorth(count+1, total+p.value(c, p.seat), 0)
	return kept - setWorth(count, total, 0) + p.bonus(c)
}

// reached returns the stop that the own pawn reaches; stops of other pawns are not counted.
func (p *Player) reached(steps int) int {
	stop := p.view.Stops[p.seat]
	for steps > 0 {
		stop = (stop + 1) % stops
		if !slices.Contains(p.view.Stops, stop) {
			steps--
		}
	}
	return int(stop)
}

// prospect returns the highest gain in the line that a stop faces (step 6).
func (p *Player) prospect(stop, taken int) int {
	best := -8
	for _, cell := range lines[stop] {
		c := p.view.Board[cell]
		if cell != taken && c > 0 {
			best = max(best, p.gain(c))
		}
	}
	return best
}

// gain returns what a card gains (step 4).
func (p *Player) gain(c card) int {
	return p.difference(c, p.seat, 1) + p.bonus(c)
}

// losses returns what the others lose by an explosion (step 4).
func (p *Player) losses() int {
	loss := 0
	for seat, cauldron := range p.cauldrons {
		if seat != p.seat && len(cauldron) > 1 {
			loss += p.difference(cauldron[len(cauldron)-1], seat, 0)
		}
	}
	return loss
}

// difference returns what a card changes for a seat that puts it (1) or has it and loses it (0).
func (p *Player) difference(c card, seat, put int) int {
	i, value := ingredient(c), p.value(c, seat)
	count, left := p.counts[seat][i]+put, p.left[i]-put
	total := p.totals[seat][i] + put*value
	return setWorth(count, total, left) - setWorth(count-1, total-value, left+1)
}

// bonus returns the bonus of a card (step 5).
func (p *Player) bonus(c card) int {
	bonus := 0
	if number(c) == 1 {
		bonus = 2
	}
	for _, recipe := range p.view.Recipes {
		switch {
		case recipe == both+pb.Kupferkessel_Recipe(colour(c)-1):
			bonus += 6
		case recipe == one+pb.Kupferkessel_Recipe(colour(c)-1):
			bonus += 2
		case recipe == pb.Kupferkessel_RECIPE_PLANTS && isPlant(c):
			bonus += 3
		case recipe == pb.Kupferkessel_RECIPE_FEWER_FOURS && number(c) == 4:
			bonus -= 4
		case recipe == pb.Kupferkessel_RECIPE_FEWER_EXPLOSIONS && slices.Contains(p.explosions, c):
			bonus -= 4
		case recipe == pb.Kupferkessel_RECIPE_FEWER_WANDS && slices.Contains(p.wands, c):
			bonus -= 4
		}
	}
	return bonus
}
