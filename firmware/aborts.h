/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that their source gives up after some of their packets have left. A packet follows those on the same paths
 * to the same receivers, and says so: each of them frees what it holds for the message, instead of waiting until that
 * has been silent for long. Packets that it overtakes are dropped, if others have come before it. */
#ifndef POLYCAST_NI_ABORTS_H
#define POLYCAST_NI_ABORTS_H

#include "packet.h"
#include "state.h"

/* A control packet has come. Returns false if it is no ABORT; else its slot goes on to the children of its group, or is
 * released. */
bool abort_control(struct ni_firmware* fw, const struct packet* packet);

#endif
