/* postroad top: a mesh at work, seen live on a terminal, or once.
 *
 *     sites --top_sample--> top_model --top_view--> page --> top_screen, or text
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "cli/screen.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "daemon/daemon_requests.h"
#include "postroad/top_json.h"
#include "postroad/top_sample.h"
#include "postroad/top_screen.h"
#include "postroad/verbs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_OF_RATES = 2 /* that a rate takes */ };

struct top_options {
    struct options common;
    double interval;
    bool once;
};

struct top {
    const struct top_options *options;
    struct gateway gateway;
    struct site_set set;
    struct top_ways ways;
    struct top_model model;
    struct top_sampler sampler;
    struct top_view view;
    unsigned rounds;   /* that the page has */
    uint64_t clock;    /* of the mesh in the last round */
    double clock_time; /* seconds: when it was read */
};

/* The clock rate: what a simulated mesh does in a second of this computer, or what a site says. */
static void look_at_clock(struct top *top)
{
    uint64_t clock = 0;
    double now = pr_client_now();
    if (top->gateway.endpoint.kind == PR_ENDPOINT_UP && daemon_requests_clock(top->gateway.endpoint.path, &clock)) {
        double seconds = now - top->clock_time;
        top->view.clock_hz = top->rounds > 1 && seconds > 0 ? (double)(clock - top->clock) / seconds : 0;
        top->clock = clock;
        top->clock_time = now;
    } else {
        top->view.clock_hz = top->gateway.identity.clock_hz;
    }
}

static void draw(struct top *top)
{
    struct page page;
    int width, height;
    top_screen_size(&width, &height);
    page_begin(&page, width, height);
    top_draw(&top->view, &page);
    top_screen_show(&page);
    page_end(&page);
}

/* Seconds until something may have to be done without an answer or a key. */
static double idle_seconds(const struct top *top)
{
    static const double look = 0.05, second = 1;
    double wait = top->sampler.next_round - pr_client_now();
    if (!top_sampler_rests(&top->sampler))
        return look;
    if (top->view.paused || wait > second)
        return second;
    return wait > 0 ? wait : 0;
}

/* Waits for answers, a key, a new size of the terminal, or the time. A PR_CLIENT_ status. */
static int wait_for_something(struct top *top, double seconds)
{
    struct pr_client *client = top->gateway.client;
    struct pollfd polls[] = {{.fd = pr_client_descriptor(client), .events = POLLIN},
                             {.fd = top->view.live ? STDIN_FILENO : -1, .events = POLLIN}};
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigset_t none;
    sigemptyset(&none);
    ppoll(polls, 2, &time, &none);
    if (signals_pending() || polls[1].revents & (POLLHUP | POLLERR))
        return PR_CLIENT_INTERRUPTED;
    int status = pr_client_poll(&client, 1, 0);
    return status == PR_CLIENT_INTERRUPTED && !signals_pending() ? PR_CLIENT_OK : status; /* SIGWINCH */
}

static int step(struct top *top)
{
    int status = top_sampler_step(&top->sampler, top->view.paused);
    if (status == PR_CLIENT_OK && top->model.rounds > top->rounds) {
        top->rounds = top->model.rounds;
        look_at_clock(top);
    }
    return status == PR_CLIENT_OK ? wait_for_something(top, idle_seconds(top)) : status;
}

/* False: the user wants to end. */
static bool take_keys(struct top *top)
{
    int key;
    while ((key = top_screen_key()) >= 0) {
        enum top_action action = top_key(&top->view, key);
        if (action == TOP_QUIT)
            return false;
        if (action == TOP_REBASE)
            top_model_rebase(&top->model, pr_client_now());
    }
    return true;
}

static int watch(struct top *top)
{
    int status = PR_CLIENT_OK;
    if (!top_screen_begin())
        return report_failure(EXIT_USAGE, "top",
                              "TERM=%s is not known here, expected a terminal that ncurses knows, or --once",
                              getenv("TERM"));
    top->view.live = true;
    do
        draw(top);
    while ((status = step(top)) == PR_CLIENT_OK && take_keys(top));
    top_screen_end();
    return status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(&top->gateway, status);
}

static void print_page(const struct top_view *view, FILE *out)
{
    struct page page;
    int blank_rows = 0;
    page_begin(&page, terminal_width(STDOUT_FILENO), top_height(view));
    top_draw(view, &page);
    for (int y = 0; y < page.height; y++) {
        const char *row = page.letters + y * page.width;
        int length = page.width;
        while (length && row[length - 1] == ' ')
            length--;
        for (; length && blank_rows; blank_rows--)
            fputc('\n', out);
        if (length)
            fprintf(out, "%.*s\n", length, row);
        else
            blank_rows++;
    }
    page_end(&page);
    fflush(out);
}

static int verdict(const struct top_model *model)
{
    unsigned asked = 0, answering = 0;
    for (int site = 0; site < model->mesh->sites; site++) {
        asked += model->sites[site].asked;
        answering += model->sites[site].answers;
    }
    return answering == asked ? EXIT_OK : answering ? EXIT_PARTIAL : EXIT_TIMEOUT;
}

static int show_once(struct top *top)
{
    int status;
    do
        status = step(top);
    while (status == PR_CLIENT_OK && (top->rounds < ROUNDS_OF_RATES || !top_sampler_rests(&top->sampler)));
    if (status != PR_CLIENT_OK)
        return gateway_failed(&top->gateway, status);
    if (top->options->common.json)
        top_print_json(&top->view);
    else
        print_page(&top->view, stdout);
    return verdict(&top->model);
}

