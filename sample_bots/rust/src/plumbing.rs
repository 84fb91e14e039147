//! Everything between a bot and the referee; you can write a bot without reading it.

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;
use std::{env, fs, io, process};

use sha2::{Digest, Sha256};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use tokio::{runtime, select};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status};

use crate::proto::play_service_client::PlayServiceClient;
use crate::proto::{
    Decision, Join, Leave, MatchEnded, MatchStarted, Move, PlayRequest, SubmitMove, play_request,
    play_response,
};

/// How often the connection is tried, and how long it may be silent then.
const BEAT: Duration = Duration::from_secs(5);

/// How often to dial again where no referee was ever reached: for 12 seconds.
const FIRST_TRIES: u32 = 6;

/// How often to dial again once one was reached, by default: for about an hour.
const TRIES: u32 = 300;

/// Plays one match. An implementation overrides what it needs.
pub trait Bot {
    /// Learn the game, its options and your seat.
    fn match_started(&mut self, _message: &MatchStarted) {}

    /// Return one of `decision.legal_moves`.
    fn choose(&mut self, decision: &Decision) -> Move;

    /// Learn the result.
    fn match_ended(&mut self, _message: &MatchEnded) {}
}

/// Play these games, or all if none is named, over gRPC at HIGHSTREET_TARGET until the referee says
/// goodbye. On SIGINT or SIGTERM the bot leaves: it plays its matches to their end and waits for the
/// goodbye. A second signal ends it at once.
pub fn run<B: Bot>(
    new_bot: impl Fn() -> B,
    max_matches: i32,
    games: &[&str],
) -> Result<(), Box<dyn Error>> {
    let join = Join {
        token: env::var("HIGHSTREET_TOKEN").unwrap_or_default(),
        protocol_version: 1,
        bot_version: bot_version(),
        games: games.iter().map(|&game| game.into()).collect(),
        max_matches,
        ..Join::default()
    };
    let tries = match env::var("HIGHSTREET_TRIES") {
        Ok(text) if !text.is_empty() => text
            .parse()
            .map_err(|error| format!("HIGHSTREET_TRIES: {error}"))?,
        _ => TRIES,
    };
    // The worker keeps the connection alive while the bot thinks on this thread.
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut session = Session {
            join,
            failures: 0,
            most_failures: FIRST_TRIES,
            tries,
            leaving: watch_signals()?,
            new_bot,
            players: HashMap::new(),
        };
        session.play_over_grpc(connect()?).await
    })
}

/// Return HIGHSTREET_BOT_VERSION, or a hash of the executable.
fn bot_version() -> String {
    let version = env::var("HIGHSTREET_BOT_VERSION").unwrap_or_default();
    if !version.is_empty() {
        return version;
    }
    match env::current_exe().and_then(fs::read) {
        Ok(program) => Sha256::digest(program)
            .iter()
            .take(6)
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        Err(error) => {
            eprintln!("the version of this bot is unknown: set HIGHSTREET_BOT_VERSION; {error}");
            String::new()
        }
    }
}

/// Return what becomes true on the first SIGINT or SIGTERM; a second one ends the program.
fn watch_signals() -> io::Result<watch::Receiver<bool>> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    let (leave, leaving) = watch::channel(false);
    tokio::spawn(async move {
        loop {
            let code = select! {
                _ = interrupts.recv() => 130,
                _ = terminations.recv() => 143,
            };
            if leave.send_replace(true) {
                process::exit(code);
            }
        }
    });
    Ok(leaving)
}

fn connect() -> Result<PlayServiceClient<Channel>, Box<dyn Error>> {
    let target = env::var("HIGHSTREET_TARGET").map_err(
        |_| "HIGHSTREET_TARGET is not set; let highstreet start the bot with --transport grpc",
    )?;
    if target.starts_with("unix:") {
        // In a sandbox: no pings, because a frozen bot does not read their answers in time.
        let endpoint = Endpoint::from_shared(target)?;
        return Ok(PlayServiceClient::new(endpoint.connect_lazy()));
    }
    let endpoint = match env::var("HIGHSTREET_CA") {
        Ok(path) if !path.is_empty() => {
            let ca = fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
            Channel::from_shared(format!("https://{target}"))?
                .tls_config(ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca)))?
        }
        _ => Channel::from_shared(format!("http://{target}"))?,
    };
    let endpoint = endpoint
        .http2_keep_alive_interval(BEAT)
        .keep_alive_timeout(BEAT);
    Ok(PlayServiceClient::new(endpoint.connect_lazy()))
}

/// What outlives a connection.
struct Session<B, F> {
    join: Join,
    failures: u32,
    most_failures: u32,
    tries: u32,
    leaving: watch::Receiver<bool>,
    new_bot: F,
    players: HashMap<String, Player<B>>, // by match
}

