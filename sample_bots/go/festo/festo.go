// Package festo plays Festo! greedily; the same logic exists in other languages and moves alike. The
// steps in the comments are those at the top of sample_bots/python/greedy_festo.py.
package festo

import (
	"math"
	"slices"

	pb "example.com/bot/gen/highstreetv1"
)

// The spots that have rules of their own.
const (
	magician = 3
	elf      = 4
	dwarf    = 5
	grocer   = 6
	spots    = 7
)

// Player plays the move that is worth most.
type Player struct {
	seat, seats  int
	magic        bool
	view         *pb.Festo_View
	hand         hand
	kitchen      kitchen
	before       int
	mine         [spots]int
	mostOther    [spots]int
	marketWorths [grocer]int // -1 until it is known
	added        [][]int     // by spot and helpers, while placing
	rest         []int
	helpers      int
	home         int
}

// MatchStarted learns the seat and the options.
func (p *Player) MatchStarted(message *pb.MatchStarted) {
	p.seat, p.seats = int(message.Seat), len(message.Seats)
	p.magic = message.GetFesto().GetMagicDishes()
}

// Choose returns the first of the moves that are worth most (step 11).
func (p *Player) Choose(decision *pb.Decision) *pb.Move {
	p.view = decision.GetFesto().View
	p.look()
	var best *pb.Move
	most := math.MinInt
	for _, move := range decision.LegalMoves {
		if worth := p.worth(move.GetFesto()); worth > most {
			best, most = move, worth
		}
	}
	return best
}

// look reads the view (step 1).
func (p *Player) look() {
	view := p.view
	for c := range p.hand {
		p.hand[c] = int(view.Cubes[len(p.hand)*p.seat+c])
	}
	p.kitchen = kitchen{offers: p.offers(), cubeWorth: 15, bonusCategory: -1}
	for i, owner := range view.CookedBy {
		if dish := int(view.Cooked[i]); int(owner) == p.seat {
			p.kitchen.counts[category(dish)]++
			if p.magic && category(dish) == 0 {
				p.kitchen.saved[dish-1] = 1
			}
		}
	}
	if view.Round == lastRound {
		p.kitchen.cubeWorth = 10
	}
	if p.magic {
		p.kitchen.smallBonus = 10 * int(lastRound-view.Round)
	}
	if n := len(view.Events); n > 0 {
		card := view.Events[n-1]
		if pb.Festo_EVENT_CARD_E07 <= card && card <= pb.Festo_EVENT_CARD_E12 {
			p.kitchen.bonusCategory = int(card - pb.Festo_EVENT_CARD_E07)
		}
	}
	p.before = p.kitchen.plan(p.hand, 0)
	for s := range spots {
		p.mine[s], p.mostOther[s] = 0, 0
		for seat := range p.seats {
			if tokens := p.tokensAt(s, seat); seat == p.seat {
				p.mine[s] = tokens
			} else {
				p.mostOther[s] = max(p.mostOther[s], tokens)
			}
		}
	}
	for s := range p.marketWorths {
		p.marketWorths[s] = -1
	}
	p.added = nil
}

// offers returns what the own seat may cook (step 1).
func (p *Player) offers() []offer {
	var offers []offer
	for place, dish := range p.view.Buffet {
		if dish == 0 {
			continue
		}
		reserved := slices.Index(p.view.Reserved, dish)
		if reserved < 0 || int(p.view.ReservedBy[reserved]) == p.seat {
			offers = append(offers, offer{int(dish), forms(place, reserved >= 0)})
		}
	}
	if p.view.Roasts > 0 {
		offers = append(offers, offer{dish: roast})
	}
	if p.view.Mains > 0 {
		offers = append(offers, offer{dish: mainCourse})
	}
	return offers
}

// tokensAt returns how many tokens a seat has on a spot.
func (p *Player) tokensAt(spot, seat int) int {
	at, tokens := p.seats*spot+seat, 0
	if len(p.view.HelpersAt) > 0 {
		tokens += int(p.view.HelpersAt[at])
	}
	if len(p.view.DiscsAt) > 0 {
		tokens += int(p.view.DiscsAt[at])
	}
	return tokens
}

