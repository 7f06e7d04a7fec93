/* See option_letters.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/option_letters.h"

bool option_letters(const char *letters, struct postman_options *options)
{
    for (; *letters; letters++)
        switch (*letters) {
        case 'v':
            options->vct = true;
            break;
        case 'r':
            options->adaptive_routing = true;
            break;
        case 's':
            options->adaptive_sourcing = true;
            break;
        case 'p':
            options->pass_first = true;
            break;
        case 't':
            options->torus = true;
            break;
        case 'a':
            options->arrivals_apart = true;
            break;
        case 'l':
            options->late_pass = true;
            break;
        case 'm':
            options->ample_buffers = true;
            break;
        case 'i':
            options->injection_buffers = true;
            break;
        case 'o':
            options->no_dead_flits = true;
            break;
        case 'k':
            options->shrinking = true;
            break;
        case '-':
        case '.':
            break;
        default:
            if (*letters < '2' || *letters > '9')
                return false;
            options->buffers = (unsigned)(*letters - '0');
        }
    return true;
}
