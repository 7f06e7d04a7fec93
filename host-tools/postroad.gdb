# Commands for a node's firmware in gdb; `postroad gdb` loads them. `help user-defined` lists them.
#
# SPDX-License-Identifier: ISC

define postroad-packet
    if $argc != 1
        printf "usage: postroad-packet ADDRESS\n"
    else
        set $postroad_packet = (struct pr_packet *) ($arg0)
        set $postroad_targets = $postroad_packet->counts >> 16
        set $postroad_words = $postroad_targets + ($postroad_packet->counts & 0xffff)
        printf "packet 0x%08x: %u target words, %u data words, kind 0x%x, stamps %u %u\n", $postroad_packet, \
            $postroad_targets, $postroad_packet->counts & 0xffff, $postroad_packet->kind_bits, \
            $postroad_packet->stamp_first, $postroad_packet->stamp_last
        set $postroad_first = $postroad_packet->first_target
        set $postroad_end = $postroad_packet->end_target
        if $postroad_end == 0
            set $postroad_end = $postroad_targets
        end
        set $postroad_word = 0
        printf "  targets:"
        while $postroad_word < $postroad_targets && $postroad_word < 256
            if $postroad_packet->info[$postroad_word / 32] >> ($postroad_word % 32) & 1
                printf " info:0x%x", $postroad_packet->words[$postroad_word]
            else
                printf " 0x%x", $postroad_packet->words[$postroad_word]
            end
            if $postroad_word < $postroad_first || $postroad_word >= $postroad_end
                printf "(left out)"
            end
            set $postroad_word = $postroad_word + 1
        end
        printf "\n  data:"
        while $postroad_word < $postroad_words && $postroad_word < 1024
            printf " 0x%x", $postroad_packet->words[$postroad_word]
            set $postroad_word = $postroad_word + 1
        end
        printf "\n"
        if $postroad_words >= $postroad_targets + 3
            printf "  if it is data: from site %u, sequence %u, handler %u\n", \
                $postroad_packet->words[$postroad_targets] & 0x7fff, $postroad_packet->words[$postroad_targets + 1], \
                $postroad_packet->words[$postroad_targets + 2] & 0xff
        end
    end
end
document postroad-packet
postroad-packet ADDRESS: one packet buffer (an expression without spaces), its target words (y above x, 7 bits each; those left out do
not go now), and its data words: source site, sequence number, handler, then the evaluator's.
end

define postroad-operator
    if $argc == 0
        # From a handler that is compiled apart, the frames of the image itself know where its node is.
        frame apply all -q -s set $postroad_operator = &node.op
    else
        set $postroad_operator = (struct pr_operator *) ($arg0)
    end
end
document postroad-operator
postroad-operator [ADDRESS]: the operator that the other commands show; without an argument &node.op.
end

define postroad-pool
    if $_isvoid($postroad_operator)
        postroad-operator
    end
    set $postroad_pool = &$postroad_operator->common.pool
    printf "site %u: pool of %u buffers: %u free, %u posted for receiving, %u small ones free; %u packets handed over to be sent\n", \
        $postroad_operator->common.here.identity->site, $postroad_pool->buffers, $postroad_pool->free, $postroad_pool->posted, \
        $postroad_pool->small, $postroad_operator->common.outgoing.count
end
document postroad-pool
postroad-pool: the buffers of the operator's pool, and how many of them do what.
end

define postroad-queues
    postroad-pool
    printf "queue, packets of others and small ones to be sent:\n"
    set $postroad_at = $postroad_pool->queue_head
    while $postroad_at != 0xffffffff
        postroad-packet $postroad_pool->memory+$postroad_at
        set $postroad_at = ((struct pr_packet *) ($postroad_pool->memory + $postroad_at))->next
    end
    set $postroad_window = &$postroad_operator->window
    printf "window, own packets %u to %u, not all acknowledged: %u to be sent, %u wait for acknowledgements\n", \
        $postroad_window->edge, $postroad_window->next, $postroad_window->queued, $postroad_window->waiting
    set $postroad_sequence = $postroad_window->edge
    while $postroad_sequence != $postroad_window->next
        set $postroad_slot = &$postroad_window->slots[$postroad_sequence % 32]
        printf "sequence %u: state %u (0 settled, 1 queued, 2 sending, 3 waiting), %u of %u targets missing, %u tries\n", \
            $postroad_sequence, $postroad_slot->state, $postroad_slot->missing, $postroad_slot->entries, $postroad_slot->tries
        if $postroad_slot->packet != 0
            postroad-packet $postroad_slot->packet
        end
        set $postroad_sequence = $postroad_sequence + 1
    end
end
document postroad-queues
postroad-queues: what the operator has to send: its queue, and the packets of its window.
end
