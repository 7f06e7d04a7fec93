/* The end-to-end protocol of the reliable service (firmware/operator: send_window.c, restart.c, acknowledge.c,
 * duplicate_filter.c) for the model checker spin: three sites, two or three packets, one of them a multicast to two sites,
 * a network that loses, duplicates and reorders, and sites that restart at any moment. tests/formal/check_model runs it;
 * tests/formal/README.md says what is proved.
 *
 * Left out, and why that is no loss:
 *   wrap-around of sequence numbers   test_sequence_numbers.c compares the firmware's own duplicate_filter.c with numbers
 *        that never wrap. They agree for copies that are late by less than 2^15 - 32 numbers of their source. There are
 *        no older copies: 32768 packets of at least 5 words take a source longer than any site holds a foreign packet
 *        (FOREIGN_AGE_MAX in pool.c); and a target that has acknowledged none of the last 8192 numbers gets a base, which
 *        has 32 bits, before it gets data (send_window.c), at the latest when it is 24576 behind. An older acknowledgement
 *        settles no packet until it is late by 65536 numbers less the window; AGE_MAX in acknowledge.c keeps it from
 *        being sent so late.
 *   larger windows   here the window is 2 and a target remembers 1 number below the highest; in the firmware these are up
 *        to 32 and 32. The protocol needs a target to remember at least the window less one.
 *   wrap-around of epochs   control packets of the firmware carry 16 bits of the epoch, data and acknowledgements 5. Here
 *        data teaches its receiver a newer epoch. The firmware's receiver drops such data, as the network here may, and
 *        its source sends a base first (ASKS). test_reliable.c tests both rules.
 *   buffers, discards, refusals   what finds no buffer, or an evaluator that is not ready, counts as lost by the network.
 *   forwarding, aborted multicasts   a site that forwards a packet is part of the network, which delays and repeats.
 *   merged acknowledgements   a bitmap stands for as many acknowledgements, which arrive or are lost one by one, those of
 *        numbers that a base declares received among them.
 *
 * Two networks:
 *   as it stands   for what must never happen. What was sent once may arrive at any time, any number of times, or
 *                  never: nothing is ever taken out. No network can be worse, so that resends need no message of
 *                  their own, and acknowledgements may as well be sent at once: the network delays them.
 *   -DBOUNDED      for what must happen in the end. A message arrives once, but COPIES arrive twice and LOSSES never;
 *                  a time-out comes only when nothing is under way, and nobody gives up: all settles all the same.
 *
 * -D of a configuration: PACKETS 2 or 3, SOURCEn and TARGETSn (a set: bit s is site s), RESTARTS (0 to 2, in all) of
 * which sites (RESTARTING, a set), WINDOW and REMEMBERED (sequence numbers: of a window, and of those below the
 * highest that a target remembers), TRIES, ORDERED (the option of the same name), ASKS (a source may send a base at
 * any time, as it does to a site that was silent for long), LIVENESS, BUG (one of those below).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PACKETS
#define PACKETS 2
#endif
#ifndef SOURCE0
#define SOURCE0 0
#define TARGETS0 6
#endif
#ifndef SOURCE1
#define SOURCE1 0
#define TARGETS1 2
#endif
#ifndef SOURCE2
#define SOURCE2 0
#define TARGETS2 2
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif
#ifndef RESTARTING
#define RESTARTING 7
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef REMEMBERED
#define REMEMBERED 1
#endif
#ifndef TRIES
#define TRIES 2
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef COPIES
#define COPIES 1
#endif
#ifdef ORDERED
#define IS_ORDERED true
#else
#define IS_ORDERED false
#endif

/* Bugs to be planted, one at a time: each must be found. */
#define NONE 0
#define ACKNOWLEDGED_BEFORE_DELIVERY 1  /* the packet waits, acknowledged, and a restart forgets it */
#define EPOCH_IGNORED 2                 /* in data: what a restarted source sends looks like what it sent before */
#define ACKNOWLEDGED_EPOCH_IGNORED 3    /* in acknowledgements: one of a former life settles a packet of this one */
#define ONE_TOO_FEW_REMEMBERED 4        /* below the highest: what was just forgotten looks new */
#define BASE_TOO_LOW 5                  /* what the target may have had before its restart is taken again */
#define BASE_TOO_HIGH 6                 /* what is still to be sent counts as had */
#define BASE_GOES_BACK 7                /* an old base that comes late is believed */
#define BASE_OF_FORMER_LIFE 8           /* a base is believed that names another epoch of its receiver */
#define DUPLICATE_DELIVERED 9
#define DUPLICATE_NOT_ACKNOWLEDGED 10   /* one acknowledgement is lost, and nobody says so again */
#define SENT_AFTER_FAILURE 11           /* reported failed, and then tried again */
#define RESTARTED_ALWAYS_BELIEVED 12    /* also when it is old news: what was sent since is given up */
#define RESTARTED_GIVES_NOTHING_UP 13   /* what was sent before the target's restart is sent again after it */
#define DATA_IS_NO_NEWS 14              /* a newer epoch in data is noted, but nothing is given up */
#define FIRST_BASE_IS_NO_NEWS 15        /* the same for a base from a site not heard from before */
#define NEWS_KEEP_RECEIVED 16           /* a newer epoch is noted, but not that all numbers start again */
#define NEWS_KEEP_DUE 17                /* an acknowledgement that was due goes out with the newer epoch */
#define RESTARTED_KNOWS_ALL 18          /* a restarted site takes everything as if it were the first of all */
#define FIRST_SETTLES 19                /* the first target of a multicast to acknowledge settles it */
#define ANY_ORDER 20                    /* packets leave in any order: a base cannot tell those sent from those not */
#ifndef BUG
#define BUG NONE
#endif

