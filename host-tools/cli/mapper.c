/* See mapper.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/mapper.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

enum { OPERATOR_PORT = 0, TREE_MAX = 2 * MAPPER_PLACES_MAX, IS_NEW = -4 };

/* Does a way go on by `word` to the operator of place `end`? */
struct test {
    struct mapper_route word;
    int end;
};

/* Leaves are places; the others have a test and what follows from its two answers. */
struct mapper_tree {
    int count;
    struct {
        int above, leaf; /* MAPPER_NOTHING: the root; a node with a test */
        struct test test;
        int next[2]; /* by the answer */
    } nodes[TREE_MAX];
    int leaf_of[MAPPER_PLACES_MAX];
    bool joined[MAPPER_PLACES_MAX]; /* operators that are in the tree */
};

/* What a way leads to: a place, or one that differs from it in this test, to which `place` answers `answer`. */
struct verdict {
    int place;
    bool same, answer, split; /* split: a place was split meanwhile */
    struct test test;
};

/* What is behind a port of a place, or of a switch that is taken for it. */
struct sight {
    int place, site, way_back; /* place: IS_NEW: none that is known; way_back: the port there that leads back */
    struct mapper_route there, back;
    struct verdict unlike; /* a new switch's */
};

/* The count goes on where there is no room for the port: such a way is too long to be sent. */
static void append(struct mapper_route *route, unsigned port)
{
    if (route->count < MAPPER_ROUTE_MAX)
        route->ports[route->count] = (uint8_t)port;
    route->count++;
}

static struct mapper_route join(const struct mapper_route *first, const struct mapper_route *then)
{
    struct mapper_route route = *first;
    for (unsigned k = 0; k < then->count; k++)
        append(&route, k < MAPPER_ROUTE_MAX ? then->ports[k] : 0);
    return route;
}

static struct mapper_route step(const struct mapper_route *route, unsigned port)
{
    struct mapper_route longer = *route;
    append(&longer, port);
    return longer;
}

static struct mapper_route before(unsigned port, const struct mapper_route *route)
{
    struct mapper_route first = {.count = 1, .ports = {(uint8_t)port}};
    return join(&first, route);
}

static int probe_once(struct mapper *mapper, const struct mapper_route *way, const struct mapper_route *back)
{
    bool fits = way->count <= mapper->route_max && back->count <= mapper->route_max;
    if (mapper->stopped)
        return MAPPER_NOTHING;
    if (!fits) {
        mapper->too_far = true;
        return MAPPER_UNSURE;
    }
    mapper->probes++;
    int site = mapper->probe(mapper->context, way, back);
    mapper->stopped = site == MAPPER_STOP;
    return mapper->stopped ? MAPPER_NOTHING : site;
}

static int probe(struct mapper *mapper, const struct mapper_route *way, const struct mapper_route *back)
{
    int site = MAPPER_NOTHING;
    for (unsigned k = 0; k < mapper->tries && site == MAPPER_NOTHING; k++)
        site = probe_once(mapper, way, back);
    return site;
}

/* 1, 0, or MAPPER_UNSURE: the way would be too long. */
static int answer(struct mapper *mapper, const struct mapper_route *way, const struct test *test)
{
    static const struct mapper_route none;
    const struct mapper_place *end = &mapper->places[test->end];
    struct mapper_route whole = join(way, &test->word);
    int site = probe(mapper, &whole, end->site == mapper->home ? &none : &end->back);
    return site == MAPPER_UNSURE ? site : site == end->site;
}

static bool passes(struct mapper *mapper, const struct mapper_route *way, const struct test *test)
{
    return answer(mapper, way, test) == 1;
}

static bool fails(struct mapper *mapper, const struct mapper_route *way, const struct test *test)
{
    return answer(mapper, way, test) == 0;
}

/* ---- places, and the tree that tells switches without operator apart ---- */

static void set_anchor(struct mapper_place *place, int anchor, int port)
{
    place->anchor = anchor;
    place->anchor_port = port;
    place->behind[port - 1] = anchor;
    place->asked |= 1u << (port - 1);
}

/* A place that was found from another one, to which its anchor port leads back; home has none. Its number, or
 * MAPPER_UNSURE if there are too many. */
