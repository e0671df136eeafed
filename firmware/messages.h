/* SPDX-License-Identifier: Apache-2.0 */
/* Receive buffers and the messages that arrive in them, in any order of their packets. */
#ifndef POLYCAST_NI_MESSAGES_H
#define POLYCAST_NI_MESSAGES_H

#include "packet.h"
#include "state.h"

struct buffer {
    uint32_t window;
    uint32_t offset;
    uint32_t length;
    uint32_t cookie;
};

/* The only message that a buffer is for, and what that counts. */
struct expected {
    uint32_t source; /* as in a message_key */
    uint32_t number;
    uint32_t step; /* 0: nothing is counted */
    uint32_t tell; /* interfaces that count, at least one where there is a step */
    uint8_t counter;
};

/* Gives a process a receive buffer. Returns false if it has as many as it may. */
bool message_post(struct ni_firmware* fw, uint32_t process, const struct buffer* buffer);

/* The same for one message, as long as the buffer. Returns NI_STATUS_TABLE_FULL if the process has as many as it may,
 * NI_STATUS_BAD_COMMAND if the message is expected already, or coming. */
enum ni_status message_expect(struct ni_firmware* fw, uint32_t process, const struct buffer* buffer,
                              const struct expected* expected);

/* Finds the message of a packet, or gives it the process's next buffer, and notes that the packet is there. Returns the
 * message, or NULL and why not in `status`. */
struct message* message_place(struct ni_firmware* fw, const struct packet* packet, uint32_t process,
                              enum ni_status* status);

/* Argument of the transfer of one of its packets, and what is to be done when that is refused. */
uint32_t message_cookie(const struct ni_firmware* fw, const struct message* message);
void message_refused(struct ni_firmware* fw, uint32_t cookie);

/* Packets that are in order have not been gone over, and going over some of them. */
bool message_behind(struct ni_firmware* fw, struct message* message);
void message_go_on(struct ni_firmware* fw, struct message* message);

/* All is there, and its completion is on its way: the entry is free when all is counted. */
void message_end(struct ni_firmware* fw, struct message* message);
void message_counted(struct ni_firmware* fw, struct message* message);

/* Reports the first message of `failed` and frees its entry. */
void message_report_failed(struct ni_firmware* fw);

/* The message of entry `index`, if it is half-received and silent, gives its buffer back to the process, or fails if
 * that was for it only. Returns true if it was. */
bool message_expire(struct ni_firmware* fw, uint32_t index);

/* The source has given the message of an ABORT up. As many bytes as the packet's offset have left, some of which may
 * still come: they are dropped. */
void message_abort(struct ni_firmware* fw, const struct packet* packet, uint32_t process);

/* A buffer whose message does not come is the process's first one again. */
void message_post_first(struct ni_firmware* fw, struct message* message);

/* What completions say about a message. */
struct completion message_facts(const struct message* message);

/* Its entry, plus one. */
static inline uint16_t message_number(const struct ni_firmware* fw, const struct message* message) {
    return (uint16_t)(message - fw->messages + 1);
}

/* Starts or goes on with the clock of what is half-received. */
void half_received(struct ni_firmware* fw);

#endif
