// Plays Glastonbury greedily; the same bot exists in other languages and chooses the same moves.
//
// Its steps are specified at the top of sample_bots/python/greedy_glastonbury.py. Cards, colours,
// tasks and cells are the numbers of the protocol; ingredients count from 0 (Ya) to 17 (Sb). What
// things are worth is counted in half points and always whole.
#include "greedy_bot.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMMUTO = 73, ACCIO, DECLINATIO, PERLUCEO, VANESCO };
enum { FEWEST_FOURS = 2, FEWEST_SPELLS = 3, MOST_ONES = 4 };
enum { SEATS = 4, CELLS = 36, STOPS = 20, LINE = 6, INGREDIENTS = 18, DECK = 84 };

static const int GAINS[] = {12, 2, 8, 0}; // of Immuto, Accio, Declinatio, Perluceo

struct view {
    int steps, board[CELLS], stops[SEATS], heights[SEATS], declinatio[SEATS];
    int out[DECK], out_count, colours[SEATS];
    int recipe_colours[SEATS], recipe_tasks[SEATS], recipe_count, last_card;
};

struct cauldron {
    int cards[DECK], height;
};

// Remembers every cauldron, and plays the move that is worth most.
struct greedy {
    int seat, seats;
    struct cauldron cauldrons[SEATS];
    struct view view;
    int left[INGREDIENTS], counts[SEATS][INGREDIENTS], totals[SEATS][INGREDIENTS];
};

static int max(int a, int b)
{
    return a > b ? a : b;
}

// Return whether a stop is a corner, which faces nothing.
static bool is_corner(int stop)
{
    return stop % 5 == 0;
}

// Return one of the six cells that a stop faces.
static int faced_cell(int stop, int i)
{
    int side = stop / 5, line = side < 2 ? stop % 5 : 5 - stop % 5;
    return side % 2 == 0 ? line + 6 * i : 6 * line + i;
}

// Return whether a stop faces a cell.
static bool faces(int stop, int cell)
{
    for (int i = 0; i < LINE && !is_corner(stop); i++)
        if (faced_cell(stop, i) == cell)
            return true;
    return false;
}

// Return the ingredient of a card.
static int ingredient(int card)
{
    return (card - 1) / 4;
}

// Return the number on an ingredient card or on Immuto.
static int number(int card)
{
    return card < IMMUTO ? (card - 1) % 4 + 1 : 0;
}

// Return the colour of an ingredient card.
static int colour(int card)
{
    return ingredient(card) / 2 + 1;
}

// Return what the cards of one ingredient are worth (step 3).
static int set_worth(int count, int total, int left)
{
    switch (count) {
    case 0:
        return 0;
    case 1:
        return left >= 2 ? -total : -2 * total;
    case 2:
        return left >= 1 ? total : 0;
    case 3:
        return 2 * total;
    default:
        return 2 * total + 10;
    }
}

// Return twice the points of a cauldron, its Immuto assigned as they bring most.
static int best_points(int counts[], const int totals[], int immuto)
{
    if (immuto == 0) {
        int points = 0;
        for (int i = 0; i < INGREDIENTS; i++)
            points += set_worth(counts[i], totals[i], 0);
        return points;
    }
    int best = INT_MIN;
    for (int i = 0; i < INGREDIENTS; i++) {
        counts[i]++;
        best = max(best, best_points(counts, totals, immuto - 1));
        counts[i]--;
    }
    return best;
}

// Those that follow stand in the order of the other languages, before what they call.
static void remember(struct greedy *self, const json *event);
static void count(struct greedy *self);
static int value(const struct greedy *self, int card, int seat);
static int worth(const struct greedy *self, const json *move);
static int take_worth(const struct greedy *self, int cell);
static int prospect(const struct greedy *self, int stop, int highest_card, int taken);
static int gain(const struct greedy *self, int card);
static int difference(const struct greedy *self, int card, int seat, int put);
static int bonus(const struct greedy *self, int card);
static int last_card_worth(const struct greedy *self, int card);
static int assignment_worth(const struct greedy *self, const json *assigned);
static void read_view(struct view *view, const json *said);
static int read_list(int *list, int size, const json *said, int (*read)(const json *));
static int read_card(const json *name);
static int read_ingredient(const json *name);