#define SITES 3
#define UNSEEN 7                        /* no epoch has been heard of */

#define IDLE 0                          /* a packet: nobody has asked for it yet */
#define ACCEPTED 1                      /* it has a sequence number */
#define SENT 2                          /* at least once */
#define SETTLED 3
#define LOST 4                          /* its source restarted */

#define HAS(set, k) (((set) >> (k)) & 1)
#define PAIR(here, there) ((here) * SITES + (there))
#define SOURCE(p) ((p) == 0 -> SOURCE0 : ((p) == 1 -> SOURCE1 : SOURCE2))
#define TARGETS(p) ((p) == 0 -> TARGETS0 : ((p) == 1 -> TARGETS1 : TARGETS2))
#define GOES(p, from, to) ((p) < PACKETS && SOURCE(p) == (from) && HAS(TARGETS(p), to))
#define MEET(a, b) (GOES(0, a, b) || GOES(0, b, a) || GOES(1, a, b) || GOES(1, b, a) || GOES(2, a, b) || GOES(2, b, a))

/* Sites. Each life of a site starts its numbers at 0. */
byte epoch[SITES];
byte next[SITES];                       /* sequence number */
/* What a site knows of another one, by PAIR(here, there): struct peer. */
byte peer_epoch[SITES * SITES];
bool known[SITES * SITES];
byte above[SITES * SITES];              /* highest + 1; 0: nothing of this epoch has come */
byte received[SITES * SITES];           /* bit k: highest - 1 - k was received, or never will be */

/* Packets: slots of their sources' windows. */
byte state[PACKETS];
byte sequence[PACKETS];
byte life[PACKETS];                     /* epoch of its source when it was accepted */
byte missing[PACKETS];                  /* targets that have neither acknowledged nor failed */
byte tries[PACKETS];
byte held[PACKETS];                     /* ACKNOWLEDGED_BEFORE_DELIVERY: where it waits to be delivered */

/* The network, by PAIR(from, to) but for data. */
byte data[PACKETS];                     /* copies to these sites are under way */
int acknowledged[SITES * SITES];
byte restarted[SITES * SITES];
int base[SITES * SITES];
#ifdef BOUNDED
byte losses = LOSSES;
byte copies = COPIES;
#endif

/* History, which the assertions are about. */
byte delivered[PACKETS];
byte failed[PACKETS];
byte told[PACKETS * SITES];             /* the target's epoch as its source knew it when the packet was first sent */
byte restarts;

/* Scratch: set before it is used in each step. */
hidden byte i, j, low;
hidden int ahead;

#define ACKNOWLEDGED(e, q) (1 << ((e) * PACKETS + (q)))
#define BASE(own, peer, b) (1 << (((own) * (RESTARTS + 1) + (peer)) * (PACKETS + 1) + (b)))
#define KEPT(bits) ((bits) & ((1 << REMEMBERED) - 1))

