/* See exit_code.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/exit_code.h"

#include <stddef.h>

#include "experiment/experiment.h"
#include "libpostroad/client.h"
#include "wire/console_messages.h"

const struct exit_code_row exit_codes[EXIT_CODES] = {
    {EXIT_OK, "ok", "Everything succeeded."},
    {EXIT_USAGE, "usage or configuration",
     "The usage or the configuration is wrong: a bad option, an unknown site, a packet that is too long, or an image "
     "that the sites cannot run."},
    {EXIT_TRANSPORT, "transport",
     "The transport failed: no mesh is up, the connection was lost, or the serial line is in use. For `sim`, a file "
     "could not be written."},
    {EXIT_MISMATCH, "lost, not verified, or firmware that did not start",
     "The result was not verified: sites disagree, or the mesh is not that of the .mesh file. For `send`, no target "
     "has the packet. For `up` and `load`, firmware has crashed, ended or hung at its start. For `sim`, packets were "
     "lost, duplicated or corrupted."},
    {EXIT_PARTIAL, "partial",
     "The result is partial: some sites or links are missing. For `send`, some targets have the packet and some were "
     "given up. For `load`, not every site could be loaded. For `sim`, nothing was lost, but some deliveries were "
     "reported as failed or were written off with their source, or some packets were never accepted."},
    {EXIT_TIMEOUT, "time-out",
     "The time ran out before an answer came. For `send`, the fate of some targets is unknown. For `load`, the image "
     "is in place, but some site has not started within 20 seconds. For `sim`, nothing moves any more."},
    {EXIT_LOCKED_UP, "storage locked up",
     "For `sim` with the raw service: all storage is committed, and the mesh is locked up."},
    {EXIT_INTERRUPTED, "interrupted", "A signal interrupted the program."},
};

int exit_code_of_client(int status)
{
    return status == PR_CLIENT_OK ? EXIT_OK : status == PR_CLIENT_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_TRANSPORT;
}

int exit_code_of_answer(int status)
{
    return status == PR_CONSOLE_OK ? EXIT_OK : status == PR_CONSOLE_NO_BUFFER ? EXIT_TRANSPORT : EXIT_USAGE;
}

int exit_code_of_experiment(int end)
{
    static const int codes[] = {
        [END_COMPLETE] = EXIT_OK,         [END_PARTIAL] = EXIT_PARTIAL, [END_WRONG] = EXIT_MISMATCH,
        [END_LOCKED_UP] = EXIT_LOCKED_UP, [END_HUNG] = EXIT_TIMEOUT,    [END_INTERRUPTED] = EXIT_INTERRUPTED,
        [END_FAILED] = EXIT_USAGE};
    return codes[end];
}

int exit_code_worst(int one, int other)
{
    static const int order[] = {EXIT_OK,      EXIT_PARTIAL,  EXIT_LOCKED_UP, EXIT_TRANSPORT,
                                EXIT_TIMEOUT, EXIT_MISMATCH, EXIT_USAGE,     EXIT_INTERRUPTED};
    int worst = EXIT_OK;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == one || order[i] == other)
            worst = order[i];
    return worst;
}