static int add_place(struct mapper *mapper, int site, const struct mapper_route *there, const struct mapper_route *back,
                     int anchor, int anchor_port)
{
    struct mapper_place *place = &mapper->places[mapper->count];
    if (mapper->count == MAPPER_PLACES_MAX)
        return MAPPER_UNSURE;
    *place = (struct mapper_place){.site = site, .there = *there, .back = *back, .proven = site != MAPPER_NOTHING};
    for (unsigned link = 0; link < MAPPER_LINKS_MAX; link++)
        place->behind[link] = MAPPER_NOTHING;
    if (anchor_port > 0)
        set_anchor(place, anchor, anchor_port);
    return mapper->count++;
}

static bool is_switch(const struct mapper *mapper, int place)
{
    return place >= 0 && mapper->places[place].site == MAPPER_NOTHING;
}

/* IS_NEW: none that is known. */
static int place_of_site(const struct mapper *mapper, int site)
{
    int place = 0;
    while (place < mapper->count && mapper->places[place].site != site)
        place++;
    return place < mapper->count ? place : IS_NEW;
}

static int add_leaf(struct mapper_tree *tree, int above, int place)
{
    tree->nodes[tree->count].above = above;
    tree->nodes[tree->count].leaf = place;
    tree->leaf_of[place] = tree->count;
    return tree->count++;
}

/* The leaf of an old place becomes a test, with the leaves of the old one and a new one behind it. */
static void split(struct mapper *mapper, int old, int new, const struct test *test, bool old_answer)
{
    struct mapper_tree *tree = mapper->tree;
    int node = tree->leaf_of[old];
    tree->nodes[node].leaf = MAPPER_NOTHING;
    tree->nodes[node].test = *test;
    tree->nodes[node].next[old_answer] = add_leaf(tree, node, old);
    tree->nodes[node].next[!old_answer] = add_leaf(tree, node, new);
}

static bool is_above(const struct mapper_tree *tree, int node, int below)
{
    while (below != MAPPER_NOTHING && below != node)
        below = tree->nodes[below].above;
    return below == node;
}

/* The test that tells two leaves apart, and the answer of the first one. */
static void tell_apart(const struct mapper_tree *tree, int first, int other, struct test *test, bool *answer)
{
    int node = tree->leaf_of[first], last = node;
    while (!is_above(tree, node, tree->leaf_of[other])) {
        last = node;
        node = tree->nodes[node].above;
    }
    *test = tree->nodes[node].test;
    *answer = tree->nodes[node].next[1] == last;
}

static int sift(struct mapper *mapper, const struct mapper_route *way)
{
    const struct mapper_tree *tree = mapper->tree;
    int node = 0;
    while (tree->nodes[node].leaf == MAPPER_NOTHING)
        node = tree->nodes[node].next[passes(mapper, way, &tree->nodes[node].test)];
    return tree->nodes[node].leaf;
}

static void lengthen(struct test *test, unsigned port)
{
    test->word = before(port, &test->word);
}

/* Is it a place with this operator? And is that behind a port? */
static struct test operator_of(int place)
{
    return (struct test){.word = {.count = 1, .ports = {OPERATOR_PORT}}, .end = place};
}

static struct test operator_behind(unsigned port, int place)
{
    struct test test = operator_of(place);
    lengthen(&test, port);
    return test;
}

/* The second half of rule 4: the tree has led a way to this place. */
static struct verdict confirm(struct mapper *mapper, const struct mapper_route *way, int place)
{
    unsigned port = (unsigned)mapper->places[place].anchor_port;
    int anchor = mapper->places[place].anchor, leaf;
    struct mapper_route there = step(way, port);
    struct verdict verdict = {.place = place, .answer = true};
    if (mapper->places[anchor].site != MAPPER_NOTHING) {
        verdict.test = operator_behind(port, anchor);
        verdict.same = passes(mapper, way, &verdict.test);
        return verdict;
    }
    leaf = sift(mapper, &there);
    if (leaf == anchor) {
        verdict = confirm(mapper, &there, anchor);
        verdict.place = place;
    } else {
        tell_apart(mapper->tree, anchor, leaf, &verdict.test, &verdict.answer);
    }
    lengthen(&verdict.test, port);
    return verdict;
}

