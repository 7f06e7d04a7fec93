/* See pairs.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* strchrnul */
#include "pairs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "mesh/discipline.h"
#include "mesh/mesh_keys.h"

enum { KEYS_MOST = 64, VALUES_MOST = 8, VALUE_SIZE = 16, NOT_GIVEN = -1, ERROR_SIZE = 1200 };

static struct {
    const struct mesh_key *key;
    unsigned count;
    char values[VALUES_MOST][VALUE_SIZE];
} keys[KEYS_MOST];
static unsigned key_count;

/* A mesh: the index of each key's value, or NOT_GIVEN. */
struct choice {
    int values[KEYS_MOST];
};

struct pair {
    int key[2], value[2];
};

/* By key, value, key, value. */
static bool done[KEYS_MOST][VALUES_MOST][KEYS_MOST][VALUES_MOST];

static uint64_t random_state;

/* ---- Values. */

static void read_values(const char *text, unsigned key)
{
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");
        CHECK(keys[key].count < VALUES_MOST && length < VALUE_SIZE);
        snprintf(keys[key].values[keys[key].count++], VALUE_SIZE, "%.*s", (int)length, text);
        text += length;
    }
}

static void check_words(const struct row *row, unsigned key)
{
    bool words = keys[key].key->names && keys[key].key->kind != KEY_IS_POWER_OF_TWO;
    for (const char *const *name = keys[key].key->names; words && *name; name++)
        check(row_has_word(row->fields[KEY_VALUES], *name) || row_has_word(row->fields[KEY_VALUES_LONG], *name),
              "tests/conformance/rows:%u: key %s has no %s", row->line, row->name, *name);
}

static void read_key(const struct rows *rows, bool whole, const struct mesh_key *key)
{
    char name[80];
    snprintf(name, sizeof name, "%s.%s", key->section, key->name);
    const struct row *row = rows_find(rows, ROW_KEY, name);
    CHECK(key_count < KEYS_MOST);
    keys[key_count].key = key;
    keys[key_count].count = 0;
    read_values(row->fields[KEY_VALUES], key_count);
    if (whole)
        read_values(row->fields[KEY_VALUES_LONG], key_count);
    check_words(row, key_count++);
}

/* The keys of every mesh, in the order of their rows, then those that a discipline of the product has of its own, but
 * for parts of lists. */
static void read_keys(const struct rows *rows, bool whole)
{
    const struct row *fabrics = rows_find(rows, ROW_KEY, "mesh.fabric");
    key_count = 0;
    for (unsigned key = 0; key < KEY_COUNT; key++)
        read_key(rows, whole, &mesh_keys[key]);
    for (unsigned i = 0; i < discipline_count; i++)
        for (unsigned key = 0; key < disciplines[i].own_count; key++)
            if (disciplines[i].own[key].key.preset && row_has_word(fabrics->fields[KEY_VALUES], disciplines[i].name))
                read_key(rows, whole, &disciplines[i].own[key].key);
}

/* ---- Meshes. */

static const char *value_of(const struct choice *choice, unsigned key)
{
    return choice->values[key] == NOT_GIVEN ? NULL : keys[key].values[choice->values[key]];
}

static unsigned index_of(const char *name)
{
    unsigned key = 0;
    while (key + 1 < key_count && strcmp(keys[key].key->name, name) != 0)
        key++;
    return key;
}

static bool is_given(const struct choice *choice, unsigned key, const char *value)
{
    const char *given = value_of(choice, key);
    return given && strcmp(given, value) == 0;
}

static size_t append(char *text, size_t used, const char *section, const char *name, const char *value)
{
    return used + (size_t)snprintf(text + used, ROW_MESH_TEXT - used, "[%s]\n%s = %s\n", section, name, value);
}

