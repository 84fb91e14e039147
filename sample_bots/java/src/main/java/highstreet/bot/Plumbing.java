package highstreet.bot;

import highstreet.v1.Play.Decision;
import highstreet.v1.Play.Join;
import highstreet.v1.Play.PlayRequest;
import highstreet.v1.Play.PlayResponse;
import highstreet.v1.Play.SubmitMove;
import highstreet.v1.PlayServiceGrpc;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Everything between a bot and the referee; you can write a bot without reading it. */
final class Plumbing {
  private static final int MOST_FAILURES = 6;

  /** A bot at its match, and its last answer, to repeat it if the connection broke. */
  private static final class Player {
    final Bot bot;
    SubmitMove submitted = SubmitMove.getDefaultInstance();

    Player(Bot bot) {
      this.bot = bot;
    }
  }

  private final Supplier<? extends Bot> newBot;
  private final Join.Builder join;
  private final Map<String, Player> players = new HashMap<>();

  private Plumbing(Supplier<? extends Bot> newBot, Join.Builder join) {
    this.newBot = newBot;
    this.join = join;
  }

  /**
   * Play these games, or all if none is named, over gRPC at HIGHSTREET_TARGET until the referee
   * says goodbye; return the exit code.
   */
  static int run(Supplier<? extends Bot> newBot, int maxMatches, String... games)
      throws InterruptedException {
    Map<String, String> environment = System.getenv();
    String target = environment.get("HIGHSTREET_TARGET");
    if (target == null) {
      System.err.println("HIGHSTREET_TARGET is not set: start the bot with --transport grpc.");
      return 1;
    }
    String ca = environment.get("HIGHSTREET_CA");
    ChannelCredentials credentials;
    try {
      credentials = ca == null ? InsecureChannelCredentials.create() : trusting(new File(ca));
    } catch (IOException error) {
      System.err.println("cannot read HIGHSTREET_CA: " + error.getMessage());
      return 1;
    }
    Join.Builder join =
        Join.newBuilder()
            .setToken(environment.getOrDefault("HIGHSTREET_TOKEN", ""))
            .setProtocolVersion(1)
            .setBotVersion("1.0")
            .addAllGames(List.of(games))
            .setMaxMatches(maxMatches);
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, credentials)
            .keepAliveTime(10, TimeUnit.SECONDS)
            .keepAliveTimeout(5, TimeUnit.SECONDS)
            .build();
    try {
      return new Plumbing(newBot, join).play(channel);
    } finally {
      channel.shutdownNow();
    }
  }

  private static ChannelCredentials trusting(File ca) throws IOException {
    return TlsChannelCredentials.newBuilder().trustManager(ca).build();
  }

  /** Converse, again after a cut connection, until there is nothing more to say. */
  private int play(ManagedChannel channel) throws InterruptedException {
    int failures = 0;
    while (true) {
      var conversation = new Conversation();
      conversation.begin(PlayServiceGrpc.newStub(channel));
      Status status = conversation.end.join();
      if (status.isOk()) {
        return 0;
      }
      failures = conversation.heard ? 1 : failures + 1;
      if (status.getCode() != Status.Code.UNAVAILABLE || failures > MOST_FAILURES) {
        Throwable cause = status.getCause();
        String why = cause == null ? "" : " (" + cause.getMessage() + ")";
        System.err.println(status.getCode() + ": " + status.getDescription() + why);
        return 1;
      }
      Thread.sleep(100L << failures);
      channel.resetConnectBackoff();
    }
  }

  /** One stream; gRPC calls its methods one after the other. */
  private final class Conversation implements StreamObserver<PlayResponse> {
    final CompletableFuture<Status> end = new CompletableFuture<>();
    boolean heard = false;
    private StreamObserver<PlayRequest> requests;

    void begin(PlayServiceGrpc.PlayServiceStub stub) {
      requests = stub.play(this);
      requests.onNext(PlayRequest.newBuilder().setJoin(join).build());
    }

    @Override
    public void onNext(PlayResponse said) {
      heard = true;
      try {
        hear(said);
      } catch (RuntimeException error) {
        end.completeExceptionally(error); // the bot's own fault: show it to its author
      }
    }

    @Override
    public void onError(Throwable error) {
      end.complete(Status.fromThrowable(error));
    }

    @Override
    public void onCompleted() {
      end.complete(Status.OK);
    }

    private void hear(PlayResponse said) {
      switch (said.getMessageCase()) {
        case WELCOME -> join.setResumeId(said.getWelcome().getResumeId());
        case MATCH_STARTED -> {
          var message = said.getMatchStarted();
          // After a cut it may come again, and then all events do: begin anew.
          players.remove(message.getMatch());
          player(message.getMatch()).bot.matchStarted(message);
        }
        case DECISION -> {
          var submitted = answer(said.getDecision());
          requests.onNext(PlayRequest.newBuilder().setSubmitMove(submitted).build());
        }
        case MOVE_REJECTED ->
            System.err.println("rejected: " + said.getMoveRejected().getMessage());
        case MATCH_ENDED -> {
          var message = said.getMatchEnded();
          player(message.getMatch()).bot.matchEnded(message);
          players.remove(message.getMatch());
        }
        case GOODBYE -> end.complete(Status.OK);
        case MESSAGE_NOT_SET -> {} // something of a later version
      }
    }
  }

  private SubmitMove answer(Decision asked) {
    Player player = player(asked.getMatch());
    if (player.submitted.getDecisionId() != asked.getDecisionId()) {
      player.submitted =
          SubmitMove.newBuilder()
              .setMatch(asked.getMatch())
              .setDecisionId(asked.getDecisionId())
              .setMove(player.bot.choose(asked))
              .build();
    }
    return player.submitted;
  }

  private Player player(String match) {
    return players.computeIfAbsent(match, name -> new Player(newBot.get()));
  }
}
