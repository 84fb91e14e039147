//! Plays Festo! greedily; the same logic exists in other languages and moves alike. The steps in
//! the comments are those at the top of sample_bots/python/greedy_festo.py.
//!
//! Colours, spots, categories and seats count from 0, and salt is colour 6. What things are worth
//! is counted in tenths of points and always whole.

mod kitchen;

use crate::plumbing::Bot;
use crate::proto::festo::r#move::Action;
use crate::proto::festo::{self, DecisionKind, EventCard, Phase, View};
use crate::proto::{Decision, MatchStarted, Move, decision, match_started, r#move};
use kitchen::{COLOURS, Hand, Kitchen, MAIN, Offer, ROAST, SALT, category, forms, pay, plus};

const MAGICIAN: usize = 3;
const ELF: usize = 4;
const DWARF: usize = 5;
const GROCER: usize = 6;
const SPOTS: usize = 7;
const LAST_ROUND: i32 = 4;

/// Plays the move that is worth most.
#[derive(Default)]
pub struct GreedyFesto {
    seat: usize,
    seats: usize,
    magic: bool,
    view: View,
    hand: Hand,
    kitchen: Kitchen,
    before: i32,
    mine: [i32; SPOTS],
    most_other: [i32; SPOTS],
    market_worths: [i32; GROCER],
    added: Vec<Vec<i32>>, // by spot and helpers
    rest: Vec<i32>,       // by helpers
}

impl Bot for GreedyFesto {
    /// Learn the seat and the options.
    fn match_started(&mut self, message: &MatchStarted) {
        self.seat = message.seat as usize;
        self.seats = message.seats.len();
        if let Some(match_started::Options::Festo(options)) = &message.options {
            self.magic = options.magic_dishes;
        }
    }

    /// Return the first of the moves that are worth most (step 11).
    fn choose(&mut self, decision: &Decision) -> Move {
        if let Some(decision::Situation::Festo(situation)) = &decision.situation {
            self.view = situation.view.clone().unwrap_or_default();
        }
        self.look();
        let moves = decision.legal_moves.iter().rev(); // of equals, max_by_key takes the last
        let best = moves.max_by_key(|candidate| match &candidate.game {
            Some(r#move::Game::Festo(candidate)) => self.worth(candidate),
            _ => i32::MIN,
        });
        best.cloned().unwrap_or_default()
    }
}

impl GreedyFesto {
    /// Read the view (step 1).
    fn look(&mut self) {
        let view = &self.view;
        let (size, seat) = (self.hand.len(), self.seat);
        self.hand
            .copy_from_slice(&view.cubes[size * seat..size * (seat + 1)]);
        self.kitchen = Kitchen {
            offers: self.offers(),
            cube_worth: if view.round == LAST_ROUND { 10 } else { 15 },
            ..Kitchen::default()
        };
        for (&dish, &owner) in view.cooked.iter().zip(&view.cooked_by) {
            if owner as usize == self.seat {
                self.kitchen.counts[category(dish)] += 1;
                if self.magic && category(dish) == 0 {
                    self.kitchen.saved[dish as usize - 1] = 1;
                }
            }
        }
        if self.magic {
            self.kitchen.small_bonus = 10 * (LAST_ROUND - view.round);
        }
        if let Some(card) = view.events.last() {
            let first = EventCard::E07 as i32;
            if (first..=EventCard::E12 as i32).contains(card) {
                self.kitchen.bonus_category = Some((card - first) as usize);
            }
        }
        self.before = self.kitchen.plan(self.hand, 0);
        for spot in 0..SPOTS {
            let tokens = |seat| self.tokens_at(spot, seat);
            let others = (0..self.seats).filter(|&seat| seat != self.seat);
            let most = others.map(tokens).max().unwrap_or(0);
            self.mine[spot] = tokens(self.seat);
            self.most_other[spot] = most;
        }
        for spot in 0..GROCER {
            let mut hand = self.hand;
            for (own, more) in hand.iter_mut().zip(self.market(spot)) {
                *own += more;
            }
            self.market_worths[spot] = (self.kitchen.plan(hand, 0) - self.before).max(0);
        }
        self.prepare_places();
    }

    /// Return what the own seat may cook (step 1).
    fn offers(&self) -> Vec<Offer> {
        let view = &self.view;
        let mut offers = Vec::new();
        for (place, &dish) in view.buffet.iter().enumerate() {
            let reserved = view.reserved.iter().position(|&other| other == dish);
            let own = reserved.is_none_or(|i| view.reserved_by[i] as usize == self.seat);
            if dish != 0 && own {
                let forms = forms(place, reserved.is_some());
                offers.push(Offer { dish, forms });
            }
        }
        for (dish, stock) in [(ROAST, view.roasts), (MAIN, view.mains)] {
            if stock > 0 {
                let forms = Vec::new();
                offers.push(Offer { dish, forms });
            }
        }
        offers
    }

    /// Return how many tokens a seat has on a spot.
    fn tokens_at(&self, spot: usize, seat: usize) -> i32 {
        let at = self.seats * spot + seat;
        let on = |tokens: &[i32]| tokens.get(at).copied().unwrap_or(0);
        on(&self.view.helpers_at) + on(&self.view.discs_at)
    }

    /// Return what a move is worth (steps 8 to 10).
    fn worth(&self, candidate: &festo::Move) -> i32 {
        let spot = (self.view.spot - 1).max(0) as usize;
        let Some(action) = &candidate.action else {
            return i32::MIN;
        };
        match action {
            Action::First(seat) => (*seat as usize == self.seat) as i32,
            Action::Place(place) => self.place_worth(digits(*place)),
            Action::Cube(cube) => self.with_cubes(&numbers(&[*cube])),
            Action::Get(get) => self.with_cubes(&numbers(&get.cubes)),
            Action::Shelf(cube) => self.shelf_worth(*cube as usize - 1, self.mine[GROCER]),
            Action::Pass(_) => self.kitchen.cube_worth * self.hand.iter().sum::<i32>(),
            Action::Cook(dish) => self.cook_worth(*dish),
            Action::Recall(_) => -1000,
            Action::Pay(pay) => self.pay_worth(digits(*pay)),
            Action::Take(_) => self.market_worth(spot, self.mine[spot]),
            Action::TakeAll(_) => self.market_worth(spot, 99),
            power => self.market_worth(spot, self.mine[spot] - 1) + self.power_worth(power),
        }
    }

    /// Return what a power is worth (step 9).
    fn power_worth(&self, power: &Action) -> i32 {
        match power {
            Action::Send(send) => {
                let spot = send.spot as usize - 1;
                let tokens = self.mine[spot];
                self.spot_worth(spot, tokens + 1) - self.spot_worth(spot, tokens)
            }
            Action::Reserve(reserve) => self.reserve_worth(reserve.dish) - 10,
            Action::Salt(_) => self.with_cubes(&[SALT]) + 5,
            Action::Trade(cube) => {
                let mut hand = self.hand;
                hand[*cube as usize - 1] -= 1;
                let plans = (0..COLOURS).map(|c| self.kitchen.plan(plus(hand, &[c, c]), 0));
                plans.max().unwrap_or(0) - self.before
            }
            Action::Discs(discs) => {
                let mut spots = numbers(&discs.spots);
                spots.sort_unstable();
                spots.dedup();
                let cubes = spots.iter().map(|&spot| self.cubes_at(spot));
                15 * discs.spots.len() as i32 + cubes.sum::<i32>()
            }
            Action::Points(_) => 20,
            Action::MoveCube(cube) => self.troll_worth(*cube) - 5,
            _ => 0,
        }
    }

    /// Return what cubes are worth (step 6).
    fn with_cubes(&self, cubes: &[usize]) -> i32 {
        self.kitchen.plan(plus(self.hand, cubes), 0) - self.before
    }

    /// Return the cubes of a market by colour.
    fn market(&self, spot: usize) -> &[i32] {
        &self.view.markets[COLOURS * spot..COLOURS * (spot + 1)]
    }

    /// Return how many cubes a market has.
    fn cubes_at(&self, spot: usize) -> i32 {
        self.market(spot).iter().sum()
    }

    /// Return what this number of cubes of a market is worth (step 6).
    fn market_worth(&self, spot: usize, cubes: i32) -> i32 {
        match self.cubes_at(spot) {
            0 => 0,
            all => self.market_worths[spot] * cubes.min(all) / all,
        }
    }

    /// Return what it is worth to take cubes of a shelf.
    fn shelf_worth(&self, c: usize, tokens: i32) -> i32 {
        let cubes = tokens.min(self.view.shelves[c]);
        self.with_cubes(&vec![c; cubes as usize])
    }

    /// Return what a spot is worth with this number of own tokens (step 7).
    fn spot_worth(&self, spot: usize, tokens: i32) -> i32 {
        if tokens == 0 {
            return 0;
        }
        let others = self.most_other[spot];
        let ahead = 4 * (tokens - others).clamp(0, 2);
        if spot == GROCER {
            let shelves = (0..COLOURS).map(|c| self.shelf_worth(c, tokens));
            return shelves.max().unwrap_or(0) + ahead;
        }
        let cubes = self.cubes_at(spot);
        let took = match tokens.cmp(&others) {
            std::cmp::Ordering::Greater => cubes,
            std::cmp::Ordering::Equal => tokens.min((cubes - others).max(0)),
            std::cmp::Ordering::Less => 0,
        };
        let mut power = self.market_worth(spot, took.min(tokens - 1)) + 5;
        power += match spot {
            MAGICIAN if self.view.reserves[SALT] > 0 => self.with_cubes(&[SALT]),
            ELF => 15,
            DWARF if self.view.round == LAST_ROUND => 15,
            DWARF => 15 * self.view.discs[self.seat],
            _ => 0,
        };
        self.market_worth(spot, took).max(power) + ahead
    }

    /// Return what it is worth to place that many helpers on each spot (step 8).
    fn place_worth(&self, helpers: [i32; 7]) -> i32 {
        let left = self.rest.len() - 1 - helpers.iter().sum::<i32>() as usize;
        let added = helpers.iter().zip(&self.added);
        let added = added.map(|(&n, added)| added[n as usize]);
        self.rest[left] + added.sum::<i32>()
    }

    /// Reckon what helpers add on each spot, and on the spots of the second part (step 8).
    fn prepare_places(&mut self) {
        self.added.clear();
        self.rest.clear();
        let view = &self.view;
        let west = view.decision() == DecisionKind::PlaceWest;
        if !west && view.decision() != DecisionKind::PlaceEast {
            return;
        }
        let helpers = view.helpers[self.seat] - view.placing.iter().sum::<i32>();
        let home = if view.phase() == Phase::Morning {
            20
        } else {
            0
        };
        let mut rest: Vec<i32> = (0..=helpers).map(|n| home * n).collect();
        let mut added = Vec::new();
        for s in 0..SPOTS {
            let before = self.spot_worth(s, self.mine[s]);
            let worths = (0..=helpers).map(|n| self.spot_worth(s, self.mine[s] + n) - before);
            added.push(worths.collect::<Vec<i32>>());
        }
        if west {
            for (s, added) in added.iter().enumerate().skip(MAGICIAN) {
                if view.blocked.contains(&(s as i32 + 1)) {
                    continue;
                }
                for n in (1..rest.len()).rev() {
                    let best = (0..=n).map(|k| rest[n - k] + added[k]).max();
                    rest[n] = best.unwrap_or(0);
                }
            }
        }
        (self.added, self.rest) = (added, rest);
    }

    /// Return what it is worth to cook a dish (step 10).
    fn cook_worth(&self, dish: i32) -> i32 {
        let kitchen = &self.kitchen;
        let offer = kitchen.offers.iter().find(|offer| offer.dish == dish);
        let price = kitchen.price(offer.expect("only offers are legal"), &self.hand);
        let left = pay(self.hand, &price.cubes);
        kitchen.gain(dish, &kitchen.counts) + kitchen.plan(left, dish)
    }

    /// Return what a payment is worth (step 10).
    fn pay_worth(&self, cubes: [i32; 7]) -> i32 {
        let mut hand = self.hand;
        for (own, paid) in hand.iter_mut().zip(cubes) {
            *own -= paid;
        }
        self.kitchen.plan(hand, self.view.paying)
    }

    /// Return what the plan is worth more with a reservation (step 9).
    fn reserve_worth(&self, dish: i32) -> i32 {
        let mut reserved = self.kitchen.clone();
        let place = self.view.buffet.iter().position(|&other| other == dish);
        for offer in &mut reserved.offers {
            if offer.dish == dish {
                offer.forms = forms(place.unwrap_or(0), true);
            }
        }
        reserved.plan(self.hand, 0) - self.before
    }

    /// Return what it is worth to move a cube (step 9).
    fn troll_worth(&self, number: i32) -> i32 {
        let (cube, source, target) = (number / 100, number / 10 % 10, number % 10);
        if self.ahead_at(target) && !self.ahead_at(source) {
            self.with_cubes(&numbers(&[cube]))
        } else {
            0
        }
    }

    /// Tell whether the own seat has more tokens on a spot than every other one.
    fn ahead_at(&self, spot: i32) -> bool {
        let spot = spot as usize - 1;
        self.mine[spot] > self.most_other[spot]
    }
}

/// Return spots or cubes of the protocol counted from 0.
fn numbers(values: &[i32]) -> Vec<usize> {
    values.iter().map(|&value| value as usize - 1).collect()
}

/// Return the seven decimal digits of a number.
fn digits(mut number: i32) -> [i32; 7] {
    let mut found = [0; 7];
    for digit in found.iter_mut().rev() {
        *digit = number % 10;
        number /= 10;
    }
    found
}
