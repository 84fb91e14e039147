//! Plays any game at random: change `choose`.

mod json;
mod plumbing;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use json::Json;

/// Plays one match.
struct MyBot;

impl plumbing::Bot for MyBot {
    /// Learn the game, its options and your seat.
    fn match_started(&mut self, _message: Json) {}

    /// Return one of the legal moves; the decision has the view of your seat and events too.
    fn choose<'a>(&mut self, decision: Json<'a>) -> Json<'a> {
        let moves = decision.get("legal_moves").items();
        moves[random() % moves.len()]
    }

    /// Learn the result.
    fn match_ended(&mut self, _message: Json) {}
}

/// Return a random number: the standard library has none but the keys of its hash tables.
fn random() -> usize {
    RandomState::new().build_hasher().finish() as usize
}

fn main() {
    plumbing::run(|| Box::new(MyBot));
}
