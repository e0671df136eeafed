/* SPDX-License-Identifier: Apache-2.0 */
/* The work for reliable messages, one operation at a time. */
#ifndef POLYCAST_NI_RELIABLE_H
#define POLYCAST_NI_RELIABLE_H

#include "state.h"

/* Does a part of it, for the sending side. Returns false if there is nothing to do now; `busy` says whether something
 * waits for room. */
bool reliable_work(struct ni_firmware* fw, unsigned roles);

/* A transfer has ended, or was refused, whose argument is of COOKIE_RELIABLE. */
void reliable_note(struct ni_firmware* fw, uint32_t cookie, bool refused);

#endif
