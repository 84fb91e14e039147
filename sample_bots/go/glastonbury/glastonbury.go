// Package glastonbury plays Glastonbury greedily; the same logic exists in other languages and moves
// alike. The steps in the comments are those at the top of sample_bots/python/greedy_glastonbury.py.
package glastonbury

import (
	"math"
	"slices"

	pb "example.com/bot/gen/highstreetv1"
)

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

// Player remembers every cauldron, and plays the move that is worth most.
type Player struct {
	seat       int
	cauldrons  [][]card // by seat
	recipeCard int      // what a card in the colour of the own A recipe brings
	view       *pb.Glastonbury_View
	left       tally
	counts     []tally // by seat
	totals     []tally // by seat
}

// MatchStarted begins with empty cauldrons.
func (p *Player) MatchStarted(message *pb.MatchStarted) {
	p.seat = int(message.Seat)
	p.cauldrons = make([][]card, len(message.Seats))
	p.recipeCard = 2
	if len(message.Seats) == 4 {
		p.recipeCard = 4
	}
}

// Choose returns the first of the moves that are worth most (step 11).
func (p *Player) Choose(decision *pb.Decision) *pb.Move {
	situation := decision.GetGlastonbury()
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
		if worth := p.worth(move.GetGlastonbury()); worth > most {
			best, most = move, worth
		}
	}
	return best
}

// remember keeps the cauldrons up to date (step 1).
func (p *Player) remember(event *pb.Glastonbury_Event) {
	seat := event.Seat
	switch event.Kind {
	case pb.Glastonbury_EVENT_KIND_TOOK, pb.Glastonbury_EVENT_KIND_KEPT:
		if event.Card <= immuto {
			p.cauldrons[seat] = append(p.cauldrons[seat], event.Card)
		}
	case pb.Glastonbury_EVENT_KIND_LOST:
		p.cauldrons[seat] = p.cauldrons[seat][:len(p.cauldrons[seat])-1]
	case pb.Glastonbury_EVENT_KIND_CAULDRON_OPENED:
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
			if c < immuto {
				p.left[ingredient(c)]--
				p.counts[seat][ingredient(c)]++
				p.totals[seat][ingredient(c)] += p.value(c, seat)
			}
		}
	}
	for _, c := range p.view.Out {
		if c < immuto {
			p.left[ingredient(c)]--
		}
	}
}

// value returns the value of a card for a seat.
func (p *Player) value(c card, seat int) int {
	if ingredient(c)/2+1 == int(p.view.Colours[seat]) {
		return 2 * number(c)
	}
	return number(c)
}

// worth returns what a move is worth (steps 7 to 10).
func (p *Player) worth(move *pb.Glastonbury_Move) int {
	switch action := move.Action.(type) {
	case *pb.Glastonbury_Move_Take:
		return p.takeWorth(int(action.Take))
	case *pb.Glastonbury_Move_Declinatio:
		return p.prospect(int(p.view.Stops[p.seat]+p.view.Steps)%stops, declinatio, -1)
	case *pb.Glastonbury_Move_Pass:
		return -4
	case *pb.Glastonbury_Move_Keep:
		return p.lastCardWorth(p.view.LastCard) + p.bonus(p.view.LastCard)
	case *pb.Glastonbury_Move_Discard:
		return p.lastCardWorth(0)
	default:
		return p.assignmentWorth(move.GetImmuto().GetIngredients())
	}
}

// takeWorth returns what it is worth to take the card of a cell (step 7).
func (p *Player) takeWorth(cell int) int {
	c, stop := p.view.Board[cell], int(p.view.Stops[p.seat])
	cauldron := p.cauldrons[p.seat]
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
	if len(lines[stop]) == 0 && p.view.Declinatio[p.seat] > 0 {
		stop = (stop + steps) % stops
	}
	return p.gain(c) - cost + p.prospect(stop, vanesco, cell)
}

// prospect returns the highest gain in the line that a stop faces (step 6).
func (p *Player) prospect(stop int, highestCard card, taken int) int {
	best := -8
	for _, cell := range lines[stop] {
		c := p.view.Board[cell]
		if cell != taken && 0 < c && c <= highestCard {
			best = max(best, p.gain(c))
		}
	}
	return best
}

// gain returns what a card gains (steps 4 and 5).
func (p *Player) gain(c card) int {
	if c == vanesco {
		loss := 0
		for seat, cauldron := range p.cauldrons {
			if seat != p.seat && len(cauldron) > 0 {
				loss += p.difference(cauldron[len(cauldron)-1], seat, 0)
			}
		}
		return loss + p.bonus(c)
	}
	return p.difference(c, p.seat, 1) + p.bonus(c)
}

// difference returns what a card changes for a seat that puts it (1) or has it and loses it (0).
func (p *Player) difference(c card, seat, put int) int {
	if c >= immuto {
		return gains[c]
	}
	i, value := ingredient(c), p.value(c, seat)
	count, total, left := p.counts[seat][i]+put, p.totals[seat][i]+put*value, p.left[i]-put
	return setWorth(count, total, left) - setWorth(count-1, total-value, left+1)
}

// bonus returns the bonus of a card for the own recipes (step 5).
func (p *Player) bonus(c card) int {
	if len(p.view.RecipeTasks) == 0 {
		return 0
	}
	bonus := 0
	if c < immuto && ingredient(c)/2+1 == int(p.view.RecipeColours[p.seat]) {
		bonus += p.recipeCard
	}
	switch task := p.view.RecipeTasks[p.seat]; {
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
func (p *Player) lastCardWorth(c card) int {
	counts, totals := p.counts[p.seat], p.totals[p.seat]
	assignable := 0
	for _, held := range p.cauldrons[p.seat] {
		if held == immuto {
			assignable++
		}
	}
	if 0 < c && c < immuto {
		counts[ingredient(c)]++
		totals[ingredient(c)] += p.value(c, p.seat)
	} else if c == immuto {
		assignable++
	}
	return bestPoints(counts, totals, assignable)
}

// assignmentWorth returns what an assignment of Immuto is worth (step 10).
func (p *Player) assignmentWorth(assigned []pb.Glastonbury_Ingredient) int {
	counts := p.counts[p.seat]
	for _, i := range assigned {
		counts[i-1]++
	}
	first := 2*int(p.view.RecipeColours[p.seat]) - 2
	held := counts[first] + counts[first+1]
	points := bestPoints(counts, p.totals[p.seat], 0)
	for seat, other := range p.counts {
		if seat != p.seat && other[first]+other[first+1] >= held {
			return points
		}
	}
	return points + held*p.recipeCard
}