#define LIVE(p) (state[p] == ACCEPTED || state[p] == SENT)
#define OVER(p) (state[p] == SETTLED || state[p] == LOST)
#define EARLIER(p, o) ((o) < (p) && SOURCE(o) == SOURCE(p))
#define WINDOW_FULL(p, o) (EARLIER(p, o) && (state[o] == IDLE || LIVE(o) && next[SOURCE(p)] >= sequence[o] + WINDOW))
#define HELD_BACK(p, o) (EARLIER(p, o) && (state[o] == ACCEPTED && BUG != ANY_ORDER || \
    IS_ORDERED && LIVE(o) && (missing[o] & missing[p]) != 0))
#define OVERTAKEN(p, o, t) ((o) > (p) && SOURCE(o) == SOURCE(p) && life[o] == life[p] && HAS(delivered[o], t) && \
    !HAS(failed[p], t) && state[p] != LOST)
#if PACKETS == 2
#define SOME_EARLIER(relation, p) relation(p, 0)
#define ANY_OVERTAKEN(p, t) OVERTAKEN(p, 1, t)
#define ALL_OVER (OVER(0) && OVER(1))
#define NO_DATA (data[0] == 0 && data[1] == 0)
#else
#define SOME_EARLIER(relation, p) (relation(p, 0) || relation(p, 1))
#define ANY_OVERTAKEN(p, t) (OVERTAKEN(p, 1, t) || OVERTAKEN(p, 2, t))
#define ALL_OVER (OVER(0) && OVER(1) && OVER(2))
#define NO_DATA (data[0] == 0 && data[1] == 0 && data[2] == 0)
#endif
#define NOTHING(pair) (acknowledged[pair] == 0 && restarted[pair] == 0 && base[pair] == 0)
#define QUIET (NO_DATA && NOTHING(1) && NOTHING(2) && NOTHING(3) && NOTHING(5) && NOTHING(6) && NOTHING(7))

/* ---- a source and its window ---- */

inline forget_slot(p)
{
    missing[p] = 0;
    tries[p] = 0;
    j = 0;
    do
    :: j < SITES -> told[p * SITES + j] = 0; j++
    :: else -> break
    od;
    j = 0
}

inline strike(p, t)
{
    missing[p] = (BUG == FIRST_SETTLES -> 0 : missing[p] & ~(1 << t));
    if
    :: missing[p] == 0 ->
        assert(((delivered[p] | failed[p]) & TARGETS(p)) == TARGETS(p));
        state[p] = SETTLED;
        forget_slot(p)
    :: else
    fi
}

inline accept(p)
{
    sequence[p] = next[SOURCE(p)];
    life[p] = epoch[SOURCE(p)];
    next[SOURCE(p)] = next[SOURCE(p)] + 1;
    missing[p] = TARGETS(p);
    state[p] = ACCEPTED
}

inline transmit(p)
{
    printf("%d sends packet %d: epoch %d, sequence %d, targets %d\n", SOURCE(p), p, life[p], sequence[p], missing[p]);
    assert((missing[p] & failed[p]) == 0);
    data[p] = data[p] | missing[p];
    if
    :: state[p] == ACCEPTED ->
        state[p] = SENT;
        j = 0;
        do
        :: j < SITES -> told[p * SITES + j] = (HAS(missing[p], j) -> peer_epoch[PAIR(SOURCE(p), j)] : 0); j++
        :: else -> break
        od;
        j = 0
    :: else
    fi
}

inline give_up_missing(p)
{
    printf("%d gives packet %d up: targets %d\n", SOURCE(p), p, missing[p]);
    failed[p] = failed[p] | missing[p];
    if
    :: BUG == SENT_AFTER_FAILURE -> tries[p] = 0
    :: else ->
        state[p] = SETTLED;
        forget_slot(p)
    fi
}

proctype packet(byte p)
{
end:
    do
    :: d_step { state[p] == IDLE && !SOME_EARLIER(WINDOW_FULL, p) -> accept(p) }
    :: d_step { state[p] == ACCEPTED && !SOME_EARLIER(HELD_BACK, p) -> transmit(p) }
#ifdef BOUNDED
    :: d_step { state[p] == SENT && QUIET -> transmit(p) }
#else
    :: d_step { state[p] == SENT && tries[p] < TRIES -> tries[p]++; transmit(p) }
    :: d_step { state[p] == SENT && tries[p] == TRIES -> give_up_missing(p) }
#endif
    od
}