/// A bot at its match.
struct Player<B> {
    bot: B,
    /// The last decision, to answer it again if the move was rejected.
    asked: Decision,
    /// The last answer, to repeat it if the connection broke.
    submitted: SubmitMove,
}

impl<B: Bot, F: Fn() -> B> Session<B, F> {
    async fn play_over_grpc(
        &mut self,
        mut client: PlayServiceClient<Channel>,
    ) -> Result<(), Box<dyn Error>> {
        while let Err(status) = self.play_until_cut(&mut client).await {
            self.failures += 1;
            if !is_cut(&status) || self.failures > self.most_failures {
                return Err(format!("{:?}: {}", status.code(), status.message()).into());
            }
            self.pause(Duration::from_millis(100 << self.failures.min(7)))
                .await;
            if *self.leaving.borrow() {
                if self.players.is_empty() {
                    break; // there is no match to come back for
                }
                self.most_failures = self.most_failures.min(FIRST_TRIES);
            }
        }
        Ok(())
    }

    /// Wait before the next dial; not if the bot leaves and has no match under way.
    async fn pause(&mut self, duration: Duration) {
        let must_wait = *self.leaving.borrow() && !self.players.is_empty();
        select! {
            _ = sleep(duration) => {}
            _ = self.leaving.wait_for(|&leaving| leaving), if !must_wait => {}
        }
    }

    async fn play_until_cut(
        &mut self,
        client: &mut PlayServiceClient<Channel>,
    ) -> Result<(), Status> {
        let (requests, outgoing) = mpsc::unbounded_channel();
        let say = |message| {
            let message = Some(message);
            let _ = requests.send(PlayRequest { message }); // if it is cut, the next response tells
        };
        say(play_request::Message::Join(self.join.clone()));
        let outgoing = UnboundedReceiverStream::new(outgoing);
        let mut responses = client.play(outgoing).await?.into_inner();
        let mut leaving = self.leaving.clone();
        let mut has_left = false;
        loop {
            let response = select! {
                response = responses.message() => response?,
                _ = leaving.wait_for(|&leaving| leaving), if !has_left => {
                    say(play_request::Message::Leave(Leave {}));
                    has_left = true;
                    continue;
                }
            };
            let Some(response) = response else { break };
            self.failures = 0;
            self.most_failures = self.tries;
            match response.message {
                Some(play_response::Message::Goodbye(_)) => break,
                Some(said) => {
                    if let Some(submitted) = self.answer(said) {
                        say(play_request::Message::SubmitMove(submitted));
                    }
                }
                None => {}
            }
        }
        Ok(())
    }

    fn answer(&mut self, said: play_response::Message) -> Option<SubmitMove> {
        use play_response::Message;
        match said {
            Message::Welcome(welcome) => self.join.resume_id = welcome.resume_id,
            Message::MatchStarted(started) => {
                // After a cut it may come again, and then all events do: begin anew.
                self.players.remove(&started.r#match);
                self.player(&started.r#match).bot.match_started(&started);
            }
            Message::Decision(asked) => {
                let player = self.player(&asked.r#match);
                if player.asked.decision_id != asked.decision_id {
                    player.asked = asked;
                    let chosen = player.bot.choose(&player.asked);
                    player.submit(chosen);
                }
                return Some(player.submitted.clone());
            }
            Message::MoveRejected(rejected) => {
                eprintln!("rejected: {}", rejected.message);
                let player = self.players.get_mut(&rejected.r#match)?;
                if player.asked.decision_id == rejected.decision_id {
                    let legal = player.asked.legal_moves.first()?.clone();
                    player.submit(legal);
                    return Some(player.submitted.clone());
                }
            }
            Message::MatchEnded(ended) => {
                if let Some(mut player) = self.players.remove(&ended.r#match) {
                    player.bot.match_ended(&ended);
                }
            }
            Message::Goodbye(_) => {}
        }
        None
    }

    fn player(&mut self, id: &str) -> &mut Player<B> {
        self.players.entry(id.into()).or_insert_with(|| Player {
            bot: (self.new_bot)(),
            asked: Decision::default(),
            submitted: SubmitMove::default(),
        })
    }
}

impl<B> Player<B> {
    /// Make a move the answer to the decision that was asked last.
    fn submit(&mut self, chosen: Move) {
        self.submitted = SubmitMove {
            r#match: self.asked.r#match.clone(),
            decision_id: self.asked.decision_id,
            r#move: Some(chosen),
        };
    }
}

/// Return whether a status is what a cut connection looks like; tonic keeps its error as a source.
fn is_cut(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Internal) || status.source().is_some()
}
