/* Acknowledgements merged on the tree of a packet that goes by relays (rules O10 and O11; firmware/operator: relays.c,
 * relay_acknowledge.c, send_window.c), for the model checker spin. tests/formal/test_relays_model.sh runs it.
 *
 *      0 ---> 1 ---> 2          0 is the source of one packet to the four others; 1 and 3 are relays.
 *             '----> 3 ---> 4
 *
 * The network: what was sent once may arrive at any time, any number of times, or never. At any time a relay may be without a
 * buffer, without room to wait, or give up, and the source may time out: it then sends unicasts to what is missing.
 *
 * Shown: what the source takes for acknowledged has been delivered. That it is delivered once, and that all settles, is shown of
 * what relays leave to the source by reliable.pml.
 *
 * -D of a configuration: BUG, one of those below: each must be found.
 *
 * SPDX-License-Identifier: ISC
 */
#define TOO_EARLY 1        /* a relay acknowledges for its subtree once a child has */
#define GIVES_UP_FOR_ALL 2 /* one that gives up acknowledges for its subtree */
#define NO_ROOM_FOR_ALL 3  /* one that has no room to wait does */
#define LATE_FOR_ALL 4     /* one that gets an acknowledgement that it does not await does */
#ifndef BUG
#define BUG 0
#endif
#define SITES 5
#define BIT(site) (1 << (site))

byte children[SITES], subtree[SITES]; /* sets */
bool got[SITES];                      /* delivered */
bool packet[SITES];                   /* under way to a site: by relays, */
bool parented[SITES];                 /* and its parent word is the site before it; else the source is its parent */
bool unicast[SITES];                  /* and of the second try */
byte missing[SITES];                  /* of a relay: what it waits for, itself too */
bool to_parent[SITES];                /* under way: acknowledgement for a subtree to the relay before, */
bool to_source[SITES];                /* to the source, */
bool alone[SITES];                    /* and for a site alone, to the source */
bool by_relays = true;                /* the slot of the source has the tree */
byte settled = 0;

inline settle(set)
{
    settled = settled | (set);
    for (s : 1 .. SITES - 1) {
        assert(!(settled & BIT(s)) || got[s])
    }
    s = 0
}

/* For the subtree, to whoever waits for it. */
inline acknowledge(me)
{
    if
    :: parented[me] -> to_parent[me] = true
    :: else -> to_source[me] = true
    fi
}

inline complete(me)
{
    if
    :: missing[me] == 0 || BUG == TOO_EARLY -> missing[me] = 0; acknowledge(me)
    :: else
    fi
}

inline send_on(me, waits)
{
    for (s : 1 .. SITES - 1) {
        if
        :: children[me] & BIT(s) -> packet[s] = true; parented[s] = waits
        :: else
        fi
    }
    s = 0
}

proctype site(byte me)
{
    byte s;
    bool first;
end:
    do
    /* The packet, by relays. It is sent on before it is delivered, a copy too. */
    :: atomic { packet[me] ->
        first = !got[me];
        got[me] = true;
        if
        :: children[me] == 0 && first -> acknowledge(me)
        :: children[me] != 0 && missing[me] == 0 -> /* room to wait */
            send_on(me, true);
            missing[me] = children[me] | BIT(me);
            if
            :: first -> missing[me] = missing[me] & ~BIT(me); complete(me)
            :: else -> alone[me] = true
            fi
        :: children[me] != 0 -> /* none: what is behind acknowledges to the source */
            send_on(me, false);
            if
            :: BUG == NO_ROOM_FOR_ALL -> acknowledge(me)
            :: else -> alone[me] = true
            fi
        :: true -> alone[me] = true /* a copy; or no buffer to send it on */
        fi;
        first = false }
    :: atomic { unicast[me] -> got[me] = true; alone[me] = true }
    /* An acknowledgement of a child, which is awaited or not. */
    :: atomic { children[me] != 0 ->
        for (s : 1 .. SITES - 1) {
            if
            :: (children[me] & BIT(s)) && to_parent[s] ->
                if
                :: missing[me] & BIT(s) -> missing[me] = missing[me] & ~BIT(s); complete(me)
                :: !(missing[me] & BIT(s)) && BUG == LATE_FOR_ALL -> acknowledge(me)
                :: else -> to_source[s] = true
                fi
            :: else
            fi
        }
        s = 0 }
    /* It gives up. */
    :: atomic { missing[me] != 0 ->
        if
        :: BUG == GIVES_UP_FOR_ALL -> acknowledge(me)
        :: else ->
            for (s : 1 .. SITES - 1) {
                if
                :: (children[me] & BIT(s)) && !(missing[me] & BIT(s)) -> to_source[s] = true
                :: else
                fi
            }
            alone[me] = alone[me] || !(missing[me] & BIT(me))
        fi;
        s = 0;
        missing[me] = 0 }
    od
}

proctype source()
{
    byte s, from;
end:
    do
    :: atomic { select(from : 1 .. SITES - 1);
        if
        :: to_source[from] && by_relays -> settle(subtree[from])
        :: to_source[from] && !by_relays -> settle(BIT(from))
        :: alone[from] -> settle(BIT(from))
        :: else
        fi;
        from = 0 }
    :: atomic { by_relays -> /* time-out */
        by_relays = false;
        for (s : 1 .. SITES - 1) {
            unicast[s] = !(settled & BIT(s))
        }
        s = 0 }
    od
}

init {
    atomic {
        children[1] = BIT(2) | BIT(3);
        children[3] = BIT(4);
        subtree[1] = BIT(1) | BIT(2) | BIT(3) | BIT(4);
        subtree[2] = BIT(2);
        subtree[3] = BIT(3) | BIT(4);
        subtree[4] = BIT(4);
        packet[1] = true;
        run source();
        run site(1);
        run site(2);
        run site(3);
        run site(4)
    }
}
