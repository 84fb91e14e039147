package highstreet.bot;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** SIGINT and SIGTERM: the first one is handled, a second one ends the program at once. */
final class StopSignals {
  private static final Map<String, Integer> NUMBERS = Map.of("INT", 2, "TERM", 15);

  private StopSignals() {}

  /**
   * Run something on the first signal.
   *
   * <p>A shutdown hook would not see a second signal. sun.misc.Signal does, and is part of every
   * JDK, but the compiler warns of its name: so it is looked up here.
   */
  static void handle(Runnable stop) {
    AtomicBoolean stopping = new AtomicBoolean();
    NUMBERS.forEach(
        (name, number) ->
            handle(
                name,
                () -> {
                  if (stopping.getAndSet(true)) {
                    Runtime.getRuntime().halt(128 + number);
                  }
                  stop.run();
                }));
  }

  private static void handle(String name, Runnable action) {
    InvocationHandler invoked =
        (proxy, method, arguments) -> {
          action.run();
          return null;
        };
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object ours =
          Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, invoked);
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
    } catch (ReflectiveOperationException error) {
      System.err.println("SIG" + name + " will end this bot at once: " + error);
    }
  }
}
