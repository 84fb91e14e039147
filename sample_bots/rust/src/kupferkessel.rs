//! Plays Kupferkessel Co. greedily; the same logic exists in other languages and moves alike. The
//! steps in the comments are those at the top of sample_bots/python/greedy_kupferkessel.py.
//!
//! Cards, colours, recipes and cells are the numbers of the protocol; ingredients count from 0 (Wa)
//! to 13 (Lb). What things are worth is counted in half points and always whole.

use crate::plumbing::Bot;
use crate::proto::kupferkessel::r#move::Action;
use crate::proto::kupferkessel::{self, Event, EventKind, Phase, Recipe, View};
use crate::proto::{Decision, MatchStarted, Move, decision, match_started, r#move};

const INGREDIENTS: usize = 14;

const COLUMNS: [[usize; 6]; 4] = [
    [1, 7, 13, 19, 25, 31],
    [2, 8, 14, 20, 26, 32],
    [3, 9, 15, 21, 27, 33],
    [4, 10, 16, 22, 28, 34],
];
const ROWS: [[usize; 6]; 4] = [
    [6, 7, 8, 9, 10, 11],
    [12, 13, 14, 15, 16, 17],
    [18, 19, 20, 21, 22, 23],
    [24, 25, 26, 27, 28, 29],
];
/// The cells that each stop faces; none at a corner.
#[rustfmt::skip]
const LINES: [&[usize]; 20] = [
    &[], &COLUMNS[0], &COLUMNS[1], &COLUMNS[2], &COLUMNS[3],
    &[], &ROWS[0], &ROWS[1], &ROWS[2], &ROWS[3],
    &[], &COLUMNS[3], &COLUMNS[2], &COLUMNS[1], &COLUMNS[0],
    &[], &ROWS[3], &ROWS[2], &ROWS[1], &ROWS[0],
];

/// The first of seven recipes each, in the order of the colours.
const BOTH: i32 = Recipe::BothWhite as i32;
const ONE: i32 = Recipe::OneWhite as i32;

/// Return the ingredient of a card.
fn ingredient(card: i32) -> usize {
    (card as usize - 1) / 4
}

/// Return the value that is printed on a card.
fn number(card: i32) -> i32 {
    (card - 1) % 4 + 1
}

/// Return the colour of a card.
fn colour(card: i32) -> i32 {
    (card - 1) / 8 + 1
}

/// Tell whether a card is a plant: ingredient a of a colour that is not white or black.
fn is_plant(card: i32) -> bool {
    ingredient(card) >= 4 && ingredient(card).is_multiple_of(2)
}

/// Return what the cards of one ingredient are worth (step 3).
fn set_worth(count: i32, total: i32, left: i32) -> i32 {
    match count {
        0 => 0,
        1 if left >= 2 => -total,
        1 => -2 * total,
        2 if left >= 1 => total,
        2 => 0,
        3 => 2 * total,
        _ => 2 * total + 10,
    }
}

/// Remembers every cauldron, and plays the move that is worth most.
#[derive(Default)]
pub struct GreedyKupferkessel {
    seat: usize,
    cauldrons: Vec<Vec<i32>>,
    explosions: Vec<i32>,
    wands: Vec<i32>,
    view: View,
    left: [i32; INGREDIENTS],
    counts: Vec<[i32; INGREDIENTS]>,
    totals: Vec<[i32; INGREDIENTS]>,
}

impl Bot for GreedyKupferkessel {
    /// Begin with empty cauldrons, and learn which cards have symbols.
    fn match_started(&mut self, message: &MatchStarted) {
        self.seat = message.seat as usize;
        self.cauldrons = vec![Vec::new(); message.seats.len()];
        if let Some(match_started::Options::Kupferkessel(options)) = &message.options {
            self.explosions.clone_from(&options.explosions);
            self.wands.clone_from(&options.wands);
        }
    }

    /// Return the first of the moves that are worth most (step 10).
    fn choose(&mut self, decision: &Decision) -> Move {
        if let Some(decision::Situation::Kupferkessel(situation)) = &decision.situation {
            self.view = situation.view.clone().unwrap_or_default();
            for event in &situation.events {
                self.remember(event);
            }
        }
        for (cauldron, &height) in self.cauldrons.iter_mut().zip(&self.view.heights) {
            cauldron.truncate(height as usize);
        }
        self.count();
        let moves = decision.legal_moves.iter().rev(); // of equals, max_by_key takes the last
        let best = moves.max_by_key(|candidate| match &candidate.game {
            Some(r#move::Game::Kupferkessel(candidate)) => self.worth(candidate),
            _ => i32::MIN,
        });
        best.cloned().unwrap_or_default()
    }
}

impl GreedyKupferkessel {
    /// Keep the cauldrons up to date (step 1).
    fn remember(&mut self, event: &Event) {
        let Some(cauldron) = self.cauldrons.get_mut(event.seat as usize) else {
            return; // the seat is -1 if the game ended without an ender
        };
        match event.kind() {
            EventKind::DrewStartCard if event.flag => cauldron.push(event.card),
            EventKind::Took | EventKind::Kept => cauldron.push(event.card),
            EventKind::Lost => drop(cauldron.pop()),
            EventKind::CauldronOpened => cauldron.clone_from(&event.cards),
            _ => {}
        }
    }

    /// Count cards, sums of values and cards left (step 2).
    fn count(&mut self) {
        self.left = [4; INGREDIENTS];
        self.counts = vec![[0; INGREDIENTS]; self.cauldrons.len()];
        self.totals = vec![[0; INGREDIENTS]; self.cauldrons.len()];
        for (seat, cauldron) in self.cauldrons.iter().enumerate() {
            for &card in cauldron {
                self.left[ingredient(card)] -= 1;
                self.counts[seat][ingredient(card)] += 1;
                self.totals[seat][ingredient(card)] += self.value(card, seat);
            }
        }
        for &card in &self.view.out {
            self.left[ingredient(card)] -= 1;
        }
    }

    /// Return the value of a card for a seat.
    fn value(&self, card: i32, seat: usize) -> i32 {
        let own = colour(card) == self.view.colours[seat];
        if own { 2 * number(card) } else { number(card) }
    }

    /// Return what a move is worth (steps 7 to 9).
    fn worth(&self, candidate: &kupferkessel::Move) -> i32 {
        match &candidate.action {
            Some(Action::Take(cell)) => self.take_worth(*cell as usize),
            Some(Action::Use(_)) => self.use_worth(),
            Some(Action::Keep(_)) => self.keep_worth(self.view.last_card),
            _ => 0,
        }
    }

    /// Return what it is worth to take the card of a cell (step 7).
    fn take_worth(&self, cell: usize) -> i32 {
        let card = self.view.board[cell];
        let prospect = self.prospect(self.reached(number(card)), Some(cell));
        let mut worth = self.gain(card) + prospect;
        if self.wands.contains(&card) && self.view.phase() == Phase::Take {
            worth += prospect.max(0);
        }
        if self.explosions.contains(&card) {
            worth += self.losses().max(0);
        }
        worth
    }

    /// Return what it is worth to use the symbol of the card just taken (step 8).
    fn use_worth(&self) -> i32 {
        if self.view.phase() == Phase::Explosion {
            return self.losses();
        }
        let few = self.view.recipes.contains(&(Recipe::FewerCards as i32));
        let cost = if few { 8 } else { 0 };
        let steps = number(self.view.tops[self.seat]);
        self.prospect(self.reached(steps), None) - cost
    }

    /// Return what it is worth to keep the last card (step 9).
    fn keep_worth(&self, card: i32) -> i32 {
        let i = ingredient(card);
        let (count, total) = (self.counts[self.seat][i], self.totals[self.seat][i]);
        let kept = set_worth(count + 1, total + self.value(card, self.seat), 0);
        kept - set_worth(count, total, 0) + self.bonus(card)
    }

    /// Return the stop that the own pawn reaches; stops of other pawns are not counted.
    fn reached(&self, mut steps: i32) -> i32 {
        let mut stop = self.view.stops[self.seat];
        while steps > 0 {
            stop = (stop + 1) % 20;
            if !self.view.stops.contains(&stop) {
                steps -= 1;
            }
        }
        stop
    }

    /// Return the highest gain in the line that a stop faces (step 6).
    fn prospect(&self, stop: i32, taken: Option<usize>) -> i32 {
        let mut best = -8;
        for &cell in LINES[stop as usize] {
            let card = self.view.board[cell];
            if Some(cell) != taken && card > 0 {
                best = best.max(self.gain(card));
            }
        }
        best
    }

    /// Return what a card gains (step 4).
    fn gain(&self, card: i32) -> i32 {
        self.difference(card, self.seat, 1) + self.bonus(card)
    }

    /// Return what the others lose by an explosion (step 4).
    fn losses(&self) -> i32 {
        let mut loss = 0;
        for (seat, cauldron) in self.cauldrons.iter().enumerate() {
            if let [_, .., top] = cauldron[..]
                && seat != self.seat
            {
                loss += self.difference(top, seat, 0);
            }
        }
        loss
    }

    /// Return what a card changes for a seat that puts it (1) or has it and loses it (0).
    fn difference(&self, card: i32, seat: usize, put: i32) -> i32 {
        let (i, value) = (ingredient(card), self.value(card, seat));
        let (count, left) = (self.counts[seat][i] + put, self.left[i] - put);
        let total = self.totals[seat][i] + put * value;
        set_worth(count, total, left) - set_worth(count - 1, total - value, left + 1)
    }

    /// Return the bonus of a card (step 5).
    fn bonus(&self, card: i32) -> i32 {
        let mut bonus = if number(card) == 1 { 2 } else { 0 };
        for &recipe in &self.view.recipes {
            bonus += match Recipe::try_from(recipe) {
                _ if recipe == BOTH + colour(card) - 1 => 6,
                _ if recipe == ONE + colour(card) - 1 => 2,
                Ok(Recipe::Plants) if is_plant(card) => 3,
                Ok(Recipe::FewerFours) if number(card) == 4 => -4,
                Ok(Recipe::FewerExplosions) if self.explosions.contains(&card) => -4,
                Ok(Recipe::FewerWands) if self.wands.contains(&card) => -4,
                _ => 0,
            };
        }
        bonus
    }
}
