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
bool train_expire(struct ni_firmware* fw, uint32_t index);

/* Sends more packets of flushed trains on. Returns false if there are none. */
bool train_go_on(struct ni_firmware* fw);

/* A packet of a flushed train, whose turn has come for its first copy, becomes one that goes to all children at once.
 */
void train_leave(struct ni_firmware* fw, struct train* train, uint32_t slot);

/* The train of a packet's message, plus one; 0: none. */
uint16_t train_of(const struct ni_firmware* fw, uint32_t list, const struct packet* packet);

/* A packet for all children, with its words (jobs.h), goes behind those of a train that is to be flushed. */
void train_end_with(struct ni_firmware* fw, uint16_t number, uint32_t slot);

#endif
