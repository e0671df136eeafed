/* SPDX-License-Identifier: Apache-2.0 */
/* What host processes ask for. Commands of one process are taken up in order; processes take turns. */
#ifndef POLYCAST_NI_COMMANDS_H
#define POLYCAST_NI_COMMANDS_H

#include "state.h"

/* A doorbell rang: remembers the entry. */
void commands_note(struct ni_firmware* fw, uint32_t entry);

/* Takes up one command. Returns false if there is none that can be. */
bool commands_take(struct ni_firmware* fw);

/* Does more of a command that takes long. Returns false if there is none that can go on. */
bool commands_go_on_with(struct ni_firmware* fw);

/* One of the process's sends has ended: its commands may go on. */
void commands_go_on(struct ni_firmware* fw, uint32_t process);

#endif