// Begin with empty cauldrons.
static void *match_started(const json *message)
{
    if (!json_is(json_get(message, "game"), "glastonbury")) {
        fprintf(stderr, "greedy plays glastonbury, but not this game\n");
        exit(EXIT_FAILURE);
    }
    struct greedy *self = allocate(sizeof *self);
    self->seat = json_int(json_get(message, "seat"));
    self->seats = json_count(json_get(message, "seats"));
    if (self->seats > SEATS || self->seat < 0 || self->seat >= self->seats) {
        fprintf(stderr, "no seat %d of %d in Glastonbury\n", self->seat, self->seats);
        exit(EXIT_FAILURE);
    }
    return self;
}

// Return the first of the moves that are worth most (step 11).
static const json *choose(void *bot, const json *decision)
{
    struct greedy *self = bot;
    const json *situation = json_get(decision, "glastonbury");
    read_view(&self->view, json_get(situation, "view"));
    const json *event = json_first(json_get(situation, "events"));
    for (; event; event = event->next)
        remember(self, event);
    for (int seat = 0; seat < self->seats; seat++)
        if (self->cauldrons[seat].height > self->view.heights[seat])
            self->cauldrons[seat].height = self->view.heights[seat];
    count(self);
    const json *best = NULL, *move = json_first(json_get(decision, "legal_moves"));
    for (int most = INT_MIN; move; move = move->next) {
        int worth_now = worth(self, json_get(move, "glastonbury"));
        if (worth_now > most) {
            most = worth_now;
            best = move;
        }
    }
    return best;
}

// Keep the cauldrons up to date (step 1).
static void remember(struct greedy *self, const json *event)
{
    const json *kind = json_get(event, "kind");
    int seat = json_int(json_get(event, "seat"));
    if (seat < 0 || seat >= self->seats)
        return;
    struct cauldron *cauldron = &self->cauldrons[seat];
    if (json_is(kind, "EVENT_KIND_TOOK") || json_is(kind, "EVENT_KIND_KEPT")) {
        int card = read_card(json_get(event, "card"));
        if (card <= IMMUTO && cauldron->height < DECK)
            cauldron->cards[cauldron->height++] = card;
    } else if (json_is(kind, "EVENT_KIND_LOST")) {
        cauldron->height = max(cauldron->height - 1, 0);
    } else if (json_is(kind, "EVENT_KIND_CAULDRON_OPENED")) {
        const json *cards = json_get(event, "cards");
        cauldron->height = read_list(cauldron->cards, DECK, cards, read_card);
    }
}

// Count cards, sums of values and cards left (step 2).
static void count(struct greedy *self)
{
    memset(self->counts, 0, sizeof self->counts);
    memset(self->totals, 0, sizeof self->totals);
    for (int i = 0; i < INGREDIENTS; i++)
        self->left[i] = 4;
    for (int seat = 0; seat < self->seats; seat++) {
        for (int i = 0; i < self->cauldrons[seat].height; i++) {
            int card = self->cauldrons[seat].cards[i];
            if (card < IMMUTO) {
                self->left[ingredient(card)]--;
                self->counts[seat][ingredient(card)]++;
                self->totals[seat][ingredient(card)] += value(self, card, seat);
            }
        }
    }
    for (int i = 0; i < self->view.out_count; i++)
        if (self->view.out[i] < IMMUTO)
            self->left[ingredient(self->view.out[i])]--;
}

// Return the value of a card for a seat.
static int value(const struct greedy *self, int card, int seat)
{
    return colour(card) == self->view.colours[seat] ? 2 * number(card) : number(card);
}

