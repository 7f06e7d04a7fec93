/* Packets of operators, into the transit buffer (R12) or into the buffer that each machine has for them alone
 * (injection_buffers). A part of machine.h.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_INJECTION_H
#define POSTROAD_POSTMAN_INJECTION_H

#include "postman/machine.h"

/* The packet is in the buffer, its address flits first. A transit buffer has to be free. */
void injection_store(struct chunk *chunk, unsigned number, const struct postman_options *options, unsigned row,
                     unsigned column, const struct postman_load *load);

/* As far as it is known from the flops of this clock. `writes`: the operator writes a flit. It writes to one machine of
 * a node at a time. */
void injection_reserve(struct machine *machine, const struct postman_options *options, lanes line, lanes other_writing,
                       lanes *writes);

/* The flits that operators write in this clock. With the last one the packet is in the buffer. `buffering`: the machine
 * writes a transit buffer itself. */
void injection_write(struct chunk *chunk, unsigned number, const struct postman_options *options, lanes writes,
                     lanes buffering);

#endif
