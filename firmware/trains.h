/* SPDX-License-Identifier: Apache-2.0 */
/* First child first served: a message whose packets wait in their slots until it has all gone to one child after the
 * other. */
#ifndef POLYCAST_NI_TRAINS_H
#define POLYCAST_NI_TRAINS_H

#include "groups.h"
#include "packet.h"

/* A train for a message of this host to `children` >= 2 children; 0: the table is full. All trains are numbers plus
 * one. */
uint16_t train_of_send(struct ni_firmware* fw, uint32_t list, uint32_t children, uint32_t hops, uint32_t total);

/* The train of an arrived packet that is to go to `children` >= 2 children; 0: the table is full, or the packet does
 * not belong to its message (it is there already, for instance). */
uint16_t train_of_packet(struct ni_firmware* fw, uint32_t list, uint32_t children, const struct packet* packet);

/* The first child has the packet in `slot`; `place` is that of the second. */
void train_append(struct ni_firmware* fw, struct train* train, uint32_t slot, uint32_t place);

/* One more child has the packet in `train->at`; the train is the first of the ready ones. */
void train_advance(struct ni_firmware* fw, struct train* train);

/* Its packets go to their other children at once, because they cannot wait for the rest of the message; the train ends.
 */
void train_flush(struct ni_firmware* fw, uint16_t train);

/* No slot is free: flushes the trains of messages that need more of them. */
void train_flush_own(struct ni_firmware* fw);

/* Flushes the train of entry `index`, if it is half-received and silent. */
void train_expire(struct ni_firmware* fw, uint32_t index);

#endif
