/* SPDX-License-Identifier: Apache-2.0 */
/* What a host process and the firmware of its network interface say to each other: commands through the doorbell,
 * entries of the completion queue. Words of 32 bits, little endian. Used by firmware (C11) and by host programs (C11,
 * C++). */
#ifndef POLYCAST_NI_HOST_H
#define POLYCAST_NI_HOST_H

#include <stdint.h>

/* Operation of a command: bits 7..0 of its word 0. */
enum ni_command {
    NI_COMMAND_SEND = 1,       /* message to one host */
    NI_COMMAND_SEND_WORM = 2,  /* message as worms, which switches copy, one for each packet; the route follows */
    NI_COMMAND_SEND_GROUP = 3, /* message to a multicast group, copied and forwarded by the interfaces */
    NI_COMMAND_RECEIVE = 4, /* a buffer for one incoming message of this process; buffers are used in the order given */
    NI_COMMAND_SET_GROUP = 5,    /* this host's part of a group: its children follow the words; replaces an older one */
    NI_COMMAND_EXTEND_GROUP = 6, /* more children, of the same kind, for the group set up last by this process */
    NI_COMMAND_CLEAR_GROUP = 7,
    NI_COMMAND_STATISTICS =
        8,                   /* writes the words of enum ni_statistic into a window, LENGTH bytes of them at most. They
                                count what all processes do: REFUSED to one that its manager does not let observe */
    NI_COMMAND_WITHDRAW = 9, /* the message with the ticket in GROUP is not sent to host TO with NI_SEND_RESERVE any
                                more by this process: interfaces that keep themselves for it need not */
    NI_COMMAND_SET_COUNTER = 10 /* counter GROUP of this process at this interface becomes LENGTH */
};

/* Words of every command; a command has NI_COMMAND_WORDS words, then children or a route. Unused words are zero.
 * Commands of one process are taken up in the order given. Each is answered by exactly one completion with its cookie:
 * SENT, GROUP_SET, STATISTICS, WITHDRAWN, COUNTER_SET, for NI_COMMAND_RECEIVE by RECEIVED, or by FAILED. LACKS comes
 * besides. A message has
 * at least one byte. A process may have 1,024 / processes receive buffers. SENT, GROUP_SET and STATISTICS give the
 * command's MESSAGE and GROUP back, too. */
enum ni_command_word {
    NI_COMMAND_OPERATION = 0, /* 7..0 ni_command, 15..8 window, 31..16 ni_group_flag (SET_GROUP, SEND_WORM: the kind),
                                 ni_send_flag (sends), ni_receive_flag (RECEIVE) */
    NI_COMMAND_COOKIE = 1,    /* given back in completions */
    NI_COMMAND_OFFSET = 2,    /* of the buffer in the window, bytes; SET_GROUP: words of each child that is a worm */
    NI_COMMAND_LENGTH = 3,    /* bytes, at least 1; groups: number of children in this command */
    NI_COMMAND_TO = 4,        /* 23..0 receiving host or unit (SEND) or root of the group, 31..24 receiving process (all
                                 sends) */
    NI_COMMAND_GROUP = 5, /* 15..0 group number, 31..16 hops: NIs that may forward, 0 in SEND; context of an operand */
    NI_COMMAND_MESSAGE = 6, /* number of the message at its process; SET_GROUP: parent for receipts */
    NI_COMMAND_TAG = 7,     /* SET_GROUP: children for receipts */
    NI_COMMAND_WORDS = 8,
    /* behind them, in SEND with NI_SEND_FOLLOW or NI_SEND_WINDOW and in RECEIVE with NI_RECEIVE_EXPECTED */
    NI_COMMAND_COUNTER = 8, /* 7..0 counter of this process; 0xffffffff in RECEIVE: none */
    NI_COMMAND_STEP = 9,  /* bytes, at least 1, that each count stands for; the last of a message may stand for fewer */
    NI_COMMAND_TELL = 10, /* RECEIVE: interfaces of this host at which the counter goes up, bit i for interface i */
    NI_COMMAND_WINDOW = 10, /* SEND: bytes of the message that may be under way, at least a packet's payload */
    NI_COMMAND_LONG_WORDS = 11
};