/* Rule 4, for a way to a switch without operator. */
static struct verdict recognise(struct mapper *mapper, const struct mapper_route *way)
{
    struct verdict verdict = {.place = MAPPER_NOTHING, .answer = true};
    if (mapper->tree->count == 0)
        return verdict;
    verdict.place = sift(mapper, way);
    if (is_switch(mapper, verdict.place))
        return confirm(mapper, way, verdict.place);
    verdict.test = operator_of(verdict.place);
    return verdict;
}

/* False: a test would have been too long, or the probe has stopped. */
static bool recognise_all(struct mapper *mapper, const struct mapper_route *way, struct verdict *verdict)
{
    bool too_far = mapper->too_far;
    mapper->too_far = false;
    *verdict = recognise(mapper, way);
    bool all = !mapper->too_far && !mapper->stopped;
    mapper->too_far |= too_far;
    return all;
}

static bool is_place(struct mapper *mapper, const struct mapper_route *way, int place)
{
    struct test one = operator_of(place);
    if (!is_switch(mapper, place))
        return passes(mapper, way, &one);
    struct verdict verdict;
    return recognise_all(mapper, way, &verdict) && verdict.same && verdict.place == place;
}

/* ---- what is behind a port ---- */

/* The port q behind `port` of a place, by which a way comes back to the place and home; MAPPER_NOTHING, or
 * MAPPER_UNSURE if something comes home but not over that place. `there`: a way to a switch that is taken for it. */
static int find_way_back(struct mapper *mapper, int place, const struct mapper_route *there, unsigned port)
{
    static const struct mapper_route none;
    struct mapper_route way = step(there, port);
    int found = MAPPER_NOTHING;
    for (unsigned try = 0; try < mapper->tries && found == MAPPER_NOTHING; try++)
        for (unsigned q = 1; q <= mapper->links; q++) {
            struct mapper_route turned = step(&way, q), whole = join(&turned, &mapper->places[place].back);
            int site = probe_once(mapper, &whole, &none);
            if (site == mapper->home && is_place(mapper, &turned, place))
                return (int)q;
            if (site == mapper->home || site == MAPPER_UNSURE)
                found = MAPPER_UNSURE;
        }
    return found;
}

/* The way from a place over its anchors to an operator. */
static struct test way_up(const struct mapper *mapper, int place)
{
    struct test test = {.end = place};
    for (; mapper->places[test.end].site == MAPPER_NOTHING; test.end = mapper->places[test.end].anchor)
        append(&test.word, (unsigned)mapper->places[test.end].anchor_port);
    append(&test.word, OPERATOR_PORT);
    return test;
}

/* The old place's way up is the better test, if it tells the two apart: no scout that got there comes over a link again
 * that it has come by. */
static void tell_from(struct mapper *mapper, int new, const struct verdict *unlike)
{
    struct test up = way_up(mapper, unlike->place);
    bool better = fails(mapper, &mapper->places[new].there, &up);
    split(mapper, unlike->place, new, better ? &up : &unlike->test, better || unlike->answer);
}

/* Its number, or MAPPER_UNSURE if there are too many. */
static int new_place(struct mapper *mapper, const struct sight *sight, int anchor, int anchor_port)
{
    int number = add_place(mapper, sight->site, &sight->there, &sight->back, anchor, anchor_port);
    if (number < 0 || sight->site != MAPPER_NOTHING)
        return number;
    if (sight->unlike.place == MAPPER_NOTHING)
        add_leaf(mapper->tree, MAPPER_NOTHING, number);
    else
        tell_from(mapper, number, &sight->unlike);
    return number;
}

