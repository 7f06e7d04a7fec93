/* Groups (firmware/multicast) for the model checker spin: a leader that sends, 0, and two members behind each other in its
 * tree, 0 -> 1 -> 2. tests/formal/test_groups_model.sh runs it.
 *
 * The network is the set of all packets that were ever sent: each may arrive in any order, any number of times, or never. So what
 * is shown holds whatever it loses, repeats or reorders:
 *   a member delivers each packet once in each membership; with ORDERED, each in its order;
 *   a packet that is settled was delivered by every member that belonged to the group when it was sent (G12).
 * No time: whoever may ask, asks; what is never asked is asked in another run.
 *
 * -D of a configuration:
 *   PACKETS   1 or 2 (2)
 *   JOINS     2 is no member at first, and joins in mid-stream, in view 2
 *   REJOINS   2 restarts at any moment, forgets all, and joins again, in view 2
 *   ORDERED   a member takes what comes next in the order alone (a held packet is one that comes again later)
 *   BUG=1     a member acknowledges without those behind it (G8)
 *   BUG=2     a number is taken again (G4)
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PACKETS
#define PACKETS 2
#endif
#define MASKS 4 /* sets of packets */
#ifndef BUG
#define BUG 0
#endif

#define BELOW(next)  ((1 << (next)) - 1)
#define NEXT(mask)   ((mask) & 1 -> ((mask) & 2 -> 2 : 1) : 0)
#define LEAST(a, b)  ((a) < (b) -> (a) : (b))
#define HAS(mask, p) ((mask) >> (p) & 1)

/* The network: by view (1, 2), and packet, lowest missing number or set of packets. */
bool data1[6], data2[6];      /* to 1 and 2, by the tree */
bool repair1[6], repair2[6];
bool ack1[9], ack2[9];        /* from 1 to 0, from 2 to 1: all before have come */
bool question1[9], question2[9];
bool answer1[12], answer2[12];
bool news1, news2;            /* view 2 */
#define P(view, packet) ((view) * PACKETS + (packet))
#define N(view, next)   ((view) * (PACKETS + 1) + (next))
#define M(view, mask)   ((view) * MASKS + (mask))

/* The leader. */
byte view = 1, sent, view_of[PACKETS], has1, has2, settled;
#ifdef JOINS
byte since2 = 3;
#else
byte since2 = 1;
#endif
#define IN2(v) (since2 <= (v))

/* The members. knows: the view; 0: no member. life: which membership of 2. delivered2: by membership. */
byte knows1 = 1, taken1, delivered1, below = 0;
#ifdef JOINS
byte knows2 = 0, life = 2;
bool known2 = false;
#else
byte knows2 = 1, life = 1;
bool known2 = true;
#endif
byte taken2, delivered2[4], p, next, mask;
bool forgot;

inline pick(limit) /* p: any number below */
{
    p = 0;
    do
    :: p + 1 < limit -> p++
    :: break
    od
}

/* Whether 1 believes that 2 belongs to the group, in the view that it knows. */
#ifdef JOINS
#define SEES2 (knows1 == 2)
#else
#define SEES2 true
#endif

inline send()
{
    view_of[sent] = view;
    data1[P(view, sent)] = true;
    sent++
}

inline take1(v, repaired)
{
    assert(!HAS(delivered1, p));
    taken1 = taken1 | 1 << p;
    delivered1 = delivered1 | 1 << p;
    if
    :: !repaired && v == knows1 && SEES2 -> data2[P(v, p)] = true
    :: else
    fi
}

inline take2()
{
    assert(!HAS(delivered2[life], p));
    taken2 = taken2 | 1 << p;
    delivered2[life] = delivered2[life] | 1 << p
}

#ifdef ORDERED
#define FITS(taken) (p == NEXT(taken))
#else
#define FITS(taken) true
#endif
#define NEW(taken)  ((BUG == 2 || !HAS(taken, p)) && FITS(taken))
#define KNOWN(v, k) ((v) <= (k))
#define LATE(v)     ((v) >= life)

