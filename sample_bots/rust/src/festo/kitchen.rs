//! How the cubes of a seat become dishes: steps 2 to 5.

pub const COLOURS: usize = 6;
pub const SALT: usize = 6;
pub const ROAST: i32 = 25;
pub const MAIN: i32 = 26;
const CATEGORIES: usize = 6;

/// Cubes of the main colour and of another one, by row of the buffet.
const COSTS: [(i32, i32); 4] = [(2, 1), (2, 2), (3, 2), (3, 3)];

/// The points of a dish, by category.
const POINTS: [i32; CATEGORIES] = [6, 8, 10, 12, 15, 14];

/// A number of cubes for each colour, and of salt.
pub type Hand = [i32; COLOURS + 1];

/// A dish and its forms; a roast or a main course has none.
#[derive(Clone)]
pub struct Offer {
    pub dish: i32,
    pub forms: Vec<(i32, i32)>,
}

/// By how many cubes a dish is short, how many it costs, and how many of each colour.
pub struct Price {
    short: i32,
    total: i32,
    pub cubes: [i32; COLOURS],
}

/// Return the category of a dish.
pub fn category(dish: i32) -> usize {
    if dish < ROAST {
        (dish as usize - 1) / 6
    } else {
        dish as usize - 21
    }
}

/// Return the forms of the dish on a place of the buffet (step 1).
pub fn forms(place: usize, reserved: bool) -> Vec<(i32, i32)> {
    let (m, x) = COSTS[place / 3];
    let column = (place % 3) as i32;
    let pure = vec![(m + column, x), (m, x + column)];
    if !reserved {
        return pure;
    }
    let less = pure.iter().flat_map(|&(m, x)| [(m - 1, x), (m, x - 1)]);
    less.collect()
}

/// Return a hand with more cubes.
pub fn plus(mut hand: Hand, cubes: &[usize]) -> Hand {
    for &c in cubes {
        hand[c] += 1;
    }
    hand
}

/// Return a hand without the cubes of a price, and without salt for those that it lacks.
pub fn pay(mut hand: Hand, price: &[i32; COLOURS]) -> Hand {
    for (c, &n) in price.iter().enumerate() {
        let paid = n.min(hand[c]);
        hand[c] -= paid;
        hand[SALT] -= n - paid;
    }
    hand
}

/// What a seat can cook.
#[derive(Clone, Default)]
pub struct Kitchen {
    pub offers: Vec<Offer>,
    pub counts: [i32; CATEGORIES], // cooked dishes
    pub saved: [i32; COLOURS],     // by magic drinks
    pub cube_worth: i32,           // step 4
    pub small_bonus: i32,
    pub bonus_category: Option<usize>,
}

impl Kitchen {
    /// Return what it gains to cook a dish (step 3).
    pub fn gain(&self, dish: i32, counts: &[i32; CATEGORIES]) -> i32 {
        let own = category(dish);
        let more = counts.iter().filter(|&&count| count > counts[own]);
        let mut gain = 10 * (POINTS[own] + 1 + more.count() as i32);
        if self.bonus_category == Some(own) {
            gain += 20;
        }
        if dish < ROAST {
            gain += self.small_bonus;
        }
        gain
    }

    /// Return the price of a dish (step 2).
    pub fn price(&self, offer: &Offer, hand: &Hand) -> Price {
        let saved = &self.saved;
        let mut cubes = [0; COLOURS];
        if offer.dish == MAIN {
            for c in 0..COLOURS {
                cubes[c] = 1 - saved[c];
            }
            let short = (0..COLOURS).filter(|&c| cubes[c] > hand[c]).count() as i32;
            let total = cubes.iter().sum();
            return Price {
                short,
                total,
                cubes,
            };
        }
        let main = (offer.dish as usize - 1) % 6; // of a small dish
        let (mut other, mut most) = (0, -1);
        for c in 0..COLOURS {
            if (c != main || offer.dish == ROAST) && hand[c] + saved[c] > most {
                (other, most) = (c, hand[c] + saved[c]);
            }
        }
        if offer.dish == ROAST {
            let total = 6 - saved[other];
            cubes[other] = total;
            let short = (total - hand[other]).max(0);
            return Price {
                short,
                total,
                cubes,
            };
        }
        let (mut short, mut total) = (99, 99);
        for &(m, x) in &offer.forms {
            let (m, x) = ((m - saved[main]).max(0), (x - saved[other]).max(0));
            let lacking = (m - hand[main]).max(0) + (x - hand[other]).max(0);
            if lacking < short || (lacking == short && m + x < total) {
                (short, total) = (lacking, m + x);
                (cubes[main], cubes[other]) = (m, x);
            }
        }
        Price {
            short,
            total,
            cubes,
        }
    }

    /// Return what a hand is worth, perhaps after a dish was cooked (step 5).
    pub fn plan(&self, mut hand: Hand, cooked: i32) -> i32 {
        let mut counts = self.counts;
        let mut used = vec![false; self.offers.len()];
        if cooked != 0 {
            counts[category(cooked)] += 1;
        }
        let mut worth = 0;
        loop {
            let (mut best, mut chosen, mut promise) = (0, None, 0);
            for (i, offer) in self.offers.iter().enumerate() {
                if used[i] || offer.dish == cooked {
                    continue;
                }
                let price = self.price(offer, &hand);
                let net = self.gain(offer.dish, &counts) - self.cube_worth * price.total;
                if net <= 0 {
                    continue;
                }
                if price.short > hand[SALT] {
                    let has = price.total - price.short;
                    promise = promise.max(net * has * has / (price.total * price.total));
                } else if net > best {
                    best = net;
                    chosen = Some((i, price.cubes));
                }
            }
            let Some((i, price)) = chosen else {
                return worth + self.cube_worth * hand.iter().sum::<i32>() + promise / 2;
            };
            let dish = self.offers[i].dish;
            worth += self.gain(dish, &counts);
            counts[category(dish)] += 1;
            used[i] = true;
            hand = pay(hand, &price);
        }
    }
}