// worth returns what a move is worth (steps 8 to 10).
func (p *Player) worth(move *pb.Festo_Move) int {
	switch action := move.Action.(type) {
	case *pb.Festo_Move_First:
		if int(action.First) == p.seat {
			return 1
		}
		return 0
	case *pb.Festo_Move_Place:
		return p.placeWorth(digits(action.Place))
	case *pb.Festo_Move_Cube:
		return p.withCubes(int(action.Cube) - 1)
	case *pb.Festo_Move_Get:
		return p.withCubes(numbers(action.Get.Cubes)...)
	case *pb.Festo_Move_Shelf:
		return p.shelfWorth(int(action.Shelf)-1, p.mine[grocer])
	case *pb.Festo_Move_Pass:
		return p.kitchen.cubeWorth * p.hand.sum()
	case *pb.Festo_Move_Cook:
		return p.cookWorth(int(action.Cook))
	case *pb.Festo_Move_Recall:
		return -1000
	case *pb.Festo_Move_Pay:
		h := p.hand
		for c, n := range digits(action.Pay) {
			h[c] -= n
		}
		return p.kitchen.plan(h, int(p.view.Paying))
	}
	spot := int(p.view.Spot) - 1
	switch move.Action.(type) {
	case *pb.Festo_Move_Take:
		return p.marketWorth(spot, p.mine[spot])
	case *pb.Festo_Move_TakeAll:
		return p.marketWorth(spot, 99)
	}
	return p.marketWorth(spot, p.mine[spot]-1) + p.powerWorth(move)
}

// powerWorth returns what a power is worth (step 9).
func (p *Player) powerWorth(move *pb.Festo_Move) int {
	switch action := move.Action.(type) {
	case *pb.Festo_Move_Send:
		spot := int(action.Send.Spot) - 1
		return p.spotWorth(spot, p.mine[spot]+1) - p.spotWorth(spot, p.mine[spot])
	case *pb.Festo_Move_Reserve:
		return p.reserveWorth(action.Reserve.Dish) - 10
	case *pb.Festo_Move_Salt:
		return p.withCubes(salt) + 5
	case *pb.Festo_Move_Trade:
		h, best := p.hand, math.MinInt
		h[int(action.Trade)-1]--
		for c := range colours {
			best = max(best, p.kitchen.plan(h.plus(c, c), 0))
		}
		return best - p.before
	case *pb.Festo_Move_Discs:
		worth := 15 * len(action.Discs.Spots)
		for i, spot := range action.Discs.Spots {
			if !slices.Contains(action.Discs.Spots[:i], spot) {
				worth += p.cubesAt(int(spot) - 1)
			}
		}
		return worth
	case *pb.Festo_Move_Points:
		return 20
	case *pb.Festo_Move_MoveCube:
		return p.trollWorth(int(action.MoveCube)) - 5
	}
	return 0
}

// withCubes returns what cubes are worth (step 6).
func (p *Player) withCubes(cubes ...int) int {
	return p.kitchen.plan(p.hand.plus(cubes...), 0) - p.before
}

// cubesAt returns how many cubes a market has.
func (p *Player) cubesAt(spot int) int {
	cubes := 0
	for c := range colours {
		cubes += int(p.view.Markets[colours*spot+c])
	}
	return cubes
}

// marketWorth returns what this number of cubes of a market is worth (step 6).
func (p *Player) marketWorth(spot, cubes int) int {
	all := p.cubesAt(spot)
	if all == 0 {
		return 0
	}
	if p.marketWorths[spot] < 0 {
		h := p.hand
		for c := range colours {
			h[c] += int(p.view.Markets[colours*spot+c])
		}
		p.marketWorths[spot] = max(0, p.kitchen.plan(h, 0)-p.before)
	}
	return p.marketWorths[spot] * min(cubes, all) / all
}

// shelfWorth returns what it is worth to take cubes of a shelf.
func (p *Player) shelfWorth(c, tokens int) int {
	return p.withCubes(slices.Repeat([]int{c}, min(tokens, int(p.view.Shelves[c])))...)
}