static void begin(struct top *top)
{
    const struct gateway *gateway = &top->gateway;
    unsigned pings = top->options->once ? (unsigned)top->set.count : TOP_PINGS;
    top_ways_make(&top->ways, &gateway->mesh, gateway->identity.site);
    top_model_begin(&top->model, &gateway->mesh, &top->ways, gateway->identity.site, gateway->identity.reliable != 0);
    for (size_t i = 0; i < top->set.count; i++)
        top->model.sites[top->set.sites[i]].asked = true;
    top_sampler_begin(&top->sampler, &top->gateway, &top->model, &top->set, top->options->interval, pings);
    top->view = (struct top_view){
        .model = &top->model, .name = gateway->text, .link_clocks = gateway->identity.link_clocks, .selected = -1};
}

static void end(struct top *top)
{
    gateway_close_sites(&top->gateway, &top->set);
    top_sampler_end(&top->sampler);
    top_model_end(&top->model);
    top_ways_free(&top->ways);
}

/* False: a message has been printed. */
static bool is_possible(const struct top_options *options)
{
    bool terminal = terminal_can_draw(STDOUT_FILENO) && isatty(STDIN_FILENO);
    if (options->once || (terminal && !options->common.json))
        return true;
    report_error("top", "%s: expected --once", terminal ? "--json has no live view" : "no terminal to draw on");
    return false;
}

static int run(const struct options *options)
{
    struct top top = {.options = (const struct top_options *)(const void *)options};
    if (!is_possible(top.options))
        return EXIT_USAGE;
    int status = gateway_open_sites(&top.gateway, options, &top.set);
    if (status != EXIT_OK)
        return status;
    begin(&top);
    status = top.options->once ? show_once(&top) : watch(&top);
    end(&top);
    return status;
}

static const struct option_row rows[] = {
    {.name = "interval",
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct top_options, interval),
     .minimum = 1,
     .initial = "2",
     .help = "read the counters every so many seconds"},
    {.name = "once",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct top_options, once),
     .help = "print one view, of the interval from now on, and end"},
    {.name = NULL},
};

static const char manual[] =
    "Shows a mesh at work: the map of the mesh with the load of each direction of each link, packets and words a second, "
    "the worst links, lost and repeated packets, the state of <SITES> (all by default) and the round trips of pings. The "
    "map is drawn for grids, tori and small hypercubes that fit the screen; otherwise the tables have all of it. A digit "
    "stands beside the site that sends; 9 is the busiest link of the mesh, and its rate stands below the map. Rates are "
    "of the last interval, without acknowledgements; `discarded`, `resent`, `given up` and `restarts` count from the base "
    "line, which is the start, or the last `r`. Pings are in clocks.\n"
    "Keys: `q` ends, `p` pauses (the sites are not asked meanwhile), `s` changes the order of the sites (trouble, sent, "
    "delivered, words, latency, site), the arrows select a site (escape: none), `z` shows that site alone with its outputs "
    "and counters, or all again, `r` sets the base line, `l` shows the links in place of the sites where there is no room "
    "for both.\n"
    "The verb reads the counters once an interval, with six requests a site where packets are as long as usual, and "
    "pings four sites behind each reading (`--once`: each site). At most two requests are under way at a time, and half "
    "of the time or more there is none. What these packets and their acknowledgements add to the counters of packets and "
    "of words is left out of what is shown, over the ways that they take if no router diverts them; clocks in which words "
    "waited are shared out by words. A site is `silent` if it leaves a quarter of `--timeout` without an answer. It is asked "
    "again now and then, and the view goes on; what the asking site sends again to it counts as resent.\n"
    "States, the worst that applies: `silent`; `restarted`, its counters began anew; `gave up` targets of its packets; "
    "`overrun`, it discarded more than one packet in ten; `short` of buffers; `resent` packets. The exit code of a live "
    "view is 0 after `q`, and 2 if the mesh goes away.";

static const struct json_key keys[] = {
    {"reliable", "true or false", "the mesh has the reliable service"},
    {"gateway_site", "site", "the site that asks"},
    {"clocks_per_second", "number", "of the mesh, in a second of this computer; null: unknown"},
    {"own_packets", "packets", "of this verb in the interval, acknowledgements too; they are left out of all others"},
    {"sites[].site", "site", "the site"},
    {"sites[].answers", "true or false", "the site answered; the keys below `state` are there only then"},
    {"sites[].state", "text", "`ok`, `resent`, `short`, `overrun`, `gave up`, `restarted` or `silent`"},
    {"sites[].seconds", "seconds", "the interval"},
    {"sites[].sent_per_second", "packets/s", "sent, without acknowledgements"},
    {"sites[].delivered_per_second", "packets/s", "delivered"},
    {"sites[].words_per_second", "words/s", "sent through its links"},
    {"sites[].restarts", "number", "seen so far"},
    {"sites[].round_trip_clocks.last", "clocks", "of the last ping; null: none was answered"},
    {"sites[].round_trip_clocks.min", "clocks", "least"},
    {"sites[].round_trip_clocks.mean", "clocks", "mean"},
    {"sites[].COUNTER", "number",
     "every counter of one word, by the name that `hw/protocol/registers.ini` has for it: what "
     "the interval has added"},
    {"links[].site", "site", "the site"},
    {"links[].output", "text", "its output; `local`: its own port"},
    {"links[].to", "site", "the neighbour; not for `local`"},
    {"links[].words", "words", "sent through this output in the interval"},
    {"links[].stalls", "clocks", "in which a word waited"},
    {"links[].drops", "words", "dropped at the input of this link"},
    {"links[].words_per_second", "words/s", "sent through this output"},
    {NULL, NULL, NULL},
};

const struct verb verb_top = {
    .name = "top",
    .operands = "[SITES]",
    .summary = "A live view of sites and links at work.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct top_options),
    .run = run,
};
