/* SPDX-License-Identifier: Apache-2.0 */
/* What host processes ask for. Commands of one process are taken up in order; processes take turns. */
#ifndef POLYCAST_NI_COMMANDS_H
#define POLYCAST_NI_COMMANDS_H

#include "hardware.h"

static inline uint32_t command_address(const struct ni_firmware* fw, uint32_t entry) {
    return NI_COMMAND_MEMORY_BASE + entry * fw->command_bytes;
}

/* Who needs a command's route: its send, and packets that wait for the link. They are counted in word 0, which has been
 * read. With the last one the entry is given back. */
static inline void command_hold(const struct ni_firmware* fw, uint32_t entry, uint32_t holds) {
    store(fw, command_address(fw, entry) + 4 * NI_COMMAND_OPERATION, holds);
}
static inline uint32_t command_holds(const struct ni_firmware* fw, uint32_t entry) {
    return load(fw, command_address(fw, entry) + 4 * NI_COMMAND_OPERATION);
}
void command_release(const struct ni_firmware* fw, uint32_t entry);

/* A doorbell rang: remembers the entry. */
void commands_note(struct ni_firmware* fw, uint32_t entry);

/* Takes up one command. Returns false if there is none that can be. */
bool commands_take(struct ni_firmware* fw);

/* One of the process's sends has ended: its commands may go on. */
void commands_go_on(struct ni_firmware* fw, uint32_t process);

#endif
