import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A tiny reader of JSON: a value is a part of the text.
 *
 * @param json the value as it was read, a string with its quotes and escapes
 */
record Json(String json) {
  /** Return whether an object has a member. */
  boolean has(String key) {
    return members().containsKey(key);
  }

  /** Return a member of an object; null if there is none. */
  Json get(String key) {
    return members().get(key);
  }

  /** Return the members of an object. */
  Map<String, Json> members() {
    Map<String, Json> found = new LinkedHashMap<>();
    List<Json> parts = items();
    for (int i = 0; i + 1 < parts.size(); i += 2) {
      found.put(parts.get(i).text(), parts.get(i + 1));
    }
    return found;
  }

  /** Return the items of an array; of an object the keys and values in turn. */
  List<Json> items() {
    List<Json> found = new ArrayList<>();
    int at = 1;
    while (at < json.length()) {
      if (" \t\r\n,:}]".indexOf(json.charAt(at)) >= 0) {
        at++;
      } else {
        int end = end(at);
        found.add(new Json(json.substring(at, end)));
        at = end;
      }
    }
    return found;
  }

  /** Return a string without its quotes; its escapes stay. */
  String text() {
    return json.substring(1, json.length() - 1);
  }

  /** Return a number that is whole. */
  int number() {
    return Integer.parseInt(json);
  }

  /** Return where the value that begins at a place ends. */
  private int end(int start) {
    int depth = 0;
    boolean quoted = false;
    for (int at = start; at < json.length(); at++) {
      char c = json.charAt(at);
      if (c == '"') {
        quoted = !quoted;
      } else if (quoted) {
        at += c == '\\' ? 1 : 0;
        continue;
      } else if (c == '{' || c == '[') {
        depth++;
      } else if (depth == 0 && " ,:}]".indexOf(c) >= 0) {
        return at; // behind a number, true, false or null
      } else if (c == '}' || c == ']') {
        depth--;
      }
      if (depth == 0 && !quoted && "\"}]".indexOf(c) >= 0) {
        return at + 1;
      }
    }
    return json.length();
  }
}
