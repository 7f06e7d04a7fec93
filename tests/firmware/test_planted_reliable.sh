#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests of the reliable service can fail: each bug below, planted in a copy of one source, makes the test beside it fail.
# A line: rule, test, source, what sed does to the source.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bugs() {
    cat <<'BUGS'
acknowledge-early reliable_soak firmware/operator/receive.c s/    news = pr_peer_/pr_window_delivered_here(op, header->sequence);&/
restart-unknown reliable firmware/operator/restart.c /PR_CONTROL_TYPE_RESTARTED, 0);$/{n;s/return false/return true/}
acknowledge-again reliable firmware/operator/receive.c s/if (news != PR_PEER_STALE)/if (news == PR_PEER_NEW)/
acknowledge-pace reliable firmware/operator/receive.c s/op->identity->site \* ACKNOWLEDGE_PACE : 0/0 : 0/
acknowledge-old reliable firmware/operator/acknowledge.c s/if (PR_UNLIKELY(stood > AGE_MAX .*/if (false)/
acknowledge-merge reliable firmware/operator/acknowledge.c s/        .bitmap = .*/        .bitmap = 0,/
acknowledge-span reliable firmware/operator/acknowledge.c s/    if (behind <= PR_ACKNOWLEDGEMENT_SPAN .*/    if (false)/
carry-refresh reliable firmware/operator/send_window.c s/    if (!due \&\& .*/    if (!due)/
carry-room reliable firmware/operator/send_window.c s/header.carries = due \&\& .*/header.carries = due;/
codec-bounds header firmware/wire/header.c s/words < PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS ||//
codec-wide header firmware/wire/header.c s/any_wide(data + SOURCE_WORDS, PR_HEADER_WORDS - SOURCE_WORDS)/false/
codec-bare header firmware/wire/header.h s/return (wide | /return (/
codec-bare-carries header firmware/wire/header.h s/ | (handler \& 1u << PR_HEADER_CARRIES_BIT))/)/
codec-wide-carried header firmware/wire/header.c s/any_wide(behind, PR_ACKNOWLEDGEMENT_WORDS)/false/
codec-epoch header firmware/wire/header.c s/PR_ACKNOWLEDGEMENT_EPOCH_SHIFT \& PR_EPOCH_MASK/PR_ACKNOWLEDGEMENT_EPOCH_SHIFT \& 0xf/
duplicate-bitmap-shift reliable firmware/operator/duplicate_filter.c s/<< (ahead - 1)/<< ahead/
duplicate-bitmap-lost reliable firmware/operator/duplicate_filter.c s/peer->received |= 1u/peer->received = 1u/
duplicate-span reliable firmware/operator/duplicate_filter.c s/ahead < -PR_PEER_SPAN/ahead < 1 - PR_PEER_SPAN/
epoch-ignored reliable firmware/operator/receive.c s/if (!pr_control_admits(op, header))/if (false)/
epoch-of-acknowledgement reliable firmware/operator/send_window.c s/if (acknowledgement->epoch != (pr_own_epoch.*/if (false)/
epoch-of-base reliable firmware/operator/restart.c s/if (header->peer_epoch != pr_own_epoch(op))/if (false)/
restart-forgotten reliable firmware/operator/operator.c s/if (epoch != 0 \&\& site != .*/if (false)/
restart-not-given-up reliable firmware/operator/restart.c s/    pr_window_peer_restarted(op, site);//
restart-first-word reliable firmware/operator/restart.c s/return seen || epoch != 0;/return seen;/
forged-source reliable firmware/operator/receive.c s/return header->source == op->identity->site \&\&/return false \&\&/
forged-number reliable firmware/operator/send_window.c s/return slot \&\& slot->tries > 0;/return true;/
forged-acknowledgement reliable firmware/operator/send_window.c s/if (!slot || slot->tries == 0) .*/if (!slot)/
restart-asks-nobody reliable firmware/operator/operator.c s/        pr_window_start_stale(op);/        ;/
restart-asks-some reliable firmware/operator/send_window.c s/if (op->pool.small == 0)/if (false)/
restart-counts-answers reliable firmware/operator/send_window.c s/^            slot->tries = slot->doublings = 0;$/            ;/
given-up-for-good reliable firmware/operator/send_window.c s/    op->peers\[site\].probes = 0;//
restart-answers-nobody reliable firmware/operator/restart.c s/if (pr_window_is_stale(op, site))/if (false)/
epoch-of-data reliable firmware/operator/restart.c s/return header->epoch == (peer->epoch .*/return true;/
epoch-cut header firmware/wire/header.c s/control\[PR_CONTROL_EPOCH\] = header->epoch;/& control[PR_CONTROL_EPOCH] \&= PR_EPOCH_MASK;/
base-too-low reliable firmware/operator/send_window.c s/^    return sequence;$/    return sequence - 1;/
base-backward reliable firmware/operator/restart.c s/(int32_t)(header->base - 1 - peer->highest) > 0/true/
sweep-left-out reliable firmware/operator/send_window.c s/^    age_peers(op, sequence);//
window-off-by-one reliable_soak firmware/operator/send_window.c s/return op->window.size - (/return op->window.size + 1 - (/
window-order reliable firmware/operator/send_window.c s/if (earlier->sites\[k\] & slot->sites\[k\])/if (false)/
window-pending-set reliable firmware/operator/send_window.c s/    pr_site_set_remove(slot->sites, site);//
window-release-early reliable firmware/operator/send_window.c s/    if (slot->state != PR_SLOT_SENDING)/    if (true)/
window-slot-reused reliable_soak firmware/operator/send_window.c s/ \&\& slot->sequence == sequence//
busy-not-told reliable firmware/operator/receive.c s/if (!(peer->flags \& PR_PEER_FRESH))/if (false)/
busy-delivered reliable_soak firmware/operator/receive.c s/if (op->refusing \&\& /if (false \&\& /
busy-is-dead reliable firmware/operator/send_window.c s/            slot->tries = BUSY_TRIES;/            ;/
busy-is-pressed reliable firmware/operator/send_window.c s/            slot->busy = true;//
resend-all reliable firmware/operator/send_window.c s/return slot->entries == slot->missing ||/return true ||/
resend-info reliable firmware/operator/target_list.c s/first + k, k > 0)/first + k, false)/
resend-mark reliable firmware/operator/groups.c s/(packet->words\[entry\] \& ~op->mark_bit) | mark/packet->words[entry] | mark/
resend-empty reliable firmware/operator/send_window.c s/pr_packet_leave_out(slot->packet, entry_is_missing, \&entries) > 0/(pr_packet_leave_out(slot->packet, entry_is_missing, \&entries), true)/
resend-whole reliable firmware/operator/send_window.c s/    slot->packet->first_target = 0;//
resend-group reliable firmware/operator/send_window.c s/    slot->begun = true;//
resend-begun reliable firmware/operator/send_window.c s/    slot->begun = false;//
resend-as-unicasts reliable firmware/operator/send_window.c s/slot->tries <= MULTICAST_TRIES ? /true ? /
failure-not-reported reliable firmware/operator/send_window.c /    slot->failed++;/{n;d}
failure-never reliable_soak firmware/operator/send_window.c s/    if (slot->tries >= SUSPECT_TRIES)/    if (false)/
deadline-unsigned reliable firmware/operator/send_window.c s/pr_has_come(clock, \([a-z]*->deadline\))/clock >= \1/
wake-of-acknowledgements reliable firmware/operator/operator.c s/if (pr_acknowledge_next(op, \&due) \&\& /if (false \&\& /
capability-diverts reliable firmware/operator/receive.c s/PR_UNLIKELY(!op->forwards)/false/
capability-relief reliable firmware/operator/operator.c s/ \&\& op->forwards)/)/
storage-foreign reliable firmware/operator/receive.c s/(PR_LIKELY(op->pool.free > 0) || op->pool.posted > 1)/true/
storage-foreign reliable firmware/operator/receive.c s/op->pool.posted > 1/op->pool.posted > 0/
storage-starved reliable firmware/operator/transmit.c s/ \&\& op->acknowledgements.count == 0//
storage-relief reliable firmware/operator/operator.c s/bool wanted = .*/bool wanted = false;/
storage-small-leak reliable firmware/operator/transmit.c s/        pr_pool_release_small(op, packet);/        ;/
storage-hostile reliable firmware/operator/receive.c s/pr_header_kind(data, words, op->header_kind_bit)/PR_HEADER_KIND_DATA/
BUGS
}

. tests/firmware/planted.bash header reliable reliable_soak frames hostile
