/* See trace_player.h. Packets that wait for no other are in a heap, ordered by clock, then by their place in the trace.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/trace_player.h"

#include "support/run_memory.h"

struct trace_player {
    const struct packet_trace *trace;
    uint64_t *clocks;  /* in which each packet may be sent, as far as it is known */
    uint32_t *awaited; /* packets for which each one still waits */
    uint32_t *heap, heap_count;
    uint32_t *taken; /* packets in the order in which they were taken */
    uint64_t taken_count;
};

static bool before(const struct trace_player *player, uint32_t a, uint32_t b)
{
    return player->clocks[a] < player->clocks[b] || (player->clocks[a] == player->clocks[b] && a < b);
}

static void push(struct trace_player *player, uint32_t packet)
{
    uint32_t *heap = player->heap, at = player->heap_count++;
    while (at > 0 && before(player, packet, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = packet;
}

static uint32_t pop(struct trace_player *player)
{
    uint32_t *heap = player->heap, top = heap[0], moving = heap[--player->heap_count], at = 0;
    for (uint32_t child = 1; child < player->heap_count; child = 2 * at + 1) {
        if (child + 1 < player->heap_count && before(player, heap[child + 1], heap[child]))
            child++;
        if (before(player, moving, heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
    return top;
}

struct trace_player *trace_player_create(const struct packet_trace *trace)
{
    struct trace_player *player = run_memory_allocate(1, sizeof *player);
    if (!player)
        return NULL;
    player->trace = trace;
    player->clocks = run_memory_allocate(trace->count, sizeof *player->clocks);
    player->awaited = run_memory_allocate(trace->count, sizeof *player->awaited);
    player->heap = run_memory_allocate(trace->count, sizeof *player->heap);
    player->taken = run_memory_allocate(trace->count, sizeof *player->taken);
    if (!player->clocks || !player->awaited || !player->heap || !player->taken) {
        trace_player_free(player);
        return NULL;
    }
    for (uint32_t i = 0; i < trace->count; i++) {
        player->clocks[i] = trace->packets[i].clock;
        player->awaited[i] = trace->packets[i].awaited;
        if (player->awaited[i] == 0)
            push(player, i);
    }
    return player;
}

void trace_player_free(struct trace_player *player)
{
    if (!player)
        return;
    run_memory_free(player->clocks);
    run_memory_free(player->awaited);
    run_memory_free(player->heap);
    run_memory_free(player->taken);
    run_memory_free(player);
}

uint64_t trace_player_clock(const struct trace_player *player)
{
    return player->heap_count ? player->clocks[player->heap[0]] : UINT64_MAX;
}

const struct trace_packet *trace_player_next(struct trace_player *player, uint64_t *clock)
{
    uint32_t packet = pop(player);
    player->taken[player->taken_count++] = packet;
    *clock = player->clocks[packet];
    return &player->trace->packets[packet];
}

void trace_player_arrived(struct trace_player *player, uint64_t taken, uint64_t clock)
{
    const struct trace_packet *packet = &player->trace->packets[player->taken[taken]];
    for (uint32_t i = 0; i < packet->dependents; i++) {
        uint32_t dependent = player->trace->dependents[packet->first_dependent + i];
        if (player->clocks[dependent] < clock + 1)
            player->clocks[dependent] = clock + 1;
        if (--player->awaited[dependent] == 0)
            push(player, dependent);
    }
}
