#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests of the reliable service can fail: each bug below, planted in a copy of one source, makes the test beside it fail.
# A line: rule, test, source, what sed does to the source.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bugs() {
    cat <<'BUGS'
acknowledge-early reliable_soak operator/receive.c s/    news = peer_/pr_window_delivered_here(op, header->sequence);&/
restart-unknown reliable operator/restart.c /PR_CONTROL_TYPE_RESTARTED);$/{n;s/return false/return true/}
acknowledge-again reliable operator/receive.c s/if (news != PR_PEER_STALE)/if (news == PR_PEER_NEW)/
acknowledge-pace reliable operator/receive.c s/op->identity->site \* ACKNOWLEDGE_PACE : 0/0 : 0/
acknowledge-old reliable operator/acknowledge.c s/if (stood <= AGE_MAX)/if (true)/
acknowledge-merge reliable operator/acknowledge.c s/        .bitmap = .*/        .bitmap = 0,/
acknowledge-span reliable operator/acknowledge.c s/    if (behind <= PR_ACKNOWLEDGEMENT_SPAN .*/    if (false)/
carry-refresh reliable operator/send_window.c s/    if (!due \&\& .*/    if (!due)/
carry-room reliable operator/send_window.c s/header.carries = due \&\& .*/header.carries = due;/
codec-bounds header wire/header.c s/words < PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS || //
codec-wide header wire/header.c s/any_wide(data, PR_HEADER_WORDS)/false/
codec-wide-carried header wire/header.c s/ || any_wide(data + PR_HEADER_WORDS, PR_ACKNOWLEDGEMENT_WORDS)//
codec-epoch header wire/header.c s/PR_ACKNOWLEDGEMENT_EPOCH_SHIFT \& PR_EPOCH_MASK/PR_ACKNOWLEDGEMENT_EPOCH_SHIFT \& 0xf/
duplicate-bitmap-shift reliable operator/duplicate_filter.c s/<< (ahead - 1)/<< ahead/
duplicate-bitmap-lost reliable operator/duplicate_filter.c s/peer->received |= 1u/peer->received = 1u/
duplicate-span reliable operator/duplicate_filter.c s/ahead < -PR_PEER_SPAN/ahead < 1 - PR_PEER_SPAN/
epoch-ignored reliable operator/receive.c s/if (!pr_control_admits(op, header))/if (false)/
epoch-of-acknowledgement reliable operator/send_window.c s/if (acknowledgement->epoch != (pr_own_epoch.*/if (false)/
epoch-of-base reliable operator/restart.c s/if (header->peer_epoch != pr_own_epoch(op))/if (false)/
restart-forgotten reliable operator/operator.c s/if (epoch != 0 \&\& site != .*/if (false)/
restart-not-given-up reliable operator/restart.c s/    pr_window_peer_restarted(op, site);//
restart-first-word reliable operator/restart.c s/return seen || epoch != 0;/return seen;/
forged-source reliable operator/receive.c s/return header->source == op->identity->site \&\&/return false \&\&/
forged-number reliable operator/send_window.c s/return slot != NULL \&\& slot->tries > 0;/return true;/
forged-acknowledgement reliable operator/send_window.c s/if (slot == NULL || slot->tries == 0) .*/if (slot == NULL)/
restart-asks-nobody reliable operator/operator.c s/        pr_window_expect_silence(op);/        ;/
restart-asks-some reliable operator/send_window.c s/if (op->small == 0)/if (false)/
restart-counts-answers reliable operator/send_window.c s/^            slot->tries = 0;$/            ;/
given-up-for-good reliable operator/send_window.c s/    op->peers\[site\].asked = 0;//
restart-answers-nobody reliable operator/restart.c s/if (pr_window_has_silent(op, site))/if (false)/
epoch-of-data reliable operator/restart.c s/return header->epoch == (peer->epoch .*/return true;/
epoch-cut header wire/header.c s/control\[PR_CONTROL_EPOCH\] = header->epoch;/& control[PR_CONTROL_EPOCH] \&= PR_EPOCH_MASK;/
base-too-low reliable operator/send_window.c s/^    return sequence;$/    return sequence - 1;/
base-backward reliable operator/restart.c s/(int32_t)(header->base - 1 - peer->highest) > 0/true/
sweep-left-out reliable operator/send_window.c s/^    sweep(op, sequence);//
window-off-by-one reliable_soak operator/send_window.c s/return op->window.size - (/return op->window.size + 1 - (/
window-order reliable operator/send_window.c s/if (earlier->sites\[k\] & slot->sites\[k\])/if (false)/
window-pending-set reliable operator/send_window.c s/    pr_set_remove(slot->sites, site);//
window-release-early reliable operator/send_window.c s/    if (slot->state != PR_SLOT_SENDING)/    if (true)/
window-slot-reused reliable_soak operator/send_window.c s/ \&\& slot->sequence == sequence//
busy-not-told reliable operator/receive.c s/if (!(peer->flags \& PR_PEER_FRESH))/if (false)/
busy-delivered reliable_soak operator/receive.c s/if (op->refusing \&\& /if (false \&\& /
busy-is-dead reliable operator/send_window.c s/            slot->tries = BUSY_TRIES;/            ;/
resend-all reliable operator/send_window.c s/    if (slot->entries != slot->missing)/    if (false)/
resend-info reliable operator/target_list.c s/first + k, k > 0)/first + k, false)/
resend-peeled reliable operator/send_window.c s/    packet->end_target = 0;//
resend-strict reliable operator/send_window.c s/(slot->tries \& 1) == several/false/
failure-not-reported reliable operator/send_window.c /    slot->failed++;/{n;d}
failure-never reliable_soak operator/send_window.c s/    if (slot->tries >= SUSPECT_TRIES)/    if (false)/
deadline-unsigned reliable operator/send_window.c s/pr_has_come(clock, \([a-z]*->deadline\))/clock >= \1/
wake-of-acknowledgements reliable operator/operator.c s/if (pr_acknowledge_next(op, \&due) \&\& /if (false \&\& /
storage-foreign reliable operator/receive.c s/pr_pool_unused(op) > 0/true/
storage-starved reliable operator/pool.c s/ \&\& op->due_count == 0//
storage-relief reliable operator/operator.c s/bool wanted = .*/bool wanted = false;/
storage-small-leak reliable operator/operator.c s/        pr_pool_release_small(op, packet);/        ;/
storage-hostile hostile operator/receive.c s/header->source < op->sites;/true;/
BUGS
}

. tests/firmware/planted.bash header reliable reliable_soak frames hostile