/* What `unicast = list` needs. */
static size_t append_lists(const struct choice *choice, char *text, size_t used)
{
    static const char *const quadrants[4][2] = {{"north_east", "north east"},
                                                {"north_west", "west north"},
                                                {"south_east", "south"},
                                                {"south_west", "west south"}};
    const char *size = value_of(choice, KEY_SIZE);
    bool flat = size && (strncmp(size, "1x", 2) == 0 || strcmp(strchrnul(size, 'x'), "x1") == 0);
    if (!is_given(choice, index_of("unicast"), "list"))
        return used;
    if (is_given(choice, KEY_TOPOLOGY, "hypercube"))
        return append(text, used, "unicast", "any", "highest_first");
    for (int i = 0; !flat && i < 4; i++)
        used = append(text, used, "unicast", quadrants[i][0], quadrants[i][1]);
    return used;
}

/* The keys that have to be given have a value when nothing is chosen. */
static bool parses(const struct choice *choice, struct pair_mesh *out, char *error)
{
    size_t used = 0;
    bool cube = is_given(choice, KEY_TOPOLOGY, "hypercube");
    for (unsigned key = 0; key < key_count; key++) {
        const char *value = value_of(choice, key);
        if (!value && key == KEY_TOPOLOGY)
            value = "grid";
        if (!value && key == (cube ? KEY_DIMENSIONS : KEY_SIZE))
            value = cube ? "3" : "4x3";
        if (value)
            used = append(out->text, used, keys[key].key->section, keys[key].key->name, value);
    }
    used = append_lists(choice, out->text, used);
    CHECK(used < ROW_MESH_TEXT);
    return mesh_config_parse("pair.mesh", out->text, used, &out->mesh, error, ERROR_SIZE) == 0;
}

static bool is_accepted(const struct choice *choice)
{
    static struct pair_mesh mesh;
    char error[ERROR_SIZE];
    return parses(choice, &mesh, error);
}

static struct choice nothing(void)
{
    struct choice choice;
    for (unsigned key = 0; key < KEYS_MOST; key++)
        choice.values[key] = NOT_GIVEN;
    return choice;
}

/* ---- A pair alone: with each fabric, topology and service, unless it chooses these itself. */

enum { CONTEXT_KEYS = 3 };
static const enum mesh_key_index context_keys[CONTEXT_KEYS] = {KEY_FABRIC, KEY_TOPOLOGY, KEY_RELIABLE};

/* The next one; false behind the last. */
static bool next_context(struct choice *context)
{
    for (int i = 0; i < CONTEXT_KEYS; i++) {
        int *value = &context->values[context_keys[i]];
        if (++*value < (int)keys[context_keys[i]].count)
            return true;
        *value = NOT_GIVEN;
    }
    return false;
}

static struct choice with(const struct choice *context, const struct pair *pair, int from, int to)
{
    struct choice choice = *context;
    for (int i = from; i < to; i++)
        choice.values[pair->key[i]] = pair->value[i];
    return choice;
}

static bool find_context(const struct pair *pair, struct choice *out)
{
    struct choice context = nothing();
    do {
        *out = with(&context, pair, 0, 2);
        if (is_accepted(out))
            return true;
    } while (next_context(&context));
    return false;
}

static bool names(const char *error, const struct pair *pair, int which)
{
    const char *value = keys[pair->key[which]].values[pair->value[which]];
    return strstr(error, keys[pair->key[which]].key->name) || (isalpha((unsigned char)*value) && strstr(error, value));
}

/* Is the choice accepted with a value of one more key? */
static bool add_a_third(struct choice *choice)
{
    for (unsigned key = 0; key < key_count; key++) {
        if (choice->values[key] != NOT_GIVEN)
            continue;
        for (unsigned value = 0; value < keys[key].count; value++) {
            choice->values[key] = (int)value;
            if (is_accepted(choice))
                return true;
        }
        choice->values[key] = NOT_GIVEN;
    }
    return false;
}

/* Where each of both values is accepted alone, and both are not, the message is about both. False: they are accepted
 * after all, with a third. */
