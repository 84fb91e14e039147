package highstreet.bot;

import highstreet.v1.Play.Decision;
import highstreet.v1.Play.Join;
import highstreet.v1.Play.Leave;
import highstreet.v1.Play.PlayRequest;
import highstreet.v1.Play.PlayResponse;
import highstreet.v1.Play.SubmitMove;
import highstreet.v1.PlayServiceGrpc;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Everything between a bot and the referee; you can write a bot without reading it. */
final class Plumbing {
  /** How often to dial again where no referee was ever reached: for 12 seconds. */
  private static final int FIRST_TRIES = 6;

  /** How often to dial again once one was reached, by default: for about an hour. */
  private static final String TRIES = "300";

  /** What a cut connection looks like. */
  private static final Set<Status.Code> CUT =
      Set.of(Status.Code.UNAVAILABLE, Status.Code.INTERNAL);

  private static final PlayRequest LEAVE =
      PlayRequest.newBuilder().setLeave(Leave.getDefaultInstance()).build();

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
  private final CountDownLatch leaving = new CountDownLatch(1);
  private volatile Conversation conversation = new Conversation();

  private Plumbing(Supplier<? extends Bot> newBot, Join.Builder join) {
    this.newBot = newBot;
    this.join = join;
  }

  /**
   * Play these games, or all if none is named, over gRPC at HIGHSTREET_TARGET until the referee
   * says goodbye; return the exit code. On SIGINT or SIGTERM the bot leaves: it plays its matches
   * to their end and waits for the goodbye. A second signal ends it at once.
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
    int tries;
    try {
      tries = Integer.parseInt(environment.getOrDefault("HIGHSTREET_TRIES", TRIES));
      credentials = ca == null ? InsecureChannelCredentials.create() : trusting(new File(ca));
    } catch (IOException error) {
      System.err.println("cannot read HIGHSTREET_CA: " + error.getMessage());
      return 1;
    } catch (NumberFormatException error) {
      System.err.println("HIGHSTREET_TRIES is not a whole number: " + error.getMessage());
      return 1;
    }
    Join.Builder join =
        Join.newBuilder()
            .setToken(environment.getOrDefault("HIGHSTREET_TOKEN", ""))
            .setProtocolVersion(1)
            .setBotVersion(version())
            .addAllGames(List.of(games))
            .setMaxMatches(maxMatches);
    ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(target, credentials);
    if (!target.startsWith("unix:")) { // in a sandbox the bot is frozen, and reads no answer in time
      builder.keepAliveTime(10, TimeUnit.SECONDS).keepAliveTimeout(5, TimeUnit.SECONDS);
    }
    ManagedChannel channel = builder.build();
    try {
      var plumbing = new Plumbing(newBot, join);
      StopSignals.handle(plumbing::leave);
      return plumbing.play(channel, tries);
    } finally {
      channel.shutdownNow();
    }
  }

  private static ChannelCredentials trusting(File ca) throws IOException {
    return TlsChannelCredentials.newBuilder().trustManager(ca).build();
  }

  /** Return HIGHSTREET_BOT_VERSION, or a hash of the jar. */
  private static String version() {
    String version = System.getenv("HIGHSTREET_BOT_VERSION");
    if (version != null && !version.isEmpty()) {
      return version;
    }
    try {
      var source = Plumbing.class.getProtectionDomain().getCodeSource();
      byte[] jar = Files.readAllBytes(Path.of(source.getLocation().toURI()));
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(jar);
      return HexFormat.of().formatHex(digest, 0, 6);
    } catch (IOException | URISyntaxException | NoSuchAlgorithmException error) {
      System.err.println(
          "the version of this bot is unknown: set HIGHSTREET_BOT_VERSION; " + error);
      return "";
    }
  }

  /** Ask the referee for no more matches; do not wait for one that is away. */
  private void leave() {
    leaving.countDown();
    conversation.leave();
  }

  private boolean isLeaving() {
    return leaving.getCount() == 0;
  }

  /** Converse, again after a cut connection, until there is nothing more to say. */
  private int play(ManagedChannel channel, int tries) throws InterruptedException {
    int failures = 0;
    int most = FIRST_TRIES;
    while (true) {
      conversation.begin(PlayServiceGrpc.newStub(channel));
      Status status = conversation.end.join();
      if (status.isOk()) {
        return 0;
      }
      if (conversation.heard) {
        failures = 0;
        most = tries;
      }
      failures++;
      if (!CUT.contains(status.getCode()) || failures > most) {
        Throwable cause = status.getCause();
        String why = cause == null ? "" : " (" + cause.getMessage() + ")";
        System.err.println(status.getCode() + ": " + status.getDescription() + why);
        return 1;
      }
      conversation = new Conversation();
      pause(100L << Math.min(failures, 7));
      if (isLeaving()) {
        if (players.isEmpty()) {
          return 0; // there is no match to come back for
        }
        most = Math.min(most, FIRST_TRIES);
      }
      channel.resetConnectBackoff();
    }
  }

  /** Wait before the next dial; not if the bot leaves and has no match under way. */
  private void pause(long milliseconds) throws InterruptedException {
    if (isLeaving() && !players.isEmpty()) {
      Thread.sleep(milliseconds);
    } else {
      leaving.await(milliseconds, TimeUnit.MILLISECONDS);
    }
  }

  /** One stream; gRPC calls the methods of StreamObserver one after the other. */
  private final class Conversation implements StreamObserver<PlayResponse> {
    final CompletableFuture<Status> end = new CompletableFuture<>();
    boolean heard = false;
    private StreamObserver<PlayRequest> requests;

    synchronized void begin(PlayServiceGrpc.PlayServiceStub stub) {
      requests = stub.play(this);
      requests.onNext(PlayRequest.newBuilder().setJoin(join).build());
      if (isLeaving()) {
        requests.onNext(LEAVE);
      }
    }

    synchronized void leave() {
      if (requests != null) {
        requests.onNext(LEAVE);
      }
    }

    private synchronized void submit(SubmitMove submitted) {
      requests.onNext(PlayRequest.newBuilder().setSubmitMove(submitted).build());
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
        case DECISION -> submit(answer(said.getDecision()));
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
