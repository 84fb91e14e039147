//! Plays Glastonbury greedily; the same logic exists in other languages and moves alike. The steps
//! in the comments are those at the top of sample_bots/python/greedy_glastonbury.py.
//!
//! Cards, colours, tasks and cells are the numbers of the protocol; ingredients count from 0 (Ya)
//! to 17 (Sb). What things are worth is counted in half points and always whole.

use crate::plumbing::Bot;
use crate::proto::glastonbury::r#move::Action;
use crate::proto::glastonbury::{self, Event, EventKind, Task, View};
use crate::proto::{Decision, MatchStarted, Move, decision, r#move};

const IMMUTO: i32 = 73;
const DECLINATIO: i32 = 75;
const VANESCO: i32 = 77;
const INGREDIENTS: usize = 18;

/// What Immuto, Accio, Declinatio and Perluceo gain.
const GAINS: [i32; 4] = [12, 2, 8, 0];

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

/// Return the ingredient of a card.
fn ingredient(card: i32) -> usize {
    (card as usize - 1) / 4
}

/// Return the number on an ingredient card or on Immuto.
fn number(card: i32) -> i32 {
    if card < IMMUTO { (card - 1) % 4 + 1 } else { 0 }
}

/// Return the colour of an ingredient card.
fn colour(card: i32) -> i32 {
    (card - 1) / 8 + 1
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

/// Return twice the points of a cauldron, its Immuto assigned as they bring most.
fn best_points(mut counts: [i32; INGREDIENTS], totals: &[i32; INGREDIENTS], immuto: usize) -> i32 {
    if immuto == 0 {
        let sets = counts.iter().zip(totals);
        return sets
            .map(|(&count, &total)| set_worth(count, total, 0))
            .sum();
    }
    let mut best = i32::MIN;
    for i in 0..INGREDIENTS {
        counts[i] += 1;
        best = best.max(best_points(counts, totals, immuto - 1));
        counts[i] -= 1;
    }
    best
}

/// Remembers every cauldron, and plays the move that is worth most.
#[derive(Default)]
pub struct GreedyGlastonbury {
    seat: usize,
    cauldrons: Vec<Vec<i32>>,
    view: View,
    left: [i32; INGREDIENTS],
    counts: Vec<[i32; INGREDIENTS]>,
    totals: Vec<[i32; INGREDIENTS]>,
}

impl Bot for GreedyGlastonbury {
    /// Begin with empty cauldrons.
    fn match_started(&mut self, message: &MatchStarted) {
        self.seat = message.seat as usize;
        self.cauldrons = vec![Vec::new(); message.seats.len()];
    }

    /// Return the first of the moves that are worth most (step 11).
    fn choose(&mut self, decision: &Decision) -> Move {
        if let Some(decision::Situation::Glastonbury(situation)) = &decision.situation {
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
            Some(r#move::Game::Glastonbury(candidate)) => self.worth(candidate),
            _ => i32::MIN,
        });
        best.cloned().unwrap_or_default()
    }
}

impl GreedyGlastonbury {
    /// Keep the cauldrons up to date (step 1).
    fn remember(&mut self, event: &Event) {
        let Some(cauldron) = self.cauldrons.get_mut(event.seat as usize) else {
            return; // the seat is -1 if the game ended without an ender
        };
        match event.kind() {
            EventKind::Took | EventKind::Kept if event.card <= IMMUTO => cauldron.push(event.card),
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
            for &card in cauldron.iter().filter(|&&card| card < IMMUTO) {
                self.left[ingredient(card)] -= 1;
                self.counts[seat][ingredient(card)] += 1;
                self.totals[seat][ingredient(card)] += self.value(card, seat);
            }
        }
        for &card in self.view.out.iter().filter(|&&card| card < IMMUTO) {
            self.left[ingredient(card)] -= 1;
        }
    }

    /// Return the value of a card for a seat.
    fn value(&self, card: i32, seat: usize) -> i32 {
        let own = colour(card) == self.view.colours[seat];
        if own { 2 * number(card) } else { number(card) }
    }

    /// Return what a move is worth (steps 7 to 10).
    fn worth(&self, candidate: &glastonbury::Move) -> i32 {
        let view = &self.view;
        match &candidate.action {
            Some(Action::Take(cell)) => self.take_worth(*cell as usize),
            Some(Action::Declinatio(_)) => {
                let stop = (view.stops[self.seat] + view.steps) % 20;
                self.prospect(stop, DECLINATIO, None)
            }
            Some(Action::Pass(_)) => -4,
            Some(Action::Keep(_)) => {
                self.last_card_worth(view.last_card) + self.bonus(view.last_card)
            }
            Some(Action::Discard(_)) => self.last_card_worth(0),
            Some(Action::Immuto(assigned)) => self.assignment_worth(&assigned.ingredients),
            None => i32::MIN,
        }
    }

    /// Return what it is worth to take the card of a cell (step 7).
    fn take_worth(&self, cell: usize) -> i32 {
        let card = self.view.board[cell];
        let stop = self.view.stops[self.seat];
        let cost = if LINES[stop as usize].contains(&cell) {
            0
        } else {
            10
        };
        let steps = match self.cauldrons[self.seat].last() {
            _ if card <= IMMUTO => number(card),
            Some(&top) => number(top),
            None => 2,
        };
        let mut stop = (stop + steps) % 20;
        if LINES[stop as usize].is_empty() && self.view.declinatio[self.seat] > 0 {
            stop = (stop + steps) % 20;
        }
        self.gain(card) - cost + self.prospect(stop, VANESCO, Some(cell))
    }

    /// Return the highest gain in the line that a stop faces (step 6).
    fn prospect(&self, stop: i32, highest_card: i32, taken: Option<usize>) -> i32 {
        let mut best = -8;
        for &cell in LINES[stop as usize] {
            let card = self.view.board[cell];
            if Some(cell) != taken && (1..=highest_card).contains(&card) {
                best = best.max(self.gain(card));
            }
        }
        best
    }

    /// Return what a card gains (steps 4 and 5).
    fn gain(&self, card: i32) -> i32 {
        if card != VANESCO {
            return self.difference(card, self.seat, 1) + self.bonus(card);
        }
        let mut loss = 0;
        for (seat, cauldron) in self.cauldrons.iter().enumerate() {
            if let Some(&top) = cauldron.last()
                && seat != self.seat
            {
                loss += self.difference(top, seat, 0);
            }
        }
        loss + self.bonus(card)
    }

    /// Return what a card changes for a seat that puts it (1) or has it and loses it (0).
    fn difference(&self, card: i32, seat: usize, put: i32) -> i32 {
        if card >= IMMUTO {
            return GAINS[(card - IMMUTO) as usize];
        }
        let (i, value) = (ingredient(card), self.value(card, seat));
        let count = self.counts[seat][i] + put;
        let total = self.totals[seat][i] + put * value;
        let left = self.left[i] - put;
        set_worth(count, total, left) - set_worth(count - 1, total - value, left + 1)
    }

    /// Return the bonus of a card for the own recipes (step 5).
    fn bonus(&self, card: i32) -> i32 {
        let Some(&task) = self.view.recipe_tasks.get(self.seat) else {
            return 0;
        };
        let mut bonus = match Task::try_from(task) {
            Ok(Task::FewestFours) if number(card) == 4 => -4,
            Ok(Task::MostOnes) if number(card) == 1 => 4,
            Ok(Task::FewestSpells) if card > IMMUTO => -4,
            _ => 0,
        };
        if card < IMMUTO && colour(card) == self.view.recipe_colours[self.seat] {
            bonus += if self.cauldrons.len() == 4 { 4 } else { 2 };
        }
        bonus
    }

    /// Return what the cauldron is worth with the last card, or without it for 0 (step 9).
    fn last_card_worth(&self, card: i32) -> i32 {
        let (mut counts, mut totals) = (self.counts[self.seat], self.totals[self.seat]);
        let cauldron = self.cauldrons[self.seat].iter();
        let mut immuto = cauldron.filter(|&&card| card == IMMUTO).count();
        if (1..IMMUTO).contains(&card) {
            counts[ingredient(card)] += 1;
            totals[ingredient(card)] += self.value(card, self.seat);
        } else if card == IMMUTO {
            immuto += 1;
        }
        best_points(counts, &totals, immuto)
    }

    /// Return what an assignment of Immuto is worth (step 10).
    fn assignment_worth(&self, assigned: &[i32]) -> i32 {
        let mut counts = self.counts.clone();
        for i in assigned {
            counts[self.seat][*i as usize - 1] += 1;
        }
        let first = 2 * self.view.recipe_colours[self.seat] as usize - 2;
        let mut held: Vec<i32> = counts
            .iter()
            .map(|own| own[first] + own[first + 1])
            .collect();
        let points = best_points(counts[self.seat], &self.totals[self.seat], 0);
        let each = if held.len() == 4 { 4 } else { 2 };
        let own = held.swap_remove(self.seat);
        if held.iter().all(|&other| own > other) {
            points + own * each
        } else {
            points
        }
    }
}