static struct sight look_behind(struct mapper *mapper, int place, const struct mapper_route *there, unsigned port)
{
    static const struct mapper_route to_operator = {.count = 1, .ports = {OPERATOR_PORT}};
    struct sight sight = {.place = find_way_back(mapper, place, there, port), .there = step(there, port)};
    if (sight.place < 0)
        return sight;
    sight.way_back = sight.place;
    sight.back = before((unsigned)sight.way_back, &mapper->places[place].back);
    struct mapper_route way_in = join(&sight.there, &to_operator);
    sight.site = probe(mapper, &way_in, &sight.back);
    if (sight.site == MAPPER_UNSURE || mapper->stopped)
        sight.place = MAPPER_UNSURE;
    else if (sight.site != MAPPER_NOTHING)
        sight.place = place_of_site(mapper, sight.site);
    else if (!recognise_all(mapper, &sight.there, &sight.unlike))
        sight.place = MAPPER_UNSURE;
    else
        sight.place = sight.unlike.same ? sight.unlike.place : IS_NEW;
    return sight;
}

static void explore(struct mapper *mapper, int number)
{
    struct mapper_place *place = &mapper->places[number];
    for (unsigned link = 0; link < mapper->links && !mapper->stopped; link++) {
        if (place->asked >> link & 1)
            continue;
        struct sight sight = look_behind(mapper, number, &place->there, link + 1);
        if (sight.place == IS_NEW)
            sight.place = new_place(mapper, &sight, number, sight.way_back);
        place->behind[link] = sight.place;
        place->asked |= 1u << link;
    }
}

/* Links of a place that lead to another one. */
static unsigned links_between(const struct mapper *mapper, int from, int to)
{
    unsigned count = 0;
    for (unsigned link = 0; link < mapper->links; link++)
        count += mapper->places[from].behind[link] == to;
    return count;
}

/* An operator with several links may be on a way on which a switch is expected: it joins the tree, and is told from
 * all. True: it has joined now. */
static bool join_tree(struct mapper *mapper, int number)
{
    struct mapper_tree *tree = mapper->tree;
    struct test one = operator_of(number);
    if (is_switch(mapper, number) || tree->joined[number] ||
        mapper->links - links_between(mapper, number, MAPPER_NOTHING) < 2)
        return false;
    if (tree->count == 0)
        add_leaf(tree, MAPPER_NOTHING, number);
    else {
        bool too_far = mapper->too_far;
        mapper->too_far = false;
        int leaf = sift(mapper, &mapper->places[number].there);
        mapper->blind |= mapper->too_far;
        mapper->too_far |= too_far;
        if (mapper->blind)
            return false;
        split(mapper, leaf, number, &one, false);
    }
    tree->joined[number] = true;
    return true;
}

/* ---- proofs ---- */

static bool prove(struct mapper *mapper)
{
    bool any = false;
    for (int number = 0; number < mapper->count; number++) {
        struct mapper_place *place = &mapper->places[number];
        bool was = place->proven;
        if (!was && !place->loose && !mapper->blind && mapper->places[place->anchor].proven &&
            links_between(mapper, place->anchor, MAPPER_UNSURE) == 0)
            place->proven = links_between(mapper, place->anchor, number) ==
                            links_between(mapper, number, place->anchor);
        any |= place->proven != was;
    }
    return any;
}

/* How what is behind a port of a place differs from what is there at a switch that was taken for it. */
static struct verdict difference(const struct mapper *mapper, int place, unsigned port, const struct sight *other)
{
    int here = mapper->places[place].behind[port - 1];
    struct verdict verdict = {
        .place = place, .answer = true, .same = here == other->place || other->place == MAPPER_UNSURE};
    if (verdict.same)
        return verdict;
    if (here == MAPPER_NOTHING || other->place == MAPPER_NOTHING) {
        verdict.test = (struct test){.word = here == MAPPER_NOTHING ? other->back : mapper->places[here].back};
        verdict.answer = here != MAPPER_NOTHING;
    } else if (!is_switch(mapper, here)) {
        verdict.test = operator_of(here);
    } else if (other->place >= 0 && !is_switch(mapper, other->place)) {
        verdict.test = operator_of(other->place);
        verdict.answer = false;
    } else if (other->place == IS_NEW && other->unlike.place == here) {
        verdict.test = other->unlike.test;
        verdict.answer = other->unlike.answer;
    } else {
        int leaf = other->place == IS_NEW ? other->unlike.place : other->place;
        tell_apart(mapper->tree, here, leaf, &verdict.test, &verdict.answer);
    }
    lengthen(&verdict.test, port);
    return verdict;
}

