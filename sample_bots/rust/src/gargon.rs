//! Plays Gargon greedily; the same logic exists in other languages and moves alike. The steps in
//! the comments are those at the top of sample_bots/python/greedy_gargon.py.
//!
//! Cards and piles are the numbers of the protocol; colours count from 0 (white) to 5 (green). What
//! things are worth is counted in hundredths of half points and always whole.

use crate::plumbing::Bot;
use crate::proto::gargon::r#move::Action;
use crate::proto::gargon::{self, Card, Event, EventKind, Pile, View};
use crate::proto::{Decision, MatchStarted, Move, decision, r#move};

const COLOURS: usize = 6;
const VALUES: usize = 16;

/// The amulets on a card, by its value.
const AMULETS: [i32; VALUES] = [0, 5, 5, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0];

/// The first of the cards of which only the colour is known.
const BACKS: i32 = Card::WBack as i32;

/// Return the colour of a card.
fn colour(card: i32) -> usize {
    if card < BACKS {
        (card as usize - 1) / VALUES
    } else {
        (card - BACKS) as usize
    }
}

/// Return the value of a card.
fn value(card: i32) -> usize {
    (card as usize - 1) % VALUES
}

/// Remembers every capture, and plays the move that is worth most.
#[derive(Default)]
pub struct GreedyGargon {
    seat: usize,
    captured: Vec<Vec<i32>>, // by seat
    view: View,
    unseen: [[i32; VALUES]; COLOURS],
    laid: Vec<[i32; COLOURS]>, // by seat
    own: [Vec<i32>; COLOURS],
    taken: [i32; COLOURS],
    amulets: [i32; COLOURS],
    zeros: [i32; COLOURS],
    lowest_pile: usize,
}

impl Bot for GreedyGargon {
    /// Begin without captures.
    fn match_started(&mut self, message: &MatchStarted) {
        self.seat = message.seat as usize;
        self.captured = vec![Vec::new(); message.seats.len()];
    }

    /// Return the first of the moves that are worth most (step 10).
    fn choose(&mut self, decision: &Decision) -> Move {
        if let Some(decision::Situation::Gargon(situation)) = &decision.situation {
            self.view = situation.view.clone().unwrap_or_default();
            for event in &situation.events {
                self.remember(event);
            }
        }
        self.count();
        let moves = decision.legal_moves.iter().rev(); // of equals, max_by_key takes the last
        let best = moves.max_by_key(|candidate| match &candidate.game {
            Some(r#move::Game::Gargon(candidate)) => self.worth(candidate),
            _ => i32::MIN,
        });
        best.cloned().unwrap_or_default()
    }
}

impl GreedyGargon {
    /// Keep the captures up to date (step 1).
    fn remember(&mut self, event: &Event) {
        if event.kind() == EventKind::Captured {
            self.captured[event.seat as usize].push(event.card);
        }
    }

    /// Count unseen cards, cards on the table, own cards and own captures (step 2).
    fn count(&mut self) {
        let view = &self.view;
        self.unseen = [[1; VALUES]; COLOURS];
        for unseen in &mut self.unseen {
            unseen[0] = 2;
        }
        let captured = self.captured.iter().flatten();
        for &card in view.hand.iter().chain(&view.discards).chain(captured) {
            self.unseen[colour(card)][value(card)] -= 1;
        }
        self.laid = vec![[0; COLOURS]; self.captured.len()];
        for (&card, &owner) in view.laid_cards.iter().zip(&view.laid_owners) {
            self.laid[owner as usize][colour(card)] += 1;
        }
        self.own = Default::default();
        for &card in &view.hand {
            self.own[colour(card)].push(card);
        }
        (self.taken, self.amulets, self.zeros) = Default::default();
        for &card in &self.captured[self.seat] {
            self.taken[colour(card)] += 1;
            self.amulets[colour(card)] += AMULETS[value(card)];
            if value(card) == 0 {
                self.zeros[colour(card)] += 1;
            }
        }
        self.lowest_pile = view.pile_a.len().min(view.pile_b.len());
    }

    /// Return what a move is worth (steps 6 to 9).
    fn worth(&self, candidate: &gargon::Move) -> i32 {
        match &candidate.action {
            Some(Action::Play(play)) => self.play_worth(&play.colours),
            Some(Action::Pass(pile)) => self.pass_worth(*pile),
            Some(Action::Pick(pick)) => {
                let mut cards = pick.cards.clone();
                cards.sort_unstable();
                self.pick_worth(&cards)
            }
            Some(Action::Draw(pile)) => self.draw_worth(*pile),
            Some(Action::Stop(_)) => -1000,
            _ => 0,
        }
    }

    /// Return what it is worth to lay cards of these colours (step 6).
    fn play_worth(&self, pattern: &[i32]) -> i32 {
        let mut cards = [0; COLOURS];
        for &c in pattern {
            cards[c as usize - 1] += 1;
        }
        let mut worth = 0;
        for (c, &n) in cards.iter().enumerate().filter(|&(_, &n)| n > 0) {
            worth += self.best_pick(c, n);
        }
        worth
    }

    /// Return what the best pick of one card or two of a colour is worth (step 6).
    fn best_pick(&self, c: usize, cards: usize) -> i32 {
        let mut best = i32::MIN;
        for (i, &low) in self.own[c].iter().enumerate() {
            if cards == 1 {
                best = best.max(self.pick_worth(&[low]));
                continue;
            }
            for &high in &self.own[c][i + 1..] {
                best = best.max(self.pick_worth(&[low, high]));
            }
        }
        best
    }

    /// Return what it is worth to lay these cards of a colour, the lower one first (step 6).
    fn pick_worth(&self, cards: &[i32]) -> i32 {
        if cards.len() == 1 {
            return self.lay_worth(cards[0], 1);
        }
        self.lay_worth(cards[0], 2) + self.lay_worth(cards[1], 1)
    }

    /// Return what it is worth to lay a card (step 5).
    fn lay_worth(&self, card: i32, n: i32) -> i32 {
        let in_hand = match self.lowest_pile {
            0 => 0,
            1..=4 => 1,
            _ => 2,
        };
        self.chance(card, n) * self.capture_worth(card) - 100 * in_hand
    }

    /// Return the chance per cent that a card is captured (step 4).
    fn chance(&self, card: i32, n: i32) -> i32 {
        let (c, seats) = (colour(card), self.captured.len());
        let unseen: i32 = self.unseen[c].iter().sum();
        let lower: i32 = self.unseen[c][..value(card)].iter().sum();
        let yet_to_lay = (self.view.leader as usize + seats - self.seat - 1) % seats;
        let cases = if n == 1 { 2 } else { 8 };
        let mut chance = 100;
        for seat in 0..seats {
            if seat == self.seat {
                continue;
            }
            let after_own = (seat + seats - self.seat - 1) % seats;
            if self.laid[seat][c] >= n {
                chance = chance * lower / unseen;
            } else if after_own < yet_to_lay && self.held(seat, c) >= n {
                chance = chance * ((cases - 1) * unseen + lower) / (cases * unseen);
            }
        }
        chance
    }

    /// Return what a card is worth when it is captured (step 3).
    fn capture_worth(&self, card: i32) -> i32 {
        let c = colour(card);
        if value(card) == 0 {
            return ((2 * self.amulets[c]) << self.zeros[c]) + 12;
        }
        ((2 * AMULETS[value(card)]) << self.zeros[c]) + 8
    }

    /// Return how many cards of a colour a seat has in its hand.
    fn held(&self, seat: usize, c: usize) -> i32 {
        self.view.hand_counts[COLOURS * seat + c]
    }

    /// Return what it is worth to draw from a pile (step 7).
    fn draw_worth(&self, pile: i32) -> i32 {
        let from_a = pile == Pile::A as i32;
        let pile = if from_a {
            &self.view.pile_a
        } else {
            &self.view.pile_b
        };
        let c = pile[0] as usize - 1;
        let mut worth = 2 * self.taken[c];
        for seat in (0..self.captured.len()).filter(|&seat| seat != self.seat) {
            worth -= self.held(seat, c);
        }
        worth
    }

    /// Return what it is worth to pass (step 8).
    fn pass_worth(&self, pile: i32) -> i32 {
        if self.lowest_pile == 0 {
            return 0;
        }
        let above_ten = self.view.hand.len().saturating_sub(10) as i32;
        900 + self.draw_worth(pile) - 1000 * above_ten
    }
}
