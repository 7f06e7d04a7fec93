/* The replicated log (firmware/apps/replicated_log) on groups over a network that loses, repeats and reorders: all
 * members have the same entries in the same places and the same check, at any time, and the members that stay have all
 * entries in the end. Sites stop, restart and join in mid-stream.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "apps/replicated_log/replicated_log.h"
#include "check.h"
#include "group_mesh.h"

enum { SITES = 6, LEADER = 2, WHOLE_REST = 20000000, LOG_MOST = 20000, HOST_HANDLER = REPLICATED_LOG_ANSWER };

static uint64_t seed;
static struct group_mesh mesh;
static struct replicated_log logs[SITES];
static uint32_t checks[LOG_MOST]; /* in front of each entry: the first site that had it says so; 0: none has */
static unsigned appended;

static void no_event(void *context, const struct pr_groups_event *event)
{
    (void)context;
    (void)event;
}

static void begin_log(unsigned site, bool founds)
{
    struct group_site *one = &mesh.sites[site];
    CHECK_EQUAL(replicated_log_init(&logs[site], &one->op, &one->groups, GROUP_ID, founds), 0);
    pr_groups_observe(&one->groups, no_event, NULL);
}

static void begin(unsigned lose, unsigned duplicate)
{
    static const unsigned shapes[] = {PR_GROUP_SHAPE_CIRCUIT_ORDER, PR_GROUP_SHAPE_GT_ORDER, PR_GROUP_SHAPE_TREE_ORDER};
    struct group_settings settings = group_settings(check_random(&seed), SITES, shapes[check_below(&seed, 3)]);
    settings.lose = lose;
    settings.duplicate = duplicate;
    settings.leader = settings.shape == PR_GROUP_SHAPE_TREE_ORDER ? 0 : LEADER;
    group_mesh_start(&mesh, &settings, (1u << SITES) - 1);
    memset(checks, 0, sizeof checks);
    appended = 0;
    for (unsigned k = 0; k < SITES; k++)
        begin_log(k, true);
}

/* As long as each other, logs are the same. */
static void check_log(const struct replicated_log *log)
{
    if (!log->known)
        return;
    CHECK(log->length < LOG_MOST);
    if (checks[log->length] == 0)
        checks[log->length] = log->check;
    CHECK_EQUAL(log->check, checks[log->length]);
}

static void run(uint64_t clocks)
{
    group_mesh_run(&mesh, clocks);
    for (unsigned k = 0; k < SITES; k++) {
        if (mesh.sites[k].state == GROUP_SITE_RUNS)
            replicated_log_poll(&logs[k]);
        mesh.sites[k].poll = true;
        check_log(&logs[k]);
    }
}

static void append_one(unsigned site)
{
    uint32_t data[REPLICATED_LOG_WORDS];
    unsigned words = check_below(&seed, REPLICATED_LOG_WORDS + 1);
    if (mesh.sites[site].state != GROUP_SITE_RUNS || !group_mesh_is_in(&mesh, site))
        return;
    for (unsigned k = 0; k < words; k++)
        data[k] = check_random(&seed) & 0xffff;
    mesh.sites[site].fake.clock = (uint32_t)mesh.clock;
    appended += replicated_log_append(&logs[site], data, words) == 0;
}

static void append_many(unsigned count)
{
    while (count-- > 0) {
        append_one(check_below(&seed, SITES));
        run(1 + check_below(&seed, 600));
    }
}

static void rest(void)
{
    for (unsigned round = 0; round < 8; round++) {
        group_mesh_rest(&mesh, WHOLE_REST);
        run(1);
    }
}

/* Every entry that one of them holds the others hold, word by word. */
static void check_same(const struct replicated_log *one, const struct replicated_log *other)
{
    CHECK(one->known && other->known);
    CHECK_EQUAL(one->length, other->length);
    CHECK_EQUAL(one->check, other->check);
    for (uint32_t index = 0; index < one->length; index++) {
        const struct replicated_log_entry *a = replicated_log_entry(one, index),
                                          *b = replicated_log_entry(other, index);
        CHECK(!a || !b || memcmp(a, b, sizeof *a) == 0);
    }
    CHECK(replicated_log_entry(one, one->length) == NULL);
}