/* `t` has lost its memory: what was sent to it is given up there. Never what was sent knowing of this life of t. */
inline give_up_sent(s, t, e)
{
    i = 0;
    do
    :: i < PACKETS ->
        if
        :: SOURCE(i) == s && state[i] == SENT && HAS(missing[i], t) ->
            printf("%d gives packet %d up at %d, which has restarted\n", s, i, t);
            assert(told[i * SITES + t] != e);
            failed[i] = failed[i] | (1 << t);
            strike(i, t)
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

/* The lowest number that may still be sent to t. */
#define COUNTS_FOR_BASE(s, t, p) (SOURCE(p) == s && sequence[p] < low && (BUG == BASE_TOO_LOW \
    -> life[p] == epoch[s] && state[p] != IDLE : BUG != BASE_TOO_HIGH && LIVE(p) && HAS(missing[p], t)))

inline send_base(s, t)
{
    low = next[s];
    i = 0;
    do
    :: i < PACKETS ->
        if
        :: COUNTS_FOR_BASE(s, t, i) -> low = sequence[i]
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = (peer_epoch[PAIR(s, t)] == UNSEEN -> 0 : peer_epoch[PAIR(s, t)]);
    printf("%d sends base %d to %d: own epoch %d, the other's %d\n", s, low, t, epoch[s], i);
    base[PAIR(s, t)] = base[PAIR(s, t)] | BASE(epoch[s], i, low);
    i = 0;
    low = 0
}

