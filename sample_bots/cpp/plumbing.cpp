// Everything between a bot and the referee; you can write a bot without reading it.
#include "plumbing.h"

#include <grpcpp/grpcpp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "highstreet/v1/play.grpc.pb.h"

namespace highstreet {
namespace {

// How often to dial again where no referee was ever reached: for 12 seconds.
constexpr int kFirstTries = 6;
// How often to dial again once one was reached, by default: for about an hour.
constexpr int kTries = 300;

// The bots by match; a match that is new gets a new bot.
class Bots {
 public:
    explicit Bots(BotFactory make_bot) : make_bot_(std::move(make_bot)) {}

    Bot& of(const std::string& match) {
        auto& bot = bots_[match];
        if (!bot) bot = make_bot_();
        return *bot;
    }

    void match_started(const v1::MatchStarted& message) {
        bots_.erase(message.match());  // after a cut it may come again, with all events: begin anew
        of(message.match()).match_started(message);
    }

    void match_ended(const v1::MatchEnded& message) {
        const auto ended = bots_.extract(message.match());
        if (ended) ended.mapped()->match_ended(message);
    }

    bool empty() const { return bots_.empty(); }

 private:
    BotFactory make_bot_;
    std::unordered_map<std::string, std::unique_ptr<Bot>> bots_;
};

// The conversation with the referee, over one connection after the other.
class Session {
 public:
    Session(std::shared_ptr<grpc::Channel> channel, BotFactory make_bot, v1::Join join)
        : stub_(v1::PlayService::NewStub(channel)), bots_(std::move(make_bot)) {
        *join_.mutable_join() = std::move(join);
        leave_.mutable_leave();
    }

    // Play until the referee says goodbye; dial again after a cut connection.
    void play(int tries);

    // Ask the referee for no more matches; another thread may call it at any time.
    void leave();

 private:
    using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;

    // Play over one connection; set whether the referee spoke, and whether it said goodbye.
    grpc::Status converse(bool& heard, bool& goodbye);
    void write(const v1::PlayRequest& request);
    bool pause(std::chrono::milliseconds duration);

    const std::unique_ptr<v1::PlayService::Stub> stub_;
    Bots bots_;
    v1::PlayRequest join_;
    v1::PlayRequest leave_;
    std::mutex mutex_;  // for what follows, and for each write
    std::condition_variable asked_to_leave_;
    bool leaving_ = false;
    Stream* stream_ = nullptr;
};

std::string environment(const char* name);
std::optional<std::string> read_file(const std::string& path);
int tries_from_environment();
std::string bot_version();
std::optional<v1::PlayRequest> answer(const v1::PlayResponse& said, Bots& bots);
v1::PlayRequest submit(Bot& bot, const v1::Move& move);

}  // namespace

void run(BotFactory make_bot, int max_matches, const std::vector<std::string>& games) {
    const std::string target = environment("HIGHSTREET_TARGET");
    if (target.empty()) {
        throw std::runtime_error(
            "HIGHSTREET_TARGET is not set: give the referee's HOST:PORT, "
            "or start the bot with --transport grpc.");
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // and in the threads that gRPC starts
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (const std::string ca = environment("HIGHSTREET_CA"); !ca.empty()) {
        const auto certificate = read_file(ca);
        if (!certificate) {
            throw std::runtime_error("cannot read the file of HIGHSTREET_CA, " + ca + ".");
        }
        grpc::SslCredentialsOptions tls;
        tls.pem_root_certs = *certificate;
        credentials = grpc::SslCredentials(tls);
    }
    const int tries = tries_from_environment();
    v1::Join join;
    join.set_token(environment("HIGHSTREET_TOKEN"));
    join.set_protocol_version(1);
    join.set_bot_version(bot_version());
    join.set_max_matches(max_matches);
    for (const std::string& game : games) join.add_games(game);
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
    const auto session = std::make_shared<Session>(
        grpc::CreateCustomChannel(target, credentials, arguments), std::move(make_bot), join);
    std::thread([session, signals] {
        int number = 0;
        sigwait(&signals, &number);
        session->leave();
        sigwait(&signals, &number);
        std::_Exit(128 + number);
    }).detach();
    session->play(tries);
}

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

int tries_from_environment() {
    const std::string text = environment("HIGHSTREET_TRIES");
    if (text.empty()) return kTries;
    if (text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) {
        throw std::runtime_error("HIGHSTREET_TRIES is not a whole number: " + text);
    }
    return std::stoi(text);
}

// Return HIGHSTREET_BOT_VERSION, or a hash of the executable.
std::string bot_version() {
    if (const std::string version = environment("HIGHSTREET_BOT_VERSION"); !version.empty()) {
        return version;
    }
    const auto program = read_file("/proc/self/exe");
    if (!program) {
        std::cerr << "the version of this bot is unknown: set HIGHSTREET_BOT_VERSION\n";
        return "";
    }
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(program->data()), program->size(), digest);
    std::string version;
    for (int i = 0; i < 6; ++i) {
        version += "0123456789abcdef"[digest[i] >> 4];
        version += "0123456789abcdef"[digest[i] & 15];
    }
    return version;
}

void Session::play(int tries) {
    for (int failures = 0, most = kFirstTries;;) {
        bool heard = false;
        bool goodbye = false;
        const grpc::Status status = converse(heard, goodbye);
        if (goodbye || status.ok()) return;
        if (heard) {
            failures = 0;
            most = tries;
        }
        ++failures;
        const bool cut = status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                         status.error_code() == grpc::StatusCode::INTERNAL;
        if (!cut || failures > most) {
            throw std::runtime_error("gRPC status " + std::to_string(status.error_code()) + ": " +
                                     status.error_message());
        }
        const bool leaving = pause(std::chrono::milliseconds(100 << std::min(failures, 7)));
        if (leaving && bots_.empty()) return;  // there is no match to come back for
        if (leaving) most = std::min(most, kFirstTries);
    }
}

grpc::Status Session::converse(bool& heard, bool& goodbye) {
    grpc::ClientContext context;
    const auto stream = stub_->Play(&context);
    stream->Write(join_);  // if a write fails, the next read does too
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stream_ = stream.get();
        if (leaving_) stream_->Write(leave_);
    }
    for (v1::PlayResponse said; stream->Read(&said);) {
        heard = true;
        goodbye = goodbye || said.has_goodbye();
        if (said.has_welcome()) join_.mutable_join()->set_resume_id(said.welcome().resume_id());
        if (const auto request = answer(said, bots_)) write(*request);
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stream_ = nullptr;
    }
    return stream->Finish();
}