// Return what a move is worth (steps 7 to 10).
static int worth(const struct greedy *self, const json *move)
{
    const struct view *view = &self->view;
    if (json_get(move, "take"))
        return take_worth(self, json_int(json_get(move, "take")));
    if (json_get(move, "declinatio"))
        return prospect(self, (view->stops[self->seat] + view->steps) % STOPS, DECLINATIO, -1);
    if (json_get(move, "pass"))
        return -4;
    if (json_get(move, "keep"))
        return last_card_worth(self, view->last_card) + bonus(self, view->last_card);
    if (json_get(move, "discard"))
        return last_card_worth(self, 0);
    return assignment_worth(self, json_get(json_get(move, "immuto"), "ingredients"));
}

// Return what it is worth to take the card of a cell (step 7).
static int take_worth(const struct greedy *self, int cell)
{
    const struct cauldron *own = &self->cauldrons[self->seat];
    int card = self->view.board[cell], stop = self->view.stops[self->seat];
    int cost = faces(stop, cell) ? 0 : 10;
    int steps = own->height > 0 ? number(own->cards[own->height - 1]) : 2;
    if (card <= IMMUTO)
        steps = number(card);
    stop = (stop + steps) % STOPS;
    if (is_corner(stop) && self->view.declinatio[self->seat] > 0)
        stop = (stop + steps) % STOPS;
    return gain(self, card) - cost + prospect(self, stop, VANESCO, cell);
}

// Return the highest gain in the line that a stop faces (step 6).
static int prospect(const struct greedy *self, int stop, int highest_card, int taken)
{
    int best = -8;
    for (int i = 0; i < LINE && !is_corner(stop); i++) {
        int cell = faced_cell(stop, i), card = self->view.board[cell];
        if (cell != taken && 0 < card && card <= highest_card)
            best = max(best, gain(self, card));
    }
    return best;
}

// Return what a card gains (steps 4 and 5).
static int gain(const struct greedy *self, int card)
{
    if (card == VANESCO) {
        int loss = 0;
        for (int seat = 0; seat < self->seats; seat++) {
            const struct cauldron *other = &self->cauldrons[seat];
            if (seat != self->seat && other->height > 0)
                loss += difference(self, other->cards[other->height - 1], seat, 0);
        }
        return loss + bonus(self, card);
    }
    return difference(self, card, self->seat, 1) + bonus(self, card);
}

// Return what a card changes for a seat that puts it (1) or has it and loses it (0).
static int difference(const struct greedy *self, int card, int seat, int put)
{
    if (card >= IMMUTO)
        return GAINS[card - IMMUTO];
    int i = ingredient(card), each = value(self, card, seat);
    int cards = self->counts[seat][i] + put;
    int total = self->totals[seat][i] + put * each;
    int left = self->left[i] - put;
    return set_worth(cards, total, left) - set_worth(cards - 1, total - each, left + 1);
}

// Return the bonus of a card for the own recipes (step 5).
static int bonus(const struct greedy *self, int card)
{
    if (self->view.recipe_count == 0)
        return 0;
    int task = self->view.recipe_tasks[self->seat], sum = 0;
    if (card < IMMUTO && colour(card) == self->view.recipe_colours[self->seat])
        sum += self->seats == 4 ? 4 : 2;
    if (task == FEWEST_FOURS && number(card) == 4)
        sum -= 4;
    if (task == MOST_ONES && number(card) == 1)
        sum += 4;
    if (task == FEWEST_SPELLS && card > IMMUTO)
        sum -= 4;
    return sum;
}

// Return what the cauldron is worth with the last card, or without it for 0 (step 9).
static int last_card_worth(const struct greedy *self, int card)
{
    const struct cauldron *own = &self->cauldrons[self->seat];
    int counts[INGREDIENTS], totals[INGREDIENTS], immuto = 0;
    memcpy(counts, self->counts[self->seat], sizeof counts);
    memcpy(totals, self->totals[self->seat], sizeof totals);
    for (int i = 0; i < own->height; i++)
        immuto += own->cards[i] == IMMUTO;
    if (0 < card && card < IMMUTO) {
        counts[ingredient(card)]++;
        totals[ingredient(card)] += value(self, card, self->seat);
    } else if (card == IMMUTO) {
        immuto++;
    }
    return best_points(counts, totals, immuto);
}

