/* SPDX-License-Identifier: Apache-2.0 */
/* What has to be done for some sends besides their completion. */
#ifndef POLYCAST_NI_TIES_H
#define POLYCAST_NI_TIES_H

#include "state.h"

/* A send with ties has ended. Returns true if it is not reported now: others end it. */
bool tied(struct ni_firmware* fw, struct send* send);

#endif