/* Flags of a send (bits 31..16 of word 0). */
enum ni_send_flag {
    NI_SEND_OPERAND = 1, /* SEND to a coding unit (from number HOSTS on): one packet, GROUP is the context, TAG the
                            index. Without it, SEND is to a host */
    NI_SEND_RESERVE = 2, /* SEND to a host, only while both interfaces have nothing else to send or to receive that
                            was sent so: FAILED with NI_STATUS_BUSY at once, or when the other has refused, else sent.
                            At most NI_RESERVE_BYTES. GROUP is the ticket, a time by TIME_LOW (modulo 2^32): of two
                            that compete the earlier wins, but no ticket counts as earlier than the end of the last
                            message that its process has sent so at this interface */
    NI_SEND_URGENT = 4,  /* with NI_SEND_RESERVE: interfaces that refuse it keep themselves for the oldest such
                            message until it is sent or withdrawn */
    NI_SEND_FOLLOW =
        8, /* SEND to a host, without NI_SEND_RESERVE: the first COUNTER x STEP bytes of the message may be sent, all
              when that is LENGTH or more; so the message follows another one, which is received to the same place */
    NI_SEND_WHOLE = 0x10, /* with NI_SEND_FOLLOW: nothing is sent before all may be */
    NI_SEND_WINDOW =
        0x100, /* SEND to another host, without NI_SEND_RESERVE: the receiving interface acknowledges each packet when
                  it has left its memory, and no more than WINDOW bytes are under way. FAILED with NI_STATUS_INCOMPLETE
                  where acknowledgements stay away; SENT does not wait for the last ones */
    NI_SEND_SECOND = 0x200,   /* SEND: in the second queue of this process. Messages of a queue are sent one after the
                                 other in the order of their commands, also where the first has to wait; the queues of all
                                 processes take turns packet by packet */
    NI_SEND_RELIABLE = 0x400, /* SEND to another host, SEND_GROUP, SEND_WORM: see "Reliable messages" below */
    NI_SEND_PATIENCE_SHIFT = 11, /* reliable sends: the first time-out is RELIABLE_TIMEOUT << these five bits */
    NI_SEND_PATIENCE_MASK = 0xf800,
    NI_SEND_CLASS_SHIFT = 5, /* class of virtual channels of its packets in three bits, no matter to switches */
    NI_SEND_CLASS_MASK = 0xe0
};

/* The longest message with NI_SEND_RESERVE: so long nobody else may have to wait for a rail. */
enum { NI_RESERVE_BYTES = 1 << 24 };

/* Reliable messages (NI_SEND_RELIABLE; not with OPERAND, RESERVE or WINDOW). SENT means: every receiver has the whole
 * message in its host memory; until then the command keeps its window, which repairs are fetched from, and counts as
 * one of the sends of its process. Whatever the network loses or repeats, a message is received exactly once, but
 * messages may overtake each other. It FAILED with
 *   NI_STATUS_DECLINED     a receiver does not take it: SOURCE says who, bits 31..16 of word 0 why (ni_status)
 *   NI_STATUS_UNREACHABLE  some have not acknowledged it although they were asked RELIABLE_ATTEMPTS times. Before it
 *                          comes an entry NI_COMPLETION_LACKS for each of them: as many as the group has members at
 *                          most, for which the completion queue needs room. SOURCE of the FAILED is the first of them
 *   NI_STATUS_TABLE_FULL   the process has as many flows as it may
 * A flow is all that one process sends reliably to one process of one host, or to one group. A process may send to
 * NI_FLOWS / processes flows and receive of as many, for good: entries are kept until the interface is reset, because a
 * receiver that forgets what it has would take it again. MESSAGE is given back to the sender; receivers get the number
 * of the message in its flow, from 0 in the order of the commands. A receiver without a buffer declines at once. */
enum { NI_FLOWS = 128 };

/* Flags of a receive buffer (RECEIVE, bits 31..16 of word 0). */
enum ni_receive_flag {
    NI_RECEIVE_EXPECTED = 1 /* for one message only: number MESSAGE of TO (23..0 source host, 31..24 source process),
                               which lands there wherever other buffers are in their order. Has to be given before the
                               message comes (else BAD_COMMAND). Each STEP bytes of it that are in host memory without a
                               gap in front of them, and its end, count one at COUNTER */
};

/* A process has 256 / processes counters (rounded down) at each interface, zero at first. Its RECEIVEs at one interface
 * may count at others, where counters with the same numbers belong to the process with the same number. */