static bool is_refused_well(const struct pair *pair, struct choice *out)
{
    static struct pair_mesh mesh;
    struct choice context = nothing();
    char error[ERROR_SIZE];
    do {
        struct choice one = with(&context, pair, 0, 1), other = with(&context, pair, 1, 2);
        *out = with(&context, pair, 0, 2);
        if (!is_accepted(&one) || !is_accepted(&other) || parses(out, &mesh, error))
            continue;
        if (add_a_third(out))
            return false;
        check(names(error, pair, 0) && names(error, pair, 1), "%s = %s with %s = %s is refused without both names: %s",
              keys[pair->key[0]].key->name, keys[pair->key[0]].values[pair->value[0]], keys[pair->key[1]].key->name,
              keys[pair->key[1]].values[pair->value[1]], error);
    } while (next_context(&context));
    return true;
}

/* ---- The meshes, one after the other, each with as many new pairs as can be found. */

static bool *place_of(int a, int value_a, int b, int value_b)
{
    return a < b ? &done[a][value_a][b][value_b] : &done[b][value_b][a][value_a];
}

static unsigned new_pairs(const struct choice *choice, int key, int value)
{
    unsigned count = 0;
    for (int other = 0; other < (int)key_count; other++)
        if (other != key && choice->values[other] != NOT_GIVEN)
            count += !*place_of(key, value, other, choice->values[other]);
    return count;
}

/* Gives the key the value that brings most new pairs. */
static void choose_value(struct choice *choice, int key)
{
    unsigned best = 0, first = keys[key].count ? check_below(&random_state, keys[key].count) : 0;
    int chosen = NOT_GIVEN;
    for (unsigned i = 0; i < keys[key].count; i++) {
        int value = (int)((first + i) % keys[key].count);
        struct choice with_it = *choice;
        with_it.values[key] = value;
        unsigned count = new_pairs(choice, key, value);
        if (count > best && is_accepted(&with_it)) {
            best = count;
            chosen = value;
        }
    }
    choice->values[key] = chosen;
}

static void fill(struct choice *choice)
{
    int order[KEYS_MOST];
    for (int i = 0; i < (int)key_count; i++) {
        int place = (int)check_below(&random_state, (unsigned)i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    for (int i = 0; i < (int)key_count; i++)
        if (choice->values[order[i]] == NOT_GIVEN)
            choose_value(choice, order[i]);
}

static void add_mesh(const struct choice *choice, struct pairs *out)
{
    char error[ERROR_SIZE];
    CHECK(out->count < PAIR_MESHES_MOST);
    CHECK(parses(choice, &out->meshes[out->count++], error));
    for (int a = 0; a < (int)key_count; a++)
        for (int b = a + 1; b < (int)key_count; b++)
            if (choice->values[a] != NOT_GIVEN && choice->values[b] != NOT_GIVEN)
                *place_of(a, choice->values[a], b, choice->values[b]) = true;
}

static void look_at(const struct pair *pair, struct pairs *out)
{
    struct choice choice;
    bool seen = *place_of(pair->key[0], pair->value[0], pair->key[1], pair->value[1]);
    if (!seen && !find_context(pair, &choice) && is_refused_well(pair, &choice)) {
        out->refused++;
        return;
    }
    out->accepted++;
    if (seen)
        return;
    fill(&choice);
    add_mesh(&choice, out);
}

void pairs_make(const struct rows *rows, uint64_t seed, bool whole, struct pairs *out)
{
    random_state = seed;
    memset(done, 0, sizeof done);
    out->count = out->accepted = out->refused = 0;
    read_keys(rows, whole);
    for (int a = 0; a < (int)key_count; a++)
        for (int b = a + 1; b < (int)key_count; b++)
            for (unsigned i = 0; i < keys[a].count * keys[b].count; i++)
                look_at(&(struct pair){{a, b}, {(int)(i / keys[b].count), (int)(i % keys[b].count)}}, out);
}
