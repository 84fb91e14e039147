// Everything between a bot and the referee; you can write a bot without reading it.
#include "plumbing.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "highstreet/v1/play.grpc.pb.h"

namespace highstreet {
namespace {

constexpr int kMostFailures = 6;

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

 private:
    BotFactory make_bot_;
    std::unordered_map<std::string, std::unique_ptr<Bot>> bots_;
};

std::string environment(const char* name);
std::string read_file(const std::string& path);
void play_over_grpc(v1::PlayService::Stub& stub, Bots& bots, v1::Join join);
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
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (const std::string ca = environment("HIGHSTREET_CA"); !ca.empty()) {
        grpc::SslCredentialsOptions tls;
        tls.pem_root_certs = read_file(ca);
        credentials = grpc::SslCredentials(tls);
    }
    const auto stub = v1::PlayService::NewStub(grpc::CreateChannel(target, credentials));
    Bots bots(std::move(make_bot));
    v1::Join join;
    join.set_token(environment("HIGHSTREET_TOKEN"));
    join.set_protocol_version(1);
    join.set_max_matches(max_matches);
    for (const std::string& game : games) join.add_games(game);
    play_over_grpc(*stub, bots, std::move(join));
}

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read the file of HIGHSTREET_CA, " + path + ".");
    return {std::istreambuf_iterator<char>(file), {}};
}

void play_over_grpc(v1::PlayService::Stub& stub, Bots& bots, v1::Join join) {
    v1::PlayRequest first;
    *first.mutable_join() = std::move(join);
    for (int failures = 0;;) {
        grpc::ClientContext context;
        const auto stream = stub.Play(&context);
        stream->Write(first);  // if a write fails, the next read does too
        bool goodbye = false;
        for (v1::PlayResponse said; stream->Read(&said);) {
            failures = 0;
            goodbye = goodbye || said.has_goodbye();
            if (said.has_welcome()) first.mutable_join()->set_resume_id(said.welcome().resume_id());
            if (const auto request = answer(said, bots)) stream->Write(*request);
        }
        const grpc::Status status = stream->Finish();
        if (goodbye || status.ok()) return;
        ++failures;
        if (status.error_code() != grpc::StatusCode::UNAVAILABLE || failures > kMostFailures) {
            throw std::runtime_error("gRPC status " + std::to_string(status.error_code()) + ": " +
                                     status.error_message());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100 << failures));
    }
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