/* Flags of a group (SET_GROUP, bits 31..16 of word 0). */
enum ni_group_flag {
    NI_GROUP_FCFS = 1,       /* first child first served: the whole message to one child, then to the next; else FPFS */
    NI_GROUP_DELIVER = 2,    /* this host is a member: messages go to the process that sets the group up, which has to
                                be in bits 15..8 of the flags (else NO_PROCESS) */
    NI_GROUP_ONCE = 4,       /* cleared by itself after one whole message has been forwarded */
    NI_GROUP_KIND_SHIFT = 3, /* ni_route in two bits */
    NI_GROUP_KIND_MASK = 0x18,
    NI_GROUP_RECEIPTS = 0x20, /* reliable messages may be sent to the group; not with NI_GROUP_ONCE. See below */
    NI_GROUP_PROCESS_SHIFT = 8
};

/* Receipts of a group go up a tree of its own, from the members to the root of the group; it may be the tree of the
 * data. SET_GROUP with NI_GROUP_RECEIPTS says where this host is in it: MESSAGE is its parent (0xffffff at the root,
 * which is no member), bits 15..0 of TAG the number of those below it, at most NI_GROUP_RECEIPT_CHILDREN (else
 * TABLE_FULL), whose hosts follow behind the children; at the root bits 31..16 are the number of all members. Each of
 * them delivers (NI_GROUP_DELIVER). A group must not be replaced while reliable messages to it are under way. Packets
 * of these are forwarded packet by packet, also where the group says NI_GROUP_FCFS, and as what they have come as. */
enum { NI_GROUP_RECEIPT_CHILDREN = 26 };

/* How packets travel: what a child of a group is, and what follows the words of SEND_WORM. The kinds of hw/format. A
 * route is what such a packet's header has behind the common part, byte 0 in the lowest bits of the first word; the
 * last word is filled up with zeros. */
enum ni_route {
    NI_ROUTE_HOST = 0, /* groups only: 23..0 host, 31..24 lane (0: there is one) */
    NI_ROUTE_TREE = 1, /* bit string of the receivers, bit h for host h, at least one and none that does not exist */
    NI_ROUTE_SSR = 2,  /* one stop: STOP_BYTES bytes, 15..0 switch, then its ports */
    NI_ROUTE_PATH = 3  /* 7..0 stops in the list, 1..STOPS, 15..8 zero, then the stops */
};

/* A group belongs to processes with one number, that of the process at its root which sends to it. Each of them sets
 * its part up at its own host; packets of the process with this number, and no others, are delivered and forwarded by
 * it. So no process is in the way of another one, or sees its messages, whatever groups it sets up. A group has at most
 * 4,095 children, all of one kind. Worms take as many words each as OFFSET of SET_GROUP says, 1..NI_GROUP_ROUTE_WORDS
 * (else TABLE_FULL: no entry of the group table holds more). What is forwarded to worms has to have come as their kind,
 * because the check word covers it; a member without children takes packets of all kinds. The first entry of a group
 * has room for NI_GROUP_FIRST_WORDS, the others for NI_GROUP_ROUTE_WORDS; no worm lies in two. */
enum { NI_GROUP_FIRST_WORDS = 18, NI_GROUP_ROUTE_WORDS = 26 };

/* Words of a completion entry. */
enum ni_completion_word {
    NI_COMPLETION_KIND = 0,    /* 7..0 ni_completion, 15..8 ni_status, 31..16 source process */
    NI_COMPLETION_COOKIE = 1,  /* of the command; of the receive buffer for NI_COMPLETION_RECEIVED */
    NI_COMPLETION_SOURCE = 2,  /* 23..0 source host; 0xffffff: none */
    NI_COMPLETION_MESSAGE = 3, /* number of the message at its source process */
    NI_COMPLETION_LENGTH = 4,  /* bytes of the message */
    NI_COMPLETION_TAG = 5,
    NI_COMPLETION_GROUP = 6,  /* 15..0 group, 0xffff: none */
    NI_COMPLETION_NUMBER = 7, /* written by the hardware: number of the entry since the queue was set up, from 1 */
    NI_COMPLETION_WORDS = 8
};

