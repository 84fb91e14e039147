package highstreet.bot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The shuffle of docs/reference/record-format.md, with which you can check a deal. */
final class Shuffle {
  private static final long WORD_RANGE = 1L << 32;

  private final byte[] key;
  private long counter = 0;
  private ByteBuffer block = ByteBuffer.allocate(0);

  private Shuffle(byte[] seed, String purpose) {
    byte[] text = purpose.getBytes(StandardCharsets.US_ASCII);
    key = ByteBuffer.allocate(seed.length + text.length + 1).put(seed).put(text).array();
  }

  /** Return the items in the order that the seed gives for this purpose. */
  static <T> List<T> shuffled(List<T> items, byte[] seed, String purpose) {
    var shuffle = new Shuffle(seed, purpose);
    var result = new ArrayList<>(items);
    for (int i = result.size() - 1; i > 0; i--) {
      Collections.swap(result, i, shuffle.below(i + 1));
    }
    return result;
  }

  /** Return the next number of the stream, uniform over 0 … bound - 1. */
  private int below(int bound) {
    long limit = WORD_RANGE - WORD_RANGE % bound;
    long word = nextWord();
    while (word >= limit) {
      word = nextWord();
    }
    return (int) (word % bound);
  }

  /** Return the next 32 bits of the stream. */
  private long nextWord() {
    if (!block.hasRemaining()) {
      block = ByteBuffer.wrap(nextBlock());
    }
    return Integer.toUnsignedLong(block.getInt());
  }

  private byte[] nextBlock() {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(key);
      sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(0, counter++));
      return sha256.digest();
    } catch (NoSuchAlgorithmException error) {
      throw new AssertionError("every Java has SHA-256", error);
    }
  }
}
