package festo

// How the cubes of a seat become dishes: steps 2 to 5.

const (
	colours    = 6
	categories = 6
	salt       = 6
	roast      = 25
	mainCourse = 26
	lastRound  = 4
)

var (
	// costs has the cubes of the main colour and of another one, by row of the buffet.
	costs = [4][2]int{{2, 1}, {2, 2}, {3, 2}, {3, 3}}
	// points has the points of a dish, by category.
	points = [categories]int{6, 8, 10, 12, 15, 14}
)

// hand has a number of cubes for each colour, and of salt.
type hand [colours + 1]int

// plus returns a hand with more cubes.
func (h hand) plus(cubes ...int) hand {
	for _, c := range cubes {
		h[c]++
	}
	return h
}

// pay returns a hand without the cubes of a price, and without salt for those that it lacks.
func (h hand) pay(price [colours]int) hand {
	for c, n := range price {
		paid := min(h[c], n)
		h[c] -= paid
		h[salt] -= n - paid
	}
	return h
}

// sum returns how many cubes a hand has.
func (h hand) sum() int {
	sum := 0
	for _, n := range h {
		sum += n
	}
	return sum
}

// offer is a dish and its forms; a roast or a main course has none.
type offer struct {
	dish  int
	forms [][2]int
}

// category returns the category of a dish.
func category(dish int) int {
	if dish < roast {
		return (dish - 1) / 6
	}
	return dish - 21
}

// forms returns the forms of the dish on a place of the buffet (step 1).
func forms(place int, reserved bool) [][2]int {
	m, x, column := costs[place/3][0], costs[place/3][1], place%3
	pure := [][2]int{{m + column, x}, {m, x + column}}
	if !reserved {
		return pure
	}
	var less [][2]int
	for _, form := range pure {
		less = append(less, [2]int{form[0] - 1, form[1]}, [2]int{form[0], form[1] - 1})
	}
	return less
}

// kitchen has what a seat can cook.
type kitchen struct {
	offers        []offer
	counts        [categories]int // cooked dishes
	saved         [colours]int    // by magic drinks
	cubeWorth     int             // step 4
	smallBonus    int
	bonusCategory int
}

// gain returns what it gains to cook a dish (step 3).
func (k *kitchen) gain(dish int, counts [categories]int) int {
	own := category(dish)
	gain := 10 * (points[own] + 1)
	for _, count := range counts {
		if count > counts[own] {
			gain += 10
		}
	}
	if own == k.bonusCategory {
		gain += 20
	}
	if dish < roast {
		gain += k.smallBonus
	}
	return gain
}

// price returns by how many cubes a dish is short, how many it costs, and how many of each colour
// (step 2).
func (k *kitchen) price(o offer, h hand) (short, total int, cubes [colours]int) {
	if o.dish == mainCourse {
		for c := range colours {
			cubes[c] = 1 - k.saved[c]
			total += cubes[c]
			if cubes[c] > h[c] {
				short++
			}
		}
		return short, total, cubes
	}
	main := -1
	if o.dish < roast {
		main = (o.dish - 1) % 6
	}
	other, most := 0, -1
	for c := range colours {
		if c != main && h[c]+k.saved[c] > most {
			other, most = c, h[c]+k.saved[c]
		}
	}
	if o.dish == roast {
		cubes[other] = 6 - k.saved[other]
		return max(0, cubes[other]-h[other]), cubes[other], cubes
	}
	short, total = 99, 99
	for _, form := range o.forms {
		m, x := max(0, form[0]-k.saved[main]), max(0, form[1]-k.saved[other])
		lacking := max(0, m-h[main]) + max(0, x-h[other])
		if lacking < short || (lacking == short && m+x < total) {
			short, total, cubes[main], cubes[other] = lacking, m+x, m, x
		}
	}
	return short, total, cubes
}

// plan returns what a hand is worth, perhaps after a dish was cooked (step 5).
func (k *kitchen) plan(h hand, cooked int) int {
	counts, used := k.counts, make([]bool, len(k.offers))
	if cooked != 0 {
		counts[category(cooked)]++
	}
	worth := 0
	for {
		best, chosen, promise := 0, -1, 0
		var price [colours]int
		for i, o := range k.offers {
			if used[i] || o.dish == cooked {
				continue
			}
			short, total, cubes := k.price(o, h)
			net := k.gain(o.dish, counts) - k.cubeWorth*total
			if net <= 0 {
				continue
			}
			if short > h[salt] {
				promise = max(promise, net*(total-short)*(total-short)/(total*total))
			} else if net > best {
				best, chosen, price = net, i, cubes
			}
		}
		if chosen < 0 {
			return worth + k.cubeWorth*h.sum() + promise/2
		}
		dish := k.offers[chosen].dish
		worth += k.gain(dish, counts)
		counts[category(dish)]++
		used[chosen] = true
		h = h.pay(price)
	}
}
