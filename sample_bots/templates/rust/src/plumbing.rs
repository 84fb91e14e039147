//! Everything between a bot and the referee; you can write a bot without reading it.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use crate::json::Json;

/// Plays one match.
pub trait Bot {
    fn match_started(&mut self, message: Json);
    fn choose<'a>(&mut self, decision: Json<'a>) -> Json<'a>;
    fn match_ended(&mut self, message: Json);
}

/// A match under way.
struct Match {
    bot: Box<dyn Bot>,
    decision_id: String,
    /// The last answer, to repeat it if the same decision comes again.
    chosen: String,
    /// The first legal move, the answer if a move is rejected.
    first: String,
}

/// Play over standard input and output until the referee says goodbye or ends the input.
///
/// Each match has a bot of its own. On SIGINT or SIGTERM the bot leaves: it asks for no more
/// matches, and plays those under way to their end. A second signal ends it at once.
pub fn run(new_bot: impl Fn() -> Box<dyn Bot>) {
    signals::leave_on_signal();
    let mut matches = HashMap::new();
    for line in io::stdin().lock().lines() {
        let line = line.expect("standard input");
        let message = Json(line.trim());
        if message.get("goodbye").is_some() {
            return;
        }
        if let Some(request) = answer(message, &mut matches, &new_bot) {
            writeln!(io::stdout(), "{request}").expect("standard output");
        }
    }
}

/// Let the bot of the match learn a message, and return its answer to a decision.
fn answer(
    message: Json,
    matches: &mut HashMap<String, Match>,
    new_bot: &impl Fn() -> Box<dyn Bot>,
) -> Option<String> {
    let (kind, inner) = *message.members().first()?;
    let name = inner.get("match").0;
    if kind == "match_started" {
        let own = Match {
            bot: new_bot(),
            decision_id: String::new(),
            chosen: String::new(),
            first: String::new(),
        };
        matches.insert(name.to_string(), own);
    }
    let own = matches.get_mut(name)?;
    match kind {
        "match_started" => own.bot.match_started(inner),
        "decision" => {
            let id = inner.get("decision_id").0;
            if own.decision_id != id {
                own.decision_id = id.to_string();
                own.first = inner.get("legal_moves").items()[0].0.to_string();
                own.chosen = own.bot.choose(inner).0.to_string();
            }
            return Some(submit(inner, &own.chosen));
        }
        "move_rejected" => {
            eprintln!("rejected: {}", inner.get("message").0);
            return Some(submit(inner, &own.first));
        }
        "match_ended" => {
            own.bot.match_ended(inner);
            matches.remove(name);
        }
        _ => {}
    }
    None
}

/// Return the answer to a decision.
fn submit(asked: Json, chosen: &str) -> String {
    let (name, id) = (asked.get("match").0, asked.get("decision_id").0);
    format!(r#"{{"submit_move":{{"match":{name},"decision_id":{id},"move":{chosen}}}}}"#)
}

/// Signals by the C library, which every Rust program has: the standard library has none.
mod signals {
    use std::ffi::{c_int, c_void};

    const SIGINT: c_int = 2;
    const SIGTERM: c_int = 15;
    const DEFAULT: usize = 0;

    extern "C" {
        fn signal(number: c_int, handler: usize) -> usize;
        fn write(file: c_int, data: *const c_void, size: usize) -> isize;
    }

    /// Leave on the first SIGINT or SIGTERM; a second one ends the program at once.
    pub fn leave_on_signal() {
        set(leave as extern "C" fn(c_int) as usize);
    }

    extern "C" fn leave(_number: c_int) {
        set(DEFAULT);
        let line = b"{\"leave\":{}}\n";
        // Safety: the line lives as long as the program; `write` may be called in a handler.
        unsafe { write(1, line.as_ptr().cast(), line.len()) };
    }

    fn set(handler: usize) {
        // Safety: the handler is 0 for the default, or a function of the type that C wants.
        unsafe {
            signal(SIGINT, handler);
            signal(SIGTERM, handler);
        }
    }
}
