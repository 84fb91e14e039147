// A tiny reader of JSON: a tree of values that point into the text.
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} json_kind;

// A value. Its text is as it was read: a string with its quotes and escapes.
typedef struct json {
    json_kind kind;
    const char *text;
    size_t length;
    const char *key; // of a member of an object: what is between the quotes
    size_t key_length;
    const struct json *first; // of an array or object
    const struct json *next;  // in the same array or object
} json;

// Read a text; NULL if it is not JSON. Free the result; the text must live as long as it does.
json *json_read(const char *text);

// Return a member of an object; NULL if there is no such object or member.
const json *json_get(const json *object, const char *key);

// Return whether a value is this string, which has no escapes.
bool json_is(const json *value, const char *string);

// Return a number that is whole, or 0 if it is none.
int json_int(const json *value);

// Return the first value of an array or object; go on with next.
const json *json_first(const json *value);

// Return how many values an array or object has.
int json_count(const json *value);

#endif