// spotWorth returns what a spot is worth with this number of own tokens (step 7).
func (p *Player) spotWorth(spot, tokens int) int {
	if tokens == 0 {
		return 0
	}
	others := p.mostOther[spot]
	ahead := 4 * min(2, max(0, tokens-others))
	if spot == grocer {
		best := math.MinInt
		for c := range colours {
			best = max(best, p.shelfWorth(c, tokens))
		}
		return best + ahead
	}
	took, cubes := 0, p.cubesAt(spot)
	if tokens > others {
		took = cubes
	} else if tokens == others {
		took = min(tokens, max(0, cubes-others))
	}
	power := p.marketWorth(spot, min(took, tokens-1)) + 5
	switch {
	case spot == magician && p.view.Reserves[salt] > 0:
		power += p.withCubes(salt)
	case spot == elf:
		power += 15
	case spot == dwarf && p.view.Round == lastRound:
		power += 15
	case spot == dwarf:
		power += 15 * int(p.view.Discs[p.seat])
	}
	return max(p.marketWorth(spot, took), power) + ahead
}

// placeWorth returns what it is worth to place that many helpers on each spot (step 8).
func (p *Player) placeWorth(helpers [7]int) int {
	if p.added == nil {
		p.preparePlaces()
	}
	worth, left := 0, p.helpers
	for s, n := range helpers {
		worth += p.added[s][n]
		left -= n
	}
	return worth + p.rest[left]
}

// preparePlaces reckons what helpers add on each spot, and on the spots of the second part (step 8).
func (p *Player) preparePlaces() {
	p.helpers = int(p.view.Helpers[p.seat])
	for _, n := range p.view.Placing {
		p.helpers -= int(n)
	}
	p.home = 0
	if p.view.Phase == pb.Festo_PHASE_MORNING {
		p.home = 20
	}
	p.added = make([][]int, spots)
	p.rest = nil
	for n := range p.helpers + 1 {
		for s := range spots {
			p.added[s] = append(p.added[s], p.spotWorth(s, p.mine[s]+n)-p.spotWorth(s, p.mine[s]))
		}
		p.rest = append(p.rest, p.home*n)
	}
	if p.view.Decision != pb.Festo_DECISION_KIND_PLACE_WEST {
		return
	}
	for s := magician; s < spots; s++ {
		if slices.Contains(p.view.Blocked, pb.Festo_Spot(s+1)) {
			continue
		}
		for n := p.helpers; n > 0; n-- {
			for k := 1; k <= n; k++ {
				p.rest[n] = max(p.rest[n], p.rest[n-k]+p.added[s][k])
			}
		}
	}
}

// cookWorth returns what it is worth to cook a dish (step 10).
func (p *Player) cookWorth(dish int) int {
	i := slices.IndexFunc(p.kitchen.offers, func(o offer) bool { return o.dish == dish })
	_, _, price := p.kitchen.price(p.kitchen.offers[i], p.hand)
	return p.kitchen.gain(dish, p.kitchen.counts) + p.kitchen.plan(p.hand.pay(price), dish)
}

// reserveWorth returns what the plan is worth more with a reservation (step 9).
func (p *Player) reserveWorth(dish pb.Festo_Dish) int {
	reserved := p.kitchen
	reserved.offers = slices.Clone(p.kitchen.offers)
	for i, o := range reserved.offers {
		if o.dish == int(dish) {
			reserved.offers[i].forms = forms(slices.Index(p.view.Buffet, dish), true)
		}
	}
	return reserved.plan(p.hand, 0) - p.before
}

// trollWorth returns what it is worth to move a cube (step 9).
func (p *Player) trollWorth(move int) int {
	cube, source, target := move/100, move/10%10, move%10
	if p.aheadAt(target-1) && !p.aheadAt(source-1) {
		return p.withCubes(cube - 1)
	}
	return 0
}

// aheadAt tells whether the own seat has more tokens on a spot than every other one.
func (p *Player) aheadAt(spot int) bool {
	return p.mine[spot] > p.mostOther[spot]
}

// numbers returns spots or cubes of the protocol counted from 0.
func numbers[T ~int32](values []T) []int {
	var found []int
	for _, value := range values {
		found = append(found, int(value)-1)
	}
	return found
}

// digits returns the seven decimal digits of a number.
func digits(number int32) [7]int {
	var found [7]int
	for i := range found {
		found[6-i] = int(number % 10)
		number /= 10
	}
	return found
}
