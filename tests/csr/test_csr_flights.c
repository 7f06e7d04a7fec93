/* The flights of accepted packets (csr_flights.h): they notice two packets on a link, when one enters and when one goes
 * on.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "csr/csr_flights.h"

enum { D = 3 };

static struct csr_flights *cube(void)
{
    struct csr_flights *flights = csr_flights_create(D);
    CHECK(flights);
    return flights;
}

static bool enter(struct csr_flights *flights, unsigned node, unsigned module, uint32_t tag, uint32_t forks)
{
    return csr_flights_enter(flights, node, module, &(struct csr_packet){tag, forks, node});
}

/* Two packets want (0, forward 2) in one slot. */
static void test_enter(void)
{
    struct csr_flights *flights = cube();
    CHECK(enter(flights, 0, 2, 4, 0));
    CHECK(!enter(flights, 0, 2, 5, 0));
    csr_flights_free(flights);
}

/* Two packets come to (0, internal 1) in the second slot, from (0, internal 2) and (4, forward 2). */
static void test_meet(void)
{
    struct csr_flights *flights = cube();
    CHECK(enter(flights, 0, 2, 0, 0));
    CHECK(enter(flights, 4, 2, 4, 0));
    CHECK(!csr_flights_slot(flights));
    csr_flights_free(flights);
}

/* A fork meets a packet with one of its branches, in the third slot: (2, internal 0). */
static void test_fork(void)
{
    struct csr_flights *flights = cube();
    CHECK(enter(flights, 0, 2, 0, 2));
    CHECK(enter(flights, 2, 2, 0, 0));
    CHECK(csr_flights_slot(flights));
    CHECK_EQUAL(csr_flights_count(flights), 3);
    CHECK(!csr_flights_slot(flights));
    csr_flights_free(flights);
}

int main(void)
{
    RUN(test_enter);
    RUN(test_meet);
    RUN(test_fork);
    return verdict("csr flights");
}