inline receive_acknowledgement(s, t, e, q)
{
    i = 0;
    do
    :: i < PACKETS ->
        if
        :: SOURCE(i) == s && state[i] == SENT && sequence[i] == q && HAS(missing[i], t) &&
           (e == epoch[s] || BUG == ACKNOWLEDGED_EPOCH_IGNORED) ->
            printf("%d: packet %d is acknowledged by %d\n", s, i, t);
            assert(HAS(delivered[i], t));
            strike(i, t)
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

/* ---- epochs ---- */

#define IS_NEWS(here, there, e) (peer_epoch[PAIR(here, there)] == UNSEEN || e > peer_epoch[PAIR(here, there)])
#define IS_OLD(here, there, e) (peer_epoch[PAIR(here, there)] != UNSEEN && e < peer_epoch[PAIR(here, there)])

/* learn_epoch: `there` is in life e now, and that is news, wherever it was read. What was sent to it may have been
 * delivered before it restarted, unless it never did. */
inline learn(here, there, e, gives_up)
{
    if
    :: gives_up && (peer_epoch[PAIR(here, there)] != UNSEEN || e > 0) -> give_up_sent(here, there, e)
    :: else
    fi;
    if
    :: BUG == NEWS_KEEP_DUE && above[PAIR(here, there)] > 0 ->
        acknowledged[PAIR(here, there)] = acknowledged[PAIR(here, there)] | ACKNOWLEDGED(e, above[PAIR(here, there)] - 1)
    :: else
    fi;
    peer_epoch[PAIR(here, there)] = e;
    if
    :: BUG != NEWS_KEEP_RECEIVED ->
        above[PAIR(here, there)] = 0;
        received[PAIR(here, there)] = (known[PAIR(here, there)] -> KEPT(255) : 0)
    :: else
    fi
}

inline send_restarted(here, there)
{
    if
    :: epoch[here] > 0 -> restarted[PAIR(here, there)] = restarted[PAIR(here, there)] | (1 << epoch[here])
    :: else
    fi
}

inline receive_restarted(s, t, e)
{
    printf("%d learns that %d has restarted: epoch %d\n", s, t, e);
    if
    :: IS_NEWS(s, t, e) || BUG == RESTARTED_ALWAYS_BELIEVED -> learn(s, t, e, BUG != RESTARTED_GIVES_NOTHING_UP)
    :: else
    fi;
    if
    :: IS_OLD(s, t, e)
    :: else -> send_base(s, t)
    fi
}

/* What counts as received may be acknowledged: it is in the bitmap of a later acknowledgement. */
inline take_base(t, s, b)
{
    printf("%d takes base %d of %d\n", t, b, s);
    known[PAIR(t, s)] = true;
    above[PAIR(t, s)] = b;
    received[PAIR(t, s)] = KEPT(255);
    low = 0;
    do
    :: low < b -> acknowledge(t, s, low); low++
    :: else -> break
    od;
    low = 0
}

inline receive_base(t, s, own, peer, b)
{
    printf("%d receives base %d from %d: its epoch %d, this one's %d\n", t, b, s, own, peer);
    if
    :: peer != epoch[t] && BUG != BASE_OF_FORMER_LIFE -> send_restarted(t, s)
    :: else ->
        if
        :: IS_NEWS(t, s, own) ->
            learn(t, s, own, BUG != FIRST_BASE_IS_NO_NEWS || peer_epoch[PAIR(t, s)] != UNSEEN)
        :: else
        fi;
        if
        :: !IS_OLD(t, s, own) && (!known[PAIR(t, s)] || b > above[PAIR(t, s)] || BUG == BASE_GOES_BACK) ->
            take_base(t, s, b)
        :: else
        fi
    fi
}

/* ---- a target ---- */

inline acknowledge(t, s, q)
{
    acknowledged[PAIR(t, s)] = acknowledged[PAIR(t, s)] | ACKNOWLEDGED(peer_epoch[PAIR(t, s)], q)
}

inline hand_over(p, t)
{
    printf("%d delivers packet %d\n", t, p);
    assert(!HAS(delivered[p], t));
    assert(!IS_ORDERED || !ANY_OVERTAKEN(p, t));
    delivered[p] = delivered[p] | (1 << t)
}

inline deliver(p, t)
{
    if
    :: BUG == ACKNOWLEDGED_BEFORE_DELIVERY -> held[p] = held[p] | (1 << t)
    :: else -> hand_over(p, t)
    fi;
    acknowledge(t, SOURCE(p), sequence[p])
}

/* peer_receive. What is further behind than is remembered is dropped, and not acknowledged. */
inline classify(p, t, peer)
{
    ahead = sequence[p] + 1 - above[peer];
    if
    :: ahead > 0 ->
        received[peer] = KEPT((received[peer] << ahead) | (1 << (ahead - 1)));
        above[peer] = sequence[p] + 1;
        deliver(p, t)
    :: ahead == 0 && BUG == DUPLICATE_DELIVERED -> deliver(p, t)
    :: ahead == 0 && BUG == DUPLICATE_NOT_ACKNOWLEDGED
    :: ahead == 0 && BUG != DUPLICATE_DELIVERED && BUG != DUPLICATE_NOT_ACKNOWLEDGED ->
        acknowledge(t, SOURCE(p), sequence[p])
    :: ahead < 0 && ahead >= -REMEMBERED - (BUG == ONE_TOO_FEW_REMEMBERED) ->
        if
        :: HAS(received[peer], -ahead - 1) -> acknowledge(t, SOURCE(p), sequence[p])
        :: else ->
            received[peer] = KEPT(received[peer] | (1 << (-ahead - 1)));
            deliver(p, t)
        fi
    :: ahead < -REMEMBERED - (BUG == ONE_TOO_FEW_REMEMBERED)
    fi;
    ahead = 0
}

inline receive_data(p, t)
{
    printf("%d receives packet %d\n", t, p);
    if
    :: !known[PAIR(t, SOURCE(p))] -> send_restarted(t, SOURCE(p))
    :: else ->
        if
        :: IS_NEWS(t, SOURCE(p), life[p]) && BUG != EPOCH_IGNORED ->
            learn(t, SOURCE(p), life[p], BUG != DATA_IS_NO_NEWS)
        :: else
        fi;
        if
        :: IS_OLD(t, SOURCE(p), life[p]) && BUG != EPOCH_IGNORED
        :: else -> classify(p, t, PAIR(t, SOURCE(p)))
        fi
    fi
}

/* ---- the network ---- */

#ifdef BOUNDED
#define ARRIVES(set, message, what) \
    :: atomic { ((set) & (message)) != 0 -> \
        if \
        :: d_step { set = set & ~(message); what } \
        :: d_step { copies > 0 -> copies--; what } \
        :: d_step { losses > 0 -> losses--; set = set & ~(message) } \
        fi }
#else
#define ARRIVES(set, message, what) :: d_step { ((set) & (message)) != 0 -> what }
#endif

#define DATA(p) ARRIVES(data[p], (SOURCE(p) == from -> 1 << to : 0), receive_data(p, to))
#define ONE_ACKNOWLEDGED(e, q) \
    ARRIVES(acknowledged[PAIR(from, to)], ACKNOWLEDGED(e, q), receive_acknowledgement(to, from, e, q))
#define RESTARTED(e) ARRIVES(restarted[PAIR(from, to)], 1 << e, receive_restarted(to, from, e))
#define ONE_BASE(own, peer, b) \
    ARRIVES(base[PAIR(from, to)], BASE(own, peer, b), receive_base(to, from, own, peer, b))
#if PACKETS == 2
#define ALL_ACKNOWLEDGED(e) ONE_ACKNOWLEDGED(e, 0) ONE_ACKNOWLEDGED(e, 1)
#define BASES(own, peer) ONE_BASE(own, peer, 0) ONE_BASE(own, peer, 1) ONE_BASE(own, peer, 2)
#else
#define ALL_ACKNOWLEDGED(e) ONE_ACKNOWLEDGED(e, 0) ONE_ACKNOWLEDGED(e, 1) ONE_ACKNOWLEDGED(e, 2)
#define BASES(own, peer) ONE_BASE(own, peer, 0) ONE_BASE(own, peer, 1) ONE_BASE(own, peer, 2) ONE_BASE(own, peer, 3)
#endif

proctype way(byte from, to)
{
end:
    do
    DATA(0)
    DATA(1)
#if PACKETS == 3
    DATA(2)
#endif
    ALL_ACKNOWLEDGED(0)
    BASES(0, 0)
#if RESTARTS > 0
    ALL_ACKNOWLEDGED(1)
    RESTARTED(1)
    BASES(0, 1)
    BASES(1, 0)
    BASES(1, 1)
#endif
#if RESTARTS > 1
    ALL_ACKNOWLEDGED(2)
    RESTARTED(2)
    BASES(0, 2)
    BASES(1, 2)
    BASES(2, 0)
    BASES(2, 1)
    BASES(2, 2)
#endif
    :: d_step { HAS(held[0], to) && SOURCE(0) == from -> held[0] = held[0] & ~(1 << to); hand_over(0, to) }
    :: d_step { HAS(held[1], to) && SOURCE(1) == from -> held[1] = held[1] & ~(1 << to); hand_over(1, to) }
#if defined(LIVENESS) && !defined(BOUNDED)
    :: true -> true         /* fairness shall not make this network hand anything over */
#endif
#ifdef ASKS
    :: d_step { from == SOURCE0 || from == SOURCE1 -> send_base(from, to) }
#endif
    od
}

/* ---- restarts ---- */

inline restart(x)
{
    printf("%d restarts\n", x);
    restarts++;
    epoch[x] = epoch[x] + 1;
    next[x] = 0;
    i = 0;
    do
    :: i < SITES && MEET(x, i) ->
        peer_epoch[PAIR(x, i)] = (BUG == RESTARTED_KNOWS_ALL -> 0 : UNSEEN);
        known[PAIR(x, i)] = (BUG == RESTARTED_KNOWS_ALL);
        above[PAIR(x, i)] = 0;
        received[PAIR(x, i)] = 0;
        send_restarted(x, i);
        i++
    :: i < SITES && !MEET(x, i) -> i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < PACKETS ->
        held[i] = held[i] & ~(1 << x);
        if
        :: SOURCE(i) == x && LIVE(i) ->
            state[i] = LOST;
            forget_slot(i)
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

proctype power()
{
end:
    do
    :: d_step { restarts < RESTARTS && HAS(RESTARTING, 0) -> restart(0) }
    :: d_step { restarts < RESTARTS && HAS(RESTARTING, 1) -> restart(1) }
    :: d_step { restarts < RESTARTS && HAS(RESTARTING, 2) -> restart(2) }
    :: d_step { restarts < RESTARTS -> restarts = RESTARTS }
    od
}

#define WAYS(a, b) if :: MEET(a, b) -> run way(a, b); run way(b, a) :: else fi

init
{
    atomic {
        d_step {
            i = 0;
            do
            :: i < SITES * SITES -> known[i] = true; received[i] = KEPT(255); i++
            :: else -> break
            od;
            i = 0
        }
        run packet(0);
        run packet(1);
#if PACKETS == 3
        run packet(2);
#endif
        WAYS(0, 1);
        WAYS(0, 2);
        WAYS(1, 2);
        run power()
    }
    timeout -> assert(ALL_OVER)     /* nothing can happen any more: no deadlock, everything is settled */
}

#ifdef LIVENESS
ltl settles { <> ALL_OVER }
#endif
