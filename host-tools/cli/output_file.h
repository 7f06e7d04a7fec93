/* The file lies in sim/model; this name of it is for code that is under way.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_OUTPUT_FILE_H
#define POSTROAD_CLI_OUTPUT_FILE_H

#include "model/output_file.h"

#endif