/* The port by which a place is left to its anchor, found anew, as the anchor may be one of two now. */
static void anchor_again(struct mapper *mapper, int number)
{
    struct mapper_place *place = &mapper->places[number];
    const struct mapper_place *anchor = &mapper->places[place->anchor];
    struct mapper_route way = step(&place->there, (unsigned)place->anchor_port);
    if (place->anchor_port == 0 || !is_switch(mapper, place->anchor) || is_place(mapper, &way, place->anchor))
        return;
    place->behind[place->anchor_port - 1] = MAPPER_NOTHING;
    place->asked &= ~(1u << (place->anchor_port - 1));
    int port = find_way_back(mapper, place->anchor, &anchor->there, place->there.ports[place->there.count - 1]);
    if (port < 0) {
        place->anchor = 0;
        place->loose = true;
        return;
    }
    set_anchor(place, place->anchor, port);
    place->back = before((unsigned)port, &anchor->back);
}

/* After a split by other than anchors: every end that leads to a switch is asked again, as anchors may have changed.
 * One that leads to no known place any more is explored again. */
static void assign_again(struct mapper *mapper)
{
    for (int number = 1; number < mapper->count; number++)
        anchor_again(mapper, number);
    for (int number = 0; number < mapper->count; number++)
        for (unsigned link = 0; link < mapper->links; link++) {
            struct mapper_place *place = &mapper->places[number];
            if (!is_switch(mapper, place->behind[link]) || (int)link + 1 == place->anchor_port)
                continue;
            struct mapper_route way = step(&place->there, link + 1);
            struct verdict verdict;
            bool all = recognise_all(mapper, &way, &verdict);
            place->behind[link] = all && verdict.same ? verdict.place : MAPPER_UNSURE;
            if (all && !verdict.same)
                place->asked &= ~(1u << link);
        }
}

/* What is behind a port of a place is not what it was taken for. */
static bool split_off(struct mapper *mapper, int number, unsigned port, const struct verdict *unlike)
{
    const struct mapper_place *place = &mapper->places[number];
    struct sight sight = {.site = MAPPER_NOTHING, .there = step(&place->there, port), .unlike = *unlike};
    int back = find_way_back(mapper, number, &place->there, port);
    if (back < 0)
        return false;
    sight.back = before((unsigned)back, &place->back);
    if (mapper->stopped || new_place(mapper, &sight, number, back) < 0)
        return false;
    mapper->places[number].behind[port - 1] = mapper->count - 1;
    assign_again(mapper);
    return true;
}

static struct verdict compare(struct mapper *mapper, int number, const struct mapper_route *way, bool *compared);

/* Both ends of a port were taken for the same place, which is not proven. If one differs from it, either the two
 * differ, or both differ from the place, which is split then. */
static struct verdict compare_behind(struct mapper *mapper, int number, unsigned port, const struct sight *sight,
                                     bool *compared)
{
    const struct mapper_place *place = &mapper->places[number];
    struct verdict behind = compare(mapper, place->behind[port - 1], &sight->there, compared), verdict = behind;
    verdict.place = number;
    if (verdict.same || verdict.split)
        return verdict;
    lengthen(&verdict.test, port);
    int here = answer(mapper, &place->there, &verdict.test);
    if (here != verdict.answer) {
        verdict.same = true;
        verdict.split = here >= 0 && split_off(mapper, number, port, &behind);
    }
    return verdict;
}

/* Compares what is behind all ports of a place, and of the switch at the end of a way that is taken for it. Operators
 * are first: they are cheap to ask, and no way to them comes over a link twice. */