void Session::write(const v1::PlayRequest& request) {
    const std::lock_guard<std::mutex> lock(mutex_);
    stream_->Write(request);
}

void Session::leave() {
    const std::lock_guard<std::mutex> lock(mutex_);
    leaving_ = true;
    if (stream_ != nullptr) stream_->Write(leave_);
    asked_to_leave_.notify_all();
}

// Wait before the next dial, but not if the bot leaves and has no match under way; return whether
// it leaves.
bool Session::pause(std::chrono::milliseconds duration) {
    std::unique_lock<std::mutex> lock(mutex_);
    asked_to_leave_.wait_for(lock, duration, [this] { return leaving_ && bots_.empty(); });
    return leaving_;
}

std::optional<v1::PlayRequest> answer(const v1::PlayResponse& said, Bots& bots) {
    if (said.has_match_started()) {
        bots.match_started(said.match_started());
    } else if (said.has_decision()) {
        Bot& bot = bots.of(said.decision().match());
        if (bot.asked.decision_id() != said.decision().decision_id()) {
            bot.asked = said.decision();
            return submit(bot, bot.choose(bot.asked));
        }
        return submit(bot, bot.submitted.move());
    } else if (said.has_move_rejected()) {
        const v1::MoveRejected& rejected = said.move_rejected();
        std::cerr << "rejected: " << rejected.message() << '\n';
        Bot& bot = bots.of(rejected.match());
        if (bot.asked.decision_id() == rejected.decision_id()) {
            return submit(bot, bot.asked.legal_moves(0));  // the clock goes on, and this is legal
        }
    } else if (said.has_match_ended()) {
        bots.match_ended(said.match_ended());
    }
    return std::nullopt;
}

v1::PlayRequest submit(Bot& bot, const v1::Move& move) {
    v1::SubmitMove submitted;
    submitted.set_match(bot.asked.match());
    submitted.set_decision_id(bot.asked.decision_id());
    *submitted.mutable_move() = move;
    bot.submitted = submitted;
    v1::PlayRequest request;
    *request.mutable_submit_move() = std::move(submitted);
    return request;
}

}  // namespace
}  // namespace highstreet
