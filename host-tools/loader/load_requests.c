/* See load_requests.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_requests.h"

#include "cli/exit_code.h"
#include "cli/report.h"

static const double pause_part = 1.0 / 300; /* of the time-out, before a request is repeated */

static void take_answer(void *context, const struct pr_frame *answer)
{
    struct load_request *request = context;
    request->state = LOAD_REQUEST_ANSWERED;
    request->status = answer ? pr_message_status(answer) : -1;
}

static size_t count_bytes(const struct load_requests *requests)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < LOAD_REQUESTS_MAX; k++)
        bytes += requests->places[k].state == LOAD_REQUEST_FREE ? 0 : requests->places[k].bytes;
    return bytes;
}

static struct load_request *find(struct load_requests *requests, int state)
{
    for (unsigned k = 0; k < LOAD_REQUESTS_MAX; k++)
        if ((int)requests->places[k].state == state)
            return &requests->places[k];
    return NULL;
}

static int begin(struct load_requests *requests, struct load_request *request)
{
    int status = pr_client_request(requests->gateway->client, &request->frame, requests->timeout, take_answer, request);
    if (status != PR_CLIENT_OK)
        return gateway_failed(requests->gateway, status);
    request->state = LOAD_REQUEST_UNDER_WAY;
    return EXIT_OK;
}

static int poll_gateway(struct load_requests *requests, double seconds)
{
    int status = pr_client_poll(&requests->gateway->client, 1, seconds);
    return status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(requests->gateway, status);
}

/* A request has its answer: it is done, is to be repeated since the node's buffers are full, or has failed. */
static int end(struct load_requests *requests, struct load_request *request)
{
    bool full = request->status == PR_CONSOLE_NO_BUFFER || request->status == PR_CONSOLE_WINDOW_FULL;
    if (request->status == PR_CONSOLE_OK) {
        request->state = LOAD_REQUEST_FREE;
        return EXIT_OK;
    }
    if (full && pr_client_now() < request->deadline) {
        int status = poll_gateway(requests, requests->timeout * pause_part);
        return status == EXIT_OK ? begin(requests, request) : status;
    }
    report_error("load", "%s %s", requests->gateway->text,
                 request->status < 0 ? "does not answer any more" : pr_message_status_text(request->status));
    return request->status < 0 ? EXIT_TIMEOUT : exit_code_of_answer(request->status);
}

/* Waits until a place is free, and no more bytes are under way. */
static int await(struct load_requests *requests, size_t bytes)
{
    int status = EXIT_OK;
    while (status == EXIT_OK && (!find(requests, LOAD_REQUEST_FREE) || count_bytes(requests) > bytes)) {
        struct load_request *answered = find(requests, LOAD_REQUEST_ANSWERED);
        status = answered ? end(requests, answered) : poll_gateway(requests, -1);
    }
    return status;
}

int load_requests_put(struct load_requests *requests, const struct pr_message_send *packet)
{
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    struct pr_frame frame;
    pr_message_send(&frame, packet);
    size_t bytes = pr_frames_encode(&frame, wire, sizeof wire);
    int status = await(requests, bytes < LOAD_REQUESTS_BYTES ? LOAD_REQUESTS_BYTES - bytes : 0);
    if (status != EXIT_OK)
        return status;
    struct load_request *request = find(requests, LOAD_REQUEST_FREE);
    request->frame = frame;
    request->bytes = bytes;
    request->deadline = pr_client_now() + requests->timeout;
    return begin(requests, request);
}

int load_requests_finish(struct load_requests *requests)
{
    return await(requests, 0);
}