inline settle()
{
    assert(HAS(delivered1, p));
    assert(!IN2(view_of[p]) || HAS(delivered2[since2], p));
    settled = settled | 1 << p
}

active proctype group()
{
    byte v;
end:
    do
    /* the leader */
    :: atomic { sent < PACKETS -> send() }
    :: atomic { pick(PACKETS); if
       :: p < sent && !HAS(settled, p) && HAS(has1, p) && (!IN2(view) || HAS(has2, p)) -> settle()
       :: else
       fi; p = 0 }
    :: atomic { question1[N(view, NEXT(has1))] = true }
    :: atomic { IN2(view) -> question2[N(view, NEXT(has2))] = true }
    :: atomic { pick(PACKETS + 1); next = p; p = 0; if
       :: ack1[N(view, next)] -> has1 = has1 | BELOW(next);
          if :: IN2(view) -> has2 = has2 | BELOW(next) :: else fi
       :: else
       fi; next = 0 }
    :: atomic { pick(MASKS); mask = p; p = 0; if
       :: answer1[M(view, mask)] ->
          has1 = has1 | mask;
          if :: sent > 0 && !HAS(mask, 0) -> repair1[P(view, 0)] = true :: else fi;
          if :: sent > 1 && !HAS(mask, 1) -> repair1[P(view, 1)] = true :: else fi
       :: IN2(view) && answer2[M(view, mask)] ->
          has2 = has2 | mask;
          if :: sent > 0 && !HAS(mask, 0) && view_of[0] >= since2 -> repair2[P(view, 0)] = true :: else fi;
          if :: sent > 1 && !HAS(mask, 1) && view_of[1] >= since2 -> repair2[P(view, 1)] = true :: else fi
       :: else
       fi; mask = 0 }
#ifdef JOINS
    :: atomic { view == 1 -> view = 2; since2 = 2; has2 = BELOW(sent); news1 = true; news2 = true }
#endif
#ifdef REJOINS
    :: atomic { !forgot -> forgot = true; knows2 = 0; known2 = false; taken2 = 0; life = 2 }
    :: atomic { forgot && view == 1 -> view = 2; since2 = 2; has2 = BELOW(sent); news1 = true; news2 = true }
#endif
    /* member 1 */
    :: atomic { news1 && knows1 == 1 -> knows1 = 2; below = 0 }
    :: atomic { v = 1; if :: v = 2 :: true fi; pick(PACKETS); if
       :: data1[P(v, p)] && KNOWN(v, knows1) && NEW(taken1) -> take1(v, false)
       :: repair1[P(v, p)] && KNOWN(v, knows1) && NEW(taken1) -> take1(v, true)
       :: else
       fi; p = 0; v = 0 }
    :: atomic { ack1[N(knows1, (SEES2 && BUG != 1 -> LEAST(NEXT(taken1), below) : NEXT(taken1)))] = true }
    :: atomic { v = 1; if :: v = 2 :: true fi; pick(PACKETS + 1); if
       :: ack2[N(v, p)] && v == knows1 && p > below -> below = p
       :: else
       fi; p = 0; v = 0 }
    :: atomic { pick(PACKETS + 1); if
       :: question1[N(knows1, p)] -> answer1[M(knows1, taken1)] = true
       :: else
       fi; p = 0 }
    /* member 2 */
    :: atomic { news2 && knows2 != 2 && life == 2 -> knows2 = 2; known2 = false; taken2 = 0 }
    :: atomic { v = 1; if :: v = 2 :: true fi; pick(PACKETS); if
       :: knows2 > 0 && known2 && (data2[P(v, p)] || repair2[P(v, p)]) && KNOWN(v, knows2) && LATE(v) && NEW(taken2) -> take2()
       :: else
       fi; p = 0; v = 0 }
    :: atomic { knows2 > 0 && known2 -> ack2[N(knows2, NEXT(taken2))] = true }
    :: atomic { pick(PACKETS + 1); if
       :: knows2 > 0 && question2[N(knows2, p)] ->
          if :: !known2 -> known2 = true; taken2 = BELOW(p) :: else fi;
          answer2[M(knows2, taken2)] = true
       :: else
       fi; p = 0 }
    od
}