static void all_have_all(void)
{
    begin(20, 20);
    append_many((unsigned)check_rounds(300));
    rest();
    CHECK(appended > 50);
    CHECK_EQUAL(logs[0].length, appended);
    for (unsigned k = 1; k < SITES; k++)
        check_same(&logs[0], &logs[k]);
    group_mesh_end(&mesh);
}

/* Sites but the leader restart or stop, and are back; a log that begins late has the check of all that was before. */
static void who_comes_back_agrees(void)
{
    for (unsigned round = 0; round < check_rounds(8); round++) {
        begin(check_below(&seed, 2) * 15, check_below(&seed, 2) * 15);
        unsigned back = check_below(&seed, SITES);
        back = back == mesh.settings.leader ? (back + 1) % SITES : back;
        append_many(20 + check_below(&seed, 150));
        group_mesh_stop(&mesh, back, round % 2 ? 200000 : WHOLE_REST);
        append_many(10);
        if (round % 2) {
            group_mesh_restart(&mesh, back);
            begin_log(back, false);
        } else {
            group_mesh_run(&mesh, 2 * WHOLE_REST);
            append_one(back);
            rest();
            CHECK(!group_mesh_is_in(&mesh, back)); /* the others have left it behind */
        }
        append_many(check_below(&seed, 100));
        group_mesh_join(&mesh, back);
        append_many(100);
        rest();
        append_one(mesh.settings.leader); /* the last one comes to all that are members */
        rest();
        CHECK(group_mesh_is_in(&mesh, back) && logs[back].known);
        check_same(&logs[mesh.settings.leader], &logs[back]);
        group_mesh_end(&mesh);
    }
}

/* ---- what a host sees ---- */

static struct pr_delivery answer;
static uint32_t answered[8];

static void on_answer(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    answer = *delivery;
    memcpy(answered, delivery->data, delivery->data_words * sizeof *answered);
}

static void ask(unsigned from, unsigned site, const uint32_t *words, unsigned count)
{
    const struct pr_target target = {.site = site};
    answer.data_words = 99;
    CHECK_EQUAL(pr_operator_send(&mesh.sites[from].op, &target, 1, REPLICATED_LOG_REQUEST, words, count, NULL), 0);
    mesh.sites[from].poll = true;
    group_mesh_rest(&mesh, WHOLE_REST);
}

static void hosts_propose_and_read(void)
{
    static const uint32_t words[REPLICATED_LOG_WORDS + 2] = {REPLICATED_LOG_PROPOSE, 5, 6, 7},
                                                       read[] = {REPLICATED_LOG_READ};
    begin(0, 0);
    CHECK_EQUAL(pr_operator_register(&mesh.sites[5].op, HOST_HANDLER, on_answer, NULL), 0);
    ask(5, 1, words, 4);
    CHECK_EQUAL(answer.data_words, 1);
    CHECK_EQUAL(answered[0], 0);
    ask(5, 1, words, REPLICATED_LOG_WORDS + 2);
    CHECK_EQUAL(answered[0], PR_GROUPS_TOO_LONG);
    for (unsigned k = 0; k < SITES; k++) {
        CHECK_EQUAL(logs[k].length, 1);
        CHECK_EQUAL(replicated_log_entry(&logs[k], 0)->source, 1);
        CHECK(memcmp(replicated_log_entry(&logs[k], 0)->data, words + 1, 3 * sizeof *words) == 0);
    }
    CHECK_EQUAL(
        pr_groups_send(&mesh.sites[3].groups, GROUP_ID, REPLICATED_LOG_APPEND, words, REPLICATED_LOG_WORDS + 2, NULL),
        0);
    mesh.sites[3].poll = true;
    group_mesh_rest(&mesh, WHOLE_REST);
    CHECK_EQUAL(replicated_log_entry(&logs[4], 1)->words, REPLICATED_LOG_WORDS);
    ask(5, 0, read, 1);
    CHECK_EQUAL(answer.data_words, 4);
    CHECK_EQUAL(answered[0] | answered[1] << 16, 2);
    CHECK_EQUAL(answered[2] | answered[3] << 16, logs[3].check);
    group_mesh_end(&mesh);
}

int main(void)
{
    seed = check_seed();
    RUN(hosts_propose_and_read);
    RUN(all_have_all);
    RUN(who_comes_back_agrees);
    return 0;
}
