#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

typedef struct {
    const char *at;
    json *free; // the next value that is not used yet
    int depth;
} reader;

static json *read_value(reader *r);

static void skip_space(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool skip(reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool skip_digits(reader *r)
{
    size_t digits = strspn(r->at, "0123456789");
    r->at += digits;
    return digits > 0;
}

static bool skip_number(reader *r)
{
    if (*r->at == '-')
        r->at++;
    if (!skip_digits(r))
        return false;
    if (*r->at == '.') {
        r->at++;
        if (!skip_digits(r))
            return false;
    }
    if (*r->at == 'e' || *r->at == 'E') {
        r->at++;
        if (*r->at == '+' || *r->at == '-')
            r->at++;
        return skip_digits(r);
    }
    return true;
}

static bool skip_string(reader *r)
{
    if (*r->at++ != '"')
        return false;
    for (; *r->at != '"'; r->at++) {
        if (*r->at == '\\')
            r->at++;
        if (*r->at == '\0' || *r->at == '\n')
            return false;
    }
    r->at++;
    return true;
}

static bool skip_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool read_members(reader *r, json *parent, char close)
{
    const json **link = &parent->first;
    r->at++;
    if (skip(r, close))
        return true;
    do {
        const char *key = NULL;
        size_t key_length = 0;
        if (close == '}') {
            skip_space(r);
            key = r->at + 1;
            if (!skip_string(r))
                return false;
            key_length = (size_t)(r->at - key) - 1;
            if (!skip(r, ':'))
                return false;
        }
        json *value = read_value(r);
        if (!value)
            return false;
        value->key = key;
        value->key_length = key_length;
        *link = value;
        link = &value->next;
    } while (skip(r, ','));
    return skip(r, close);
}

static bool read_inside(reader *r, json *value)
{
    switch (*r->at) {
    case '{':
        value->kind = JSON_OBJECT;
        return read_members(r, value, '}');
    case '[':
        value->kind = JSON_ARRAY;
        return read_members(r, value, ']');
    case '"':
        value->kind = JSON_STRING;
        return skip_string(r);
    case 'n':
        value->kind = JSON_NULL;
        return skip_word(r, "null");
    case 'f':
        value->kind = JSON_FALSE;
        return skip_word(r, "false");
    case 't':
        value->kind = JSON_TRUE;
        return skip_word(r, "true");
    default:
        value->kind = JSON_NUMBER;
        return skip_number(r);
    }
}

static json *read_value(reader *r)
{
    skip_space(r);
    if (*r->at == '\0' || r->depth == MAX_DEPTH)
        return NULL;
    json *value = r->free++;
    *value = (json){.text = r->at};
    r->depth++;
    bool well_formed = read_inside(r, value);
    r->depth--;
    value->length = (size_t)(r->at - value->text);
    return well_formed ? value : NULL;
}

json *json_read(const char *text)
{
    // A value has a character at least, and one more beside, before or after it.
    json *values = malloc((strlen(text) / 2 + 1) * sizeof *values);
    if (!values)
        return NULL;
    reader r = {.at = text, .free = values};
    if (read_value(&r)) {
        skip_space(&r);
        if (*r.at == '\0')
            return values;
    }
    free(values);
    return NULL;
}

const json *json_get(const json *object, const char *key)
{
    size_t length = strlen(key);
    for (const json *member = json_first(object); member; member = member->next)
        if (member->key_length == length && memcmp(member->key, key, length) == 0)
            return member;
    return NULL;
}

bool json_is(const json *value, const char *string)
{
    size_t length = strlen(string);
    return value && value->kind == JSON_STRING && value->length == length + 2 &&
           memcmp(value->text + 1, string, length) == 0;
}

int json_int(const json *value)
{
    return value && value->kind == JSON_NUMBER ? (int)strtol(value->text, NULL, 10) : 0;
}

const json *json_first(const json *value)
{
    return value ? value->first : NULL;
}

int json_count(const json *value)
{
    int count = 0;
    for (const json *item = json_first(value); item; item = item->next)
        count++;
    return count;
}
