/* Notes about all that is wrong with a capture: with its channels, and where they contradict each other.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_CAPTURE_NOTES_H
#define POSTROAD_LATENCY_CAPTURE_NOTES_H

#include "latency/wire_traffic.h"

enum { NOTES_MAX = 128, NOTE_TEXT = 300 };

struct capture_notes {
    const struct wire_traffic *traffic;
    unsigned lines;     /* in the capture */
    unsigned mute;      /* of them: show no frames */
    unsigned misplaced; /* of them: show another line than the testbed says */
    bool contradictory; /* the channels are not of one recording: there are no figures */
    size_t count;
    char texts[NOTES_MAX][NOTE_TEXT];
};

void capture_note(struct capture_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is wrong with the channels; what contradicts that all were recorded by one analyser, without a break. */
void capture_notes_of_wires(struct capture_notes *notes);
void capture_notes_of_contradictions(struct capture_notes *notes);

#endif