static struct verdict compare(struct mapper *mapper, int number, const struct mapper_route *way, bool *compared)
{
    struct verdict verdict = {.place = number, .same = true, .answer = true};
    const struct mapper_place *place = &mapper->places[number];
    compared[number] = true;
    for (unsigned link = 0; link < mapper->links && verdict.same; link++) {
        verdict.test = operator_behind(link + 1, place->behind[link]);
        if (place->behind[link] >= 0 && !is_switch(mapper, place->behind[link]))
            verdict.same = !fails(mapper, way, &verdict.test);
    }
    for (unsigned link = 0; link < mapper->links && verdict.same && !verdict.split && !mapper->stopped; link++) {
        int here = place->behind[link];
        if (here == MAPPER_UNSURE || (int)link + 1 == place->anchor_port)
            continue;
        struct sight sight = look_behind(mapper, number, way, link + 1);
        if (sight.place == IS_NEW && sight.site != MAPPER_NOTHING)
            sight.place = new_place(mapper, &sight, 0, 0);
        verdict = difference(mapper, number, link + 1, &sight);
        if (verdict.same && here == sight.place && here >= 0 && !mapper->places[here].proven && !compared[here])
            verdict = compare_behind(mapper, number, link + 1, &sight, compared);
    }
    return verdict;
}

/* What is behind a port of a place is taken for another place, but may be none that is known. True: a place was split.
 */
static bool doubt(struct mapper *mapper, int number, unsigned port)
{
    bool compared[MAPPER_PLACES_MAX] = {false};
    const struct mapper_place *place = &mapper->places[number];
    struct mapper_route way = step(&place->there, port);
    struct verdict verdict = compare(mapper, place->behind[port - 1], &way, compared);
    return verdict.split || (!verdict.same && split_off(mapper, number, port, &verdict));
}

/* Of a place that is not proven, though its anchor is. */
static bool split_place(struct mapper *mapper, int number)
{
    const struct mapper_place *place = &mapper->places[number];
    int anchor = place->anchor;
    if (place->proven || !mapper->places[anchor].proven)
        return false;
    for (unsigned link = 0; link < mapper->links; link++) {
        struct mapper_route way = step(&mapper->places[anchor].there, link + 1);
        bool own = way.count == place->there.count && memcmp(way.ports, place->there.ports, way.count) == 0;
        if (mapper->places[anchor].behind[link] == number && !own && doubt(mapper, anchor, link + 1))
            return true;
    }
    return false;
}

static bool split_any(struct mapper *mapper)
{
    for (int number = 0; number < mapper->count && !mapper->stopped; number++)
        if (split_place(mapper, number))
            return true;
    return false;
}

/* True: what is known may lead elsewhere now, and has to be explored again. */
static bool explore_all(struct mapper *mapper)
{
    bool any = false;
    for (int place = 0; place < mapper->count && !mapper->stopped; place++) {
        explore(mapper, place);
        if (join_tree(mapper, place)) {
            assign_again(mapper);
            any = true;
        }
    }
    return any;
}

bool mapper_run(struct mapper *mapper)
{
    const struct mapper_route none = {0}, to_operator = {.count = 1, .ports = {OPERATOR_PORT}};
    mapper->count = 0;
    mapper->probes = 0;
    mapper->too_far = mapper->blind = mapper->stopped = false;
    mapper->places = or_abort(calloc(MAPPER_PLACES_MAX, sizeof *mapper->places));
    mapper->tree = or_abort(calloc(1, sizeof *mapper->tree));
    add_place(mapper, mapper->home, &none, &to_operator, 0, 0);
    do {
        while (explore_all(mapper))
            ;
        while (prove(mapper))
            ;
    } while (split_any(mapper));
    return !mapper->stopped;
}

void mapper_free(struct mapper *mapper)
{
    free(mapper->places);
    free(mapper->tree);
}

struct mapper_end mapper_far_end(const struct mapper *mapper, int place, unsigned link)
{
    struct mapper_end end = {.place = mapper->places[place].behind[link], .link = MAPPER_UNSURE};
    if (end.place < 0)
        return end;
    unsigned there = links_between(mapper, place, end.place), back = links_between(mapper, end.place, place);
    if (!mapper->places[place].proven || !mapper->places[end.place].proven || there != back) {
        end.place = MAPPER_UNSURE;
        return end;
    }
    bool may_be_more = links_between(mapper, place, MAPPER_UNSURE) > 0 &&
                       links_between(mapper, end.place, MAPPER_UNSURE) > 0;
    if (there != (end.place == place ? 2 : 1) || may_be_more)
        return end;
    end.link = 0;
    while (mapper->places[end.place].behind[end.link] != place || (end.place == place && end.link == (int)link))
        end.link++;
    return end;
}
