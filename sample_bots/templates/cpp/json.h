// A tiny reader of JSON: values are parts of the text, which must live as long as they do.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

// A value as it was read, or "" where there is none. A string has its quotes and escapes.
struct Json {
    std::string_view text;

    // Return whether there is a value.
    explicit operator bool() const { return !text.empty(); }

    // Return a member of an object.
    Json operator[](std::string_view key) const {
        auto parts = items();
        for (size_t i = 0; i + 1 < parts.size(); i += 2)
            if (parts[i].string() == key)
                return parts[i + 1];
        return {};
    }

    // Return the items of an array; of an object the keys and values in turn.
    std::vector<Json> items() const {
        std::vector<Json> found;
        for (size_t at = 1; at < text.size();) {
            if (std::string_view(" \t\r\n,:}]").find(text[at]) != std::string_view::npos) {
                at++;
                continue;
            }
            size_t after = end(at);
            found.push_back({text.substr(at, after - at)});
            at = after;
        }
        return found;
    }

    // Return a string without its quotes; its escapes stay.
    std::string_view string() const { return text.substr(1, text.size() - 2); }

    // Return a number that is whole.
    int number() const { return std::atoi(std::string(text).c_str()); }

private:
    // Return where the value that begins at a place ends.
    size_t end(size_t at) const {
        int depth = 0;
        bool quoted = false;
        for (; at < text.size(); at++) {
            char c = text[at];
            if (c == '"')
                quoted = !quoted;
            else if (quoted)
                at += c == '\\';
            else if (c == '{' || c == '[')
                depth++;
            else if (depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']' || c == ' '))
                return at; // behind a number, true, false or null
            else if (c == '}' || c == ']')
                depth--;
            if (depth == 0 && !quoted && (c == '"' || c == '}' || c == ']'))
                return at + 1;
        }
        return text.size();
    }
};
