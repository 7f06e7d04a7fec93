/* When the daemon of a mesh sleeps (host-tools/daemon/daemon.c, step; sim/engine/rtl_engine.c, idle; qemu_scheduler.c), for the
 * model checker spin: two guests, or operators in the process, over a fabric, and a client. tests/formal/test_idle_model.sh
 * runs it.
 *
 *   daemon:  look: is the mesh idle? -> wait for guests and clients, without limit if it was -> serve them -> not idle: clocks
 *
 * Shown: where the daemon waits without limit, nothing is due that only it can do: no packet is in a network_interface or in
 * the fabric, no guest has work and no slice, no timer is set. Bytes of guests and clients end the wait, so they may lie there.
 *
 * -D of a configuration:
 *   SLEEPLESS  no site sleeps (board links, interleaved planes): the mesh rests once CLOCKS have passed without an event
 *   QUANTUM    no clock while a slice goes on; without, the fabric runs beside it
 *   BUG=1      what was handed over between two clocks is not asked for, only what clocks have seen
 *   BUG=2      the clock does not wait for a set timer
 *   BUG=3      the look does not ask whether a guest has work
 *
 * SPDX-License-Identifier: ISC
 */
#define SITES 2
#define CLOCKS 2
#define PACKETS 3 /* that guests and the client have sent, in all */
#ifndef BUG
#define BUG 0
#endif

bool held[SITES];    /* a packet in the network_interface, on its way out */
bool clocked[SITES];  /* the site is clocked: it was busy in the last clock, or activated since */
bool fabric;         /* a packet under way, to the site `heading` */
byte heading;
byte rested = CLOCKS; /* clocks since the last busy one */
bool news[SITES];    /* a packet, or a byte from the console, that the guest has not looked at */
bool slice[SITES];   /* the guest works */
bool timer[SITES];   /* it has asked to be woken */
bool told[SITES];    /* a message of the guest lies in its socket */
bool gives[SITES];   /* ... with a packet to send; either ends its slice */
bool sets[SITES];    /* ... and a timer */
byte client = 0;     /* bytes that a client has typed for site 0, and the daemon has not read */
byte sent = 0;
bool waits = false;  /* the daemon, without limit */

/* Firmware: in its slice it sends or not, asks for a timer or not, and goes to sleep. */
proctype guest(byte me)
{
end:
    do
    :: atomic { slice[me] && !told[me] ->
        if
        :: sent < PACKETS -> gives[me] = true; sent++
        :: true -> gives[me] = false
        fi;
        if
        :: sent < PACKETS -> sets[me] = true
        :: true -> sets[me] = false
        fi;
        told[me] = true }
    od
}

/* Who types at a console. */
active proctype person()
{
end:
    do
    :: atomic { sent < PACKETS && client == 0 -> client = 1; sent++ }
    od
}

bool idle, any;
byte i;

#ifdef SLEEPLESS
#define MOVED (rested < CLOCKS)
#else
#define MOVED (clocked[0] || clocked[1] || fabric)
#endif

inline look()
{
    any = false;
    for (i : 0 .. SITES - 1) { if :: held[i] -> any = true; clocked[i] = true :: else fi };
    idle = !MOVED && (BUG == 1 || !any) && (BUG == 2 || !(timer[0] || timer[1])) && (BUG == 3 || !(news[0] || news[1])) &&
           !(slice[0] || slice[1])
}

/* Messages of guests, then what a client has typed; the order of the daemon. */
inline serve()
{
    for (i : 0 .. SITES - 1) {
        if
        :: told[i] -> held[i] = held[i] || gives[i]; timer[i] = sets[i]; told[i] = false; slice[i] = false
        :: else
        fi };
    if :: client > 0 -> client = 0; news[0] = true :: else fi
}

inline clock()
{
    if
    :: fabric -> fabric = false; news[heading] = true; rested = 0
    :: else -> if :: rested < CLOCKS -> rested++ :: else fi
    fi;
    if
    :: held[0] && !fabric -> held[0] = false; fabric = true; heading = 1; rested = 0
    :: else ->
        if
        :: held[1] && !fabric -> held[1] = false; fabric = true; heading = 0; rested = 0
        :: else
        fi
    fi;
    for (i : 0 .. SITES - 1) { clocked[i] = held[i] }
}

/* Slices that are due begin; then one clock, if no slice forbids it. */
inline advance()
{
    for (i : 0 .. SITES - 1) { if :: (news[i] || timer[i]) && !slice[i] -> news[i] = false; timer[i] = false; slice[i] = true :: else fi };
#ifdef QUANTUM
    if
    :: slice[0] || slice[1] -> skip
    :: else -> clock()
    fi
#else
    clock()
#endif
}

active proctype daemon()
{
    run guest(0);
    run guest(1);
    do
    :: true ->
        atomic { look() };
        if
        :: idle ->
            atomic {
                waits = true;
                assert(!held[0] && !held[1] && !fabric && !timer[0] && !timer[1] && !news[0] && !news[1] && !slice[0] && !slice[1])
            };
end:        atomic { told[0] || told[1] || client > 0 -> waits = false }
        :: else
        fi;
        atomic { serve() };
        atomic { look(); if :: !idle -> advance() :: else fi }
    od
}
