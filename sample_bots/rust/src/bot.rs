//! What the bots think: at random, or greedily, one move ahead. The same greedy bot exists in other
//! languages and chooses the same moves. How it plays a game is in the module of that game.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process;

use crate::festo::GreedyFesto;
use crate::gargon::GreedyGargon;
use crate::glastonbury::GreedyGlastonbury;
use crate::kupferkessel::GreedyKupferkessel;
use crate::plumbing::Bot;
use crate::proto::{Decision, MatchStarted, Move};

/// Plays at random.
pub struct RandomBot {
    random: fastrand::Rng,
}

impl RandomBot {
    /// Begin with chance, which BOT_SEED makes repeatable.
    pub fn new() -> Self {
        let random = match env::var_os("BOT_SEED") {
            Some(seed) => {
                let mut hasher = DefaultHasher::new();
                seed.hash(&mut hasher);
                fastrand::Rng::with_seed(hasher.finish())
            }
            None => fastrand::Rng::new(),
        };
        Self { random }
    }
}

impl Bot for RandomBot {
    /// Return any legal move.
    fn choose(&mut self, decision: &Decision) -> Move {
        let i = self.random.usize(..decision.legal_moves.len());
        decision.legal_moves[i].clone()
    }
}

/// The games that the greedy bot plays.
pub const GREEDY_GAMES: [&str; 4] = ["glastonbury", "kupferkessel", "gargon", "festo"];

/// Lets the logic of the game play.
#[derive(Default)]
pub struct GreedyBot {
    player: Option<Box<dyn Bot>>,
}

impl Bot for GreedyBot {
    /// Choose the logic by the game.
    fn match_started(&mut self, message: &MatchStarted) {
        let mut player: Box<dyn Bot> = match message.game.as_str() {
            "glastonbury" => Box::<GreedyGlastonbury>::default(),
            "kupferkessel" => Box::<GreedyKupferkessel>::default(),
            "gargon" => Box::<GreedyGargon>::default(),
            "festo" => Box::<GreedyFesto>::default(),
            other => {
                eprintln!("greedy plays {}, but not {other}", GREEDY_GAMES.join(", "));
                process::exit(1);
            }
        };
        player.match_started(message);
        self.player = Some(player);
    }

    /// Return the first of the moves that are worth most.
    fn choose(&mut self, decision: &Decision) -> Move {
        let player = self.player.as_mut().expect("a match starts first");
        player.choose(decision)
    }
}
