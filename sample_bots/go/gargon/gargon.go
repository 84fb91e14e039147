// Package gargon plays Gargon greedily; the same logic exists in other languages and moves alike. The
// steps in the comments are those at the top of sample_bots/python/greedy_gargon.py.
package gargon

import (
	"math"
	"slices"

	pb "example.com/bot/gen/highstreetv1"
)

// A card is its number in the protocol.
type card = pb.Gargon_Card

const (
	colours = 6
	values  = 16

	// The first of the cards of which only the colour is known.
	backs = pb.Gargon_CARD_W_BACK
)

// amulets has the amulets on a card, by its value.
var amulets = [values]int{0, 5, 5, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0}

// colour returns the colour of a card.
func colour(c card) int {
	if c < backs {
		return int(c-1) / values
	}
	return int(c - backs)
}

// value returns the value of a card.
func value(c card) int {
	return int(c-1) % values
}

// tally has a number for each colour.
type tally [colours]int

// Player remembers every capture, and plays the move that is worth most.
type Player struct {
	seat       int
	captured   [][]card // by seat
	view       *pb.Gargon_View
	unseen     [colours][values]int
	laid       []tally // by seat
	own        [colours][]card
	taken      tally
	amulets    tally
	zeros      tally
	lowestPile int
}

// MatchStarted begins without captures.
func (p *Player) MatchStarted(message *pb.MatchStarted) {
	p.seat = int(message.Seat)
	p.captured = make([][]card, len(message.Seats))
}

// Choose returns the first of the moves that are worth most (step 10).
func (p *Player) Choose(decision *pb.Decision) *pb.Move {
	situation := decision.GetGargon()
	p.view = situation.View
	for _, event := range situation.Events {
		p.remember(event)
	}
	p.count()
	var best *pb.Move
	most := math.MinInt
	for _, move := range decision.LegalMoves {
		if worth := p.worth(move.GetGargon()); worth > most {
			best, most = move, worth
		}
	}
	return best
}

// remember keeps the captures up to date (step 1).
func (p *Player) remember(event *pb.Gargon_Event) {
	if event.Kind == pb.Gargon_EVENT_KIND_CAPTURED {
		p.captured[event.Seat] = append(p.captured[event.Seat], event.Card)
	}
}

// count counts unseen cards, cards on the table, own cards and own captures (step 2).
func (p *Player) count() {
	for c := range colours {
		for v := range values {
			p.unseen[c][v] = 1
		}
		p.unseen[c][0] = 2
	}
	for _, cards := range append([][]card{p.view.Hand, p.view.Discards}, p.captured...) {
		for _, c := range cards {
			p.unseen[colour(c)][value(c)]--
		}
	}
	p.laid = make([]tally, len(p.captured))
	for i, owner := range p.view.LaidOwners {
		p.laid[owner][colour(p.view.LaidCards[i])]++
	}
	p.own = [colours][]card{}
	for _, c := range p.view.Hand {
		p.own[colour(c)] = append(p.own[colour(c)], c)
	}
	p.taken, p.amulets, p.zeros = tally{}, tally{}, tally{}
	for _, c := range p.captured[p.seat] {
		p.taken[colour(c)]++
		p.amulets[colour(c)] += amulets[value(c)]
		if value(c) == 0 {
			p.zeros[colour(c)]++
		}
	}
	p.lowestPile = min(len(p.view.PileA), len(p.view.PileB))
}

// worth returns what a move is worth (steps 6 to 9).
func (p *Player) worth(move *pb.Gargon_Move) int {
	switch action := move.Action.(type) {
	case *pb.Gargon_Move_Play:
		return p.playWorth(action.Play.Colours)
	case *pb.Gargon_Move_Pass:
		return p.passWorth(action.Pass)
	case *pb.Gargon_Move_Pick:
		return p.pickWorth(slices.Sorted(slices.Values(action.Pick.Cards)))
	case *pb.Gargon_Move_Draw:
		return p.drawWorth(action.Draw)
	case *pb.Gargon_Move_Stop:
		return -1000
	default:
		return 0
	}
}

// playWorth returns what it is worth to lay cards of these colours (step 6).
func (p *Player) playWorth(pattern []pb.Gargon_Colour) int {
	var cards tally
	for _, c := range pattern {
		cards[c-1]++
	}
	worth := 0
	for c, n := range cards {
		if n > 0 {
			worth += p.bestPick(c, n)
		}
	}
	return worth
}

// bestPick returns what the best pick of one card or two of a colour is worth (step 6).
func (p *Player) bestPick(c, cards int) int {
	best := math.MinInt
	for i, low := range p.own[c] {
		if cards == 1 {
			best = max(best, p.pickWorth([]card{low}))
			continue
		}
		for _, high := range p.own[c][i+1:] {
			best = max(best, p.pickWorth([]card{low, high}))
		}
	}
	return best
}

// pickWorth returns what it is worth to lay these cards of a colour, the lower one first (step 6).
func (p *Player) pickWorth(cards []card) int {
	if len(cards) == 1 {
		return p.layWorth(cards[0], 1)
	}
	return p.layWorth(cards[0], 2) + p.layWorth(cards[1], 1)
}

// layWorth returns what it is worth to lay a card (step 5).
func (p *Player) layWorth(c card, n int) int {
	inHand := 2
	if p.lowestPile == 0 {
		inHand = 0
	} else if p.lowestPile <= 4 {
		inHand = 1
	}
	return p.chance(c, n)*p.captureWorth(c) - 100*inHand
}

// chance returns the chance per cent that a card is captured (step 4).
func (p *Player) chance(c card, n int) int {
	own, seats := colour(c), len(p.captured)
	unseen, lower := 0, 0
	for v, cards := range p.unseen[own] {
		unseen += cards
		if v < value(c) {
			lower += cards
		}
	}
	yetToLay := (int(p.view.Leader) - p.seat - 1 + seats) % seats
	cases := 2
	if n == 2 {
		cases = 8
	}
	chance := 100
	for seat := range seats {
		switch {
		case seat == p.seat:
		case p.laid[seat][own] >= n:
			chance = chance * lower / unseen
		case (seat-p.seat-1+seats)%seats < yetToLay && p.held(seat, own) >= n:
			chance = chance * ((cases-1)*unseen + lower) / (cases * unseen)
		}
	}
	return chance
}

// captureWorth returns what a card is worth when it is captured (step 3).
func (p *Player) captureWorth(c card) int {
	own := colour(c)
	if value(c) == 0 {
		return 2*p.amulets[own]<<p.zeros[own] + 12
	}
	return 2*amulets[value(c)]<<p.zeros[own] + 8
}

// held returns how many cards of a colour a seat has in its hand.
func (p *Player) held(seat, c int) int {
	return int(p.view.HandCounts[colours*seat+c])
}

// drawWorth returns what it is worth to draw from a pile (step 7).
func (p *Player) drawWorth(pile pb.Gargon_Pile) int {
	top := p.view.PileB
	if pile == pb.Gargon_PILE_A {
		top = p.view.PileA
	}
	c := int(top[0]) - 1
	worth := 2 * p.taken[c]
	for seat := range p.captured {
		if seat != p.seat {
			worth -= p.held(seat, c)
		}
	}
	return worth
}

// passWorth returns what it is worth to pass (step 8).
func (p *Player) passWorth(pile pb.Gargon_Pile) int {
	if p.lowestPile == 0 {
		return 0
	}
	return 900 + p.drawWorth(pile) - 1000*max(0, len(p.view.Hand)-10)
}