enum ni_completion {
    NI_COMPLETION_SENT = 1,       /* all of the message has left host memory: the buffer may be used again */
    NI_COMPLETION_RECEIVED = 2,   /* a whole message is in its buffer */
    NI_COMPLETION_GROUP_SET = 3,  /* SET_GROUP, EXTEND_GROUP, CLEAR_GROUP are done, or failed */
    NI_COMPLETION_STATISTICS = 4, /* the words are there */
    NI_COMPLETION_ERROR = 5,      /* a packet or message had to be dropped; cookie 0 */
    NI_COMPLETION_FAILED = 6,     /* the command or receive buffer with this cookie has ended without success; with
                                     NI_STATUS_BUSY, GROUP is 1 where an interface keeps itself for the message, else 0 */
    NI_COMPLETION_WITHDRAWN = 7,  /* WITHDRAW is done. Where no packet memory is left, it FAILED with TABLE_FULL */
    NI_COMPLETION_COUNTER_SET = 8,
    NI_COMPLETION_LACKS = 9 /* host SOURCE has not acknowledged the reliable message of the command with this cookie,
                               which FAILED comes behind; nor is anything known of those below it in the tree of
                               receipts, if it has said nothing */
};

/* Of ERROR a process gets at most NI_ERROR_REPORTS between two of its commands, so that they cannot fill its queue; the
 * rest is only counted. Source and message of a malformed packet are as it gave them. Errors that belong to no process
 * go to process 0. The completion RECEIVED follows the last transfer at once: where that transfer is refused (the
 * manager has taken the window away), RECEIVED has come all the same, and an ERROR with NI_STATUS_REFUSED comes after
 * it. */
enum { NI_ERROR_REPORTS = 8 };

/* Why. Everything but NI_STATUS_OK is counted, too (struct ni_statistics). */
enum ni_status {
    NI_STATUS_OK = 0,
    NI_STATUS_MALFORMED = 1,        /* packet: incomplete, cut, unknown kind, fields that contradict each other, another
                                       kind than its group has */
    NI_STATUS_CHECK = 2,            /* packet: wrong check word */
    NI_STATUS_NOT_MINE = 3,         /* packet: for another host */
    NI_STATUS_NO_PROCESS = 4,       /* packet or command: no such process */
    NI_STATUS_UNKNOWN_GROUP = 5,    /* packet or command */
    NI_STATUS_NO_BUFFER = 6,        /* message: the process has given no receive buffer */
    NI_STATUS_BUFFER_TOO_SMALL = 7, /* message: longer than the buffer whose turn it is; the buffer stays */
    NI_STATUS_TABLE_FULL = 8,       /* messages under way, groups, buffers or work: no room; dropped. A child of a group
                                       that no entry holds */
    NI_STATUS_REFUSED = 9,          /* the host transfer was refused: window; STATISTICS: the process may not */
    NI_STATUS_LOOP = 10, /* packet: no hops left, or back at its source, but children to send to; children: this host,
                            twice the same */
    NI_STATUS_DUPLICATE = 11,   /* packet: this part of the message is there already */
    NI_STATUS_BAD_COMMAND = 12, /* command: unknown, or its words are out of range */
    NI_STATUS_INCOMPLETE = 13,  /* message: the rest of it did not come for a long time, or its source has given it up,
                                   or its sender has begun more messages than its share; its buffer is free again.
                                   FAILED:  of an expected message; acknowledgements of one that is sent */
    NI_STATUS_BUSY = 14,        /* command with NI_SEND_RESERVE: an interface is */
    NI_STATUS_UNREACHABLE = 15, /* reliable message: a receiver has not acknowledged it */
    NI_STATUS_DECLINED = 16,    /* reliable message: a receiver does not take it */
    NI_STATUS_NOT_MEMBER = 17,  /* reliable packet to a group that this host has no entry for */
    NI_STATUS_HUNG = 18, /* not firmware's: the watchdog has restarted the interface, and the driver ends all that
                            was open */
    NI_STATUSES = 19
};

/* NI_COMMAND_STATISTICS writes these words, in this order. */
enum ni_statistic {
    NI_STATISTIC_PACKETS_RECEIVED = 0,
    NI_STATISTIC_PACKETS_SENT = 1,      /* own, copies counted */
    NI_STATISTIC_PACKETS_FORWARDED = 2, /* copies */
    NI_STATISTIC_MESSAGES_RECEIVED = 3,
    NI_STATISTIC_MESSAGES_SENT = 4,
    NI_STATISTIC_COMMANDS = 5,
    NI_STATISTIC_DROPPED = 6, /* packets */
    NI_STATISTIC_FLUSHED = 7, /* FCFS messages that went on as FPFS: no slot left, or the rest did not come */
    NI_STATISTIC_STATUS = 8,  /* from here NI_STATUSES words: how often each ni_status happened */
    NI_STATISTICS = NI_STATISTIC_STATUS + NI_STATUSES
};

#endif