// Return what an assignment of Immuto is worth (step 10).
static int assignment_worth(const struct greedy *self, const json *assigned)
{
    int counts[INGREDIENTS], first = 2 * self->view.recipe_colours[self->seat] - 2;
    memcpy(counts, self->counts[self->seat], sizeof counts);
    for (const json *name = json_first(assigned); name; name = name->next)
        counts[read_ingredient(name)]++;
    int held = counts[first] + counts[first + 1];
    int points = best_points(counts, self->totals[self->seat], 0);
    for (int seat = 0; seat < self->seats; seat++) {
        const int *other = self->counts[seat];
        if (seat != self->seat && held <= other[first] + other[first + 1])
            return points;
    }
    return points + held * (self->seats == 4 ? 4 : 2);
}

static void match_ended(void *self, const json *message)
{
    (void)message;
    free(self);
}

const struct bot greedy_bot = {match_started, choose, match_ended};

// What follows turns the names of the protocol into its numbers.

static int read_name(const json *name, const char *const names[], int size)
{
    for (int i = 0; i < size; i++)
        if (json_is(name, names[i]))
            return i + 1;
    return 0;
}

static int read_colour(const json *name)
{
    static const char *const NAMES[] = {
        "COLOUR_YELLOW", "COLOUR_GREEN", "COLOUR_RED",   "COLOUR_BLUE", "COLOUR_ORANGE",
        "COLOUR_PURPLE", "COLOUR_WHITE", "COLOUR_BROWN", "COLOUR_GREY",
    };
    return read_name(name, NAMES, sizeof NAMES / sizeof *NAMES);
}

static int read_task(const json *name)
{
    static const char *const NAMES[] = {
        "TASK_FEWEST_CARDS", "TASK_FEWEST_FOURS", "TASK_FEWEST_SPELLS",
        "TASK_MOST_ONES",    "TASK_ENDED_GAME",
    };
    return read_name(name, NAMES, sizeof NAMES / sizeof *NAMES);
}

// Read two letters such as YA.
static int read_letters(const char *letters)
{
    static const char COLOURS[] = "YGRBOPWNS";
    const char *found = memchr(COLOURS, letters[0], sizeof COLOURS - 1);
    return found ? 2 * (int)(found - COLOURS) + (letters[1] == 'B') : 0;
}

static int read_card(const json *name)
{
    static const char *const SPELLS[] = {
        "CARD_IMMUTO", "CARD_ACCIO", "CARD_DECLINATIO", "CARD_PERLUCEO", "CARD_VANESCO",
    };
    int spell = read_name(name, SPELLS, sizeof SPELLS / sizeof *SPELLS);
    if (spell > 0)
        return IMMUTO - 1 + spell;
    if (!name || name->length != strlen("\"CARD_YA1\""))
        return 0;
    const char *letters = name->text + strlen("\"CARD_");
    return 4 * read_letters(letters) + letters[2] - '0';
}

static int read_ingredient(const json *name)
{
    return read_letters(name->text + strlen("\"INGREDIENT_"));
}

static int read_list(int *list, int size, const json *said, int (*read)(const json *))
{
    int length = 0;
    for (const json *item = json_first(said); item && length < size; item = item->next)
        list[length++] = read(item);
    return length;
}

static void read_view(struct view *view, const json *said)
{
    view->steps = json_int(json_get(said, "steps"));
    read_list(view->board, CELLS, json_get(said, "board"), read_card);
    read_list(view->stops, SEATS, json_get(said, "stops"), json_int);
    read_list(view->heights, SEATS, json_get(said, "heights"), json_int);
    read_list(view->declinatio, SEATS, json_get(said, "declinatio"), json_int);
    view->out_count = read_list(view->out, DECK, json_get(said, "out"), read_card);
    read_list(view->colours, SEATS, json_get(said, "colours"), read_colour);
    read_list(view->recipe_colours, SEATS, json_get(said, "recipe_colours"), read_colour);
    view->recipe_count =
        read_list(view->recipe_tasks, SEATS, json_get(said, "recipe_tasks"), read_task);
    view->last_card = read_card(json_get(said, "last_card"));
}
