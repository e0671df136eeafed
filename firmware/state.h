/* SPDX-License-Identifier: Apache-2.0 */
/* All state of the firmware. Zero means "none" in every link: lists hold numbers plus one, so that zeroed memory is a
 * valid beginning and tables need no set-up loop. */
#ifndef POLYCAST_NI_STATE_H
#define POLYCAST_NI_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ni_firmware.h"
#include "ni_host.h"

enum {
    PROCESSES = 64,    /* as many as the interface can have */
    MESSAGES = 1024,   /* receive buffers, each with its message under way */
    BITMAPS = 256,     /* blocks that remember packets which came before their turn */
    BITMAP_WORDS = 8,  /* 256 packets in each */
    BITMAPS_EACH = 32, /* blocks of a message */
    SENDS = 128,       /* messages being sent */
    TRAINS = 128,      /* messages being copied first child first served */
    COMMANDS = 4096,   /* entries of the command memory that can be used */
    SHUNNED_SETS = 64, /* of messages whose beginning was dropped, by hash of source and process; a power of two */
    SHUNNED_EACH = 4,  /* a power of two */
    HALF_MOST = 32,    /* half-received messages of one sender at one process */
    BUCKET_MOST = 48,  /* messages of all senders with one hash value, or that are expected with it */
    RECLAIM_STEPS = 32,
    HALF_PART = 8,       /* a sender that has a larger part than one of these of a process's buffers gives way */
    REPORTS = 16,        /* completions waiting for the host transfer queue, on each side; a power of two */
    EVENT_RING = 128,    /* events that the interrupt handler has taken; a power of two */
    WINDOW = 4,          /* own packets between the start of their transfer and their last copy */
    TICK = 1 << 25,      /* cycles; what is half-received goes after two to three ticks without a packet */
    LARGE_GROUP = 64,    /* copies of a packet that are made in a row, before anything else; of more, in turn with it */
    MAX_CHILDREN = 4095, /* of a group: what SLOT_HOLD and the slot's counter take */
    COUNTERS = 256,      /* of the interface */
    SWEPT = MESSAGES + TRAINS + SENDS,
    FLOWS = NI_FLOWS,    /* of reliable messages, each way */
    FLOW_WINDOW = 32,    /* messages of a flow that may be under way; a power of two */
    SAYINGS = 64,        /* what is to be said about reliable messages of others */
    REPAIRS = 64,        /* members that lack something of own messages */
    REPAIR_WINDOW = 4,   /* packets of repairs that are being fetched */
    RAIL_LIFE = 1 << 20, /* cycles that an end of a rail stays with whoever does not use it */
    RAIL_OTHERS_BITS = 6,
    NO_HOST = 0xffffff, /* in completions */
    NO_GROUP = 0xffff
};

/* A queue of slots; the slots are linked by their word SLOT_NEXT. */
struct slot_queue {
    uint32_t head;
    uint32_t tail;
};

/* A queue of table entries, linked by a `next` in each. */
struct queue {
    uint16_t head;
    uint16_t tail;
};

struct report {
    uint32_t process;
    uint32_t words[NI_COMPLETION_NUMBER];
};

/* Completions in order. The two roles have one each, because what one of them has pushed takes effect only later. */
struct report_ring {
    uint32_t first; /* counts up; the entry is its remainder */
    uint32_t count;
    struct report entries[REPORTS];
};

/* Who a message is from and for. */
struct message_key {
    uint32_t source;  /* 23..0 host, 31..24 process there */
    uint32_t process; /* receiving */
    uint32_t number;
};

/* A receive buffer: given by its process, then taken by a message. */
struct message {
    uint16_t next; /* in the process's buffers, in the hash chain, among the failed, or among the free */
    uint16_t bitmaps;
    uint8_t process;
    uint8_t window;
    uint8_t generation; /* counts the uses of this entry, so that a late refusal finds out that it is late */
    uint8_t state;      /* enum message_state */
    uint8_t tick;       /* of the last packet */
    uint8_t counter;    /* of the interfaces that are told; of a reliable message its flow */
    bool expected;      /* the buffer is for this message only */
    bool owing;         /* among those with counts to make */
    uint16_t group;
    uint16_t next_owing;
    uint32_t offset; /* of the buffer in its window */
    uint32_t length;
    uint32_t cookie;
    struct message_key key;
    uint32_t total;
    uint32_t tag;
    uint32_t in_order; /* bytes from the start without a gap */
    uint32_t ahead;    /* bit b: the packet b places behind those is there, too, or maybe in a bitmap */
    uint32_t received; /* bytes in all */
    uint32_t step;     /* bytes that each count stands for; 0: nothing is counted */
    uint32_t tell;     /* interfaces that count */
    uint32_t counted;  /* bytes, which are in order; reliable: `in_order` plus one of the gap last reported */
};

enum message_state {
    MESSAGE_FREE = 0,
    MESSAGE_POSTED = 1,
    MESSAGE_UNDER_WAY = 2,
    MESSAGE_FAILED = 3,   /* a transfer was refused */
    MESSAGE_EXPECTED = 4, /* nothing of it is there yet */
    MESSAGE_EXPIRED = 5,  /* expected, but the rest did not come */
    MESSAGE_COUNTING = 6, /* it has ended, but has counts to make */
    MESSAGE_RELIABLE = 7, /* under way, in its flow */
    MESSAGE_LANDED = 8,   /* reliable, all in host memory */
    MESSAGE_BARRED = 9    /* reliable, a transfer was refused */
};

/* Packets that came long before their turn: bit b of block n is packet n * 256 + b. */
struct bitmap {
    uint16_t next;
    uint16_t set;   /* bits that are one */
    uint32_t block; /* n */
    uint32_t words[BITMAP_WORDS];
};

/* A message of which a packet was dropped: the rest is dropped as well, instead of taking a buffer for a part. */
struct shunned {
    struct message_key key;
    uint32_t left; /* bytes still to come; 0: free */
    uint32_t status;
};

enum tie { TIE_RAIL = 1, TIE_RELIABLE = 2 };

/* A message on its way out, or statistics on their way to the host. */
struct send {
    uint16_t next; /* in its queue, among the ended ones, or the free ones */
    uint16_t list; /* children */
    uint16_t train;
    uint8_t process;
    uint8_t window;
    uint8_t operation; /* enum ni_command */
    uint8_t status;
    uint8_t in_flight; /* packets being transferred, at most WINDOW */
    uint8_t queue;     /* of the process, 0 or 1 */
    uint8_t op;        /* of its packets: enum transport_op, OP_ACKNOWLEDGE */
    bool gated;        /* it follows a counter, or has a window */
    bool whole;        /* it waits until all of it may be sent */
    bool waiting;      /* for an acknowledgement, since `tick` */
    uint8_t tick;
    uint8_t counter;  /* that it follows */
    uint8_t ties;     /* enum tie: what has to be done when all of it is sent */
    bool kept;        /* refused, but an interface keeps itself for it */
    uint8_t kind;     /* of its packets: 3..0 enum packet_kind, 7..5 class of virtual channels */
    uint32_t command; /* entry of a worm's command, whose route is needed until the last packet is pushed */
    uint32_t cookie;
    uint32_t offset;
    uint32_t length;
    uint32_t fetched; /* bytes */
    uint32_t to;      /* as in the command */
    uint32_t group;   /* as in the command; the ticket of one that reserves both ends */
    uint32_t message;
    uint32_t tag;
    uint32_t step;      /* bytes that a count stands for; 0: it follows nothing */
    uint32_t allowed;   /* bytes that may be sent, as the counter last said */
    uint32_t limit;     /* bytes that may be under way; 0: there is no limit */
    uint32_t under_way; /* fetched and not acknowledged, where there is one */
};

/* Messages sent one after the other. */
struct send_queue {
    struct queue sends; /* with packets still to fetch */
    uint8_t next;       /* queue whose turn is next, plus one */
    bool has_turn;      /* it is among those with packets that may be fetched now */
};

/* A message that goes to one child after the other. Its packets stay in their slots, linked by SLOT_LINK. */
struct train {
    uint16_t next; /* among those of its group's list, the ready ones, or the free ones */
    uint16_t list;
    uint16_t children; /* that each packet still goes to after the first */
    bool own;
    uint8_t state;   /* enum train_state */
    uint8_t tick;    /* of the last packet */
    uint8_t process; /* of the group */
    struct message_key key;
    uint32_t total;
    uint32_t assigned; /* bytes that are in the train, never more than the total */
    uint32_t copied;   /* bytes sent to the first child */
    uint32_t head;     /* slots that the first child has */
    uint32_t tail;
    uint32_t at;     /* slot whose copy is next, once all are there */
    uint32_t cursor; /* place of the child after the one that is served */
    uint32_t child;  /* target that is served */
    uint32_t hops;
    uint32_t ticket; /* jobs_in when it was ready: older jobs come first */
};

enum train_state {
    TRAIN_FREE = 0,
    TRAIN_FILLING = 1,
    TRAIN_READY = 2,
    TRAIN_FLUSHED = 3, /* its packets go on to all other children at once, a few in each operation */
    TRAIN_LEAVING = 4  /* those that the first child had have gone on; others wait for their first copy */
};

enum rail_state {
    RAIL_IDLE = 0,
    RAIL_ASKING = 1,  /* for `send` */
    RAIL_SENDING = 2, /* `send`, which was granted */
    RAIL_PROMISED = 3 /* to receive a message of `peer` */
};

/* Who has this end of a rail, see rails.h. */
struct rail {
    uint8_t state; /* enum rail_state */
    uint8_t tick;  /* of the request, or of the last packet of the promised message */
    uint8_t kept_tick;
    bool urgent; /* the own request */
    bool kept;   /* for the message with `kept_ticket` of `kept_for` */
    uint16_t send;
    uint32_t peer;
    uint32_t attempt; /* number of the last own request */
    uint32_t promised_attempt, promised_process, promised_message, promised_job_id;
    uint32_t left;     /* bytes of it that have not come yet */
    uint32_t kept_for; /* 23..0 host, 31..24 process there */
    uint32_t kept_ticket, kept_job_id;
};

/* When processes last had an end of a rail, by TIME_LOW, see rails.h. */
struct rail_turns {
    uint32_t used_at; /* the rail was asked for, promised, or used by what it is promised to */
    uint32_t kept_at; /* whom it is kept for asked last */
    uint32_t own[PROCESSES];
    uint32_t others[1 << RAIL_OTHERS_BITS]; /* by hash */
};

/* ---- reliable messages, see flows.h ---- */

/* What one process of this host sends to a process elsewhere, or to a group. */
struct outflow {
    uint32_t to;     /* 23..0 receiving host, 31..24 process there; 0: a group */
    uint32_t group;  /* NO_GROUP: none */
    uint32_t lowest; /* number of a message that is not acknowledged */
    uint32_t next;
    struct queue waiting; /* sends for which the window has no room */
    uint8_t process;
    uint8_t sends[FLOW_WINDOW]; /* by number; plus one, 0: acknowledged or given up */
};

/* What is to be known of a send that is reliable. */
struct outgoing {
    uint32_t given;    /* number in the command */
    uint32_t timeout;  /* the first one, cycles */
    uint32_t deadline; /* when those that lack it are asked */
    uint32_t have;     /* children for receipts below which all have it, bit by bit */
    uint32_t heard;    /* those that have said something since they were asked */
    uint32_t receipts; /* entry of the group table with these children; GROUP_NONE: one receiver */
    uint32_t at;       /* when repairs begin */
    uint32_t culprit;  /* host that declined it, or the first that lacks it */
    uint8_t why;
    uint8_t failing; /* OUT_DECLINED: its status */
    uint8_t flow;
    uint8_t state;    /* enum outgoing_state */
    uint8_t children; /* for receipts */
    uint8_t asked;    /* times, without progress */
    bool asking;      /* those that lack it are asked, one after the other */
    uint8_t cursor;   /* child that is told next; or next of the children and repairs that are reported */
    uint8_t fetching; /* packets of repairs */
    uint8_t repair;   /* enum repair_state */
};

enum outgoing_state {
    OUT_NONE = 0,
    OUT_SENDING = 1,  /* or it waits for that */
    OUT_DECLINED = 2, /* the same, but it is to fail */
    OUT_SENT = 3,     /* it waits for receipts */
    OUT_LACKING = 4,  /* it has failed: those that lack it are reported */
    OUT_FORGET = 5,   /* it has failed: its receivers are told */
    OUT_ENDED = 6     /* it ends with its last repair */
};
enum repair_state { REPAIR_NONE = 0, REPAIR_LATER = 1, REPAIR_NOW = 2 };

/* A member that lacks packets of a message: bit b of `left` for the packet b places behind `missing`. */
struct repair {
    uint32_t member;
    uint32_t missing; /* offset of the first one; NOTHING_HEARD: nobody knows */
    uint32_t bitmap;  /* as it was last reported */
    uint32_t left;    /* still to be repaired */
    uint8_t send;     /* plus one; 0: free */
    uint8_t via;      /* child that has reported it */
    bool ask;         /* the member is asked when it is repaired */
    bool old;         /* it was reported before the last question; kept to see whether an answer is news */
};

/* What one process elsewhere sends to a process of this host, or to it as a member of a group. */
struct inflow {
    uint32_t source; /* 23..0 host, 31..24 process there */
    uint32_t to;     /* 15..0 group, 23..16 receiving process where there is none */
    uint32_t lowest; /* number of a message that is not finished, here and at all below in the tree of receipts */
    uint32_t floor;  /* the lowest that its source has not ended, as it last said */
    uint32_t begun;  /* and the first that it had not begun */
    uint32_t flush_at;
    uint32_t asked; /* messages that the source wants to know about; all of these by number */
    uint8_t process;
    uint8_t flush;              /* enum flush */
    uint8_t state[FLOW_WINDOW]; /* enum flow_state, or why it is declined */
    uint16_t message[FLOW_WINDOW];
    uint32_t have[FLOW_WINDOW]; /* children for receipts below which all have it */
};

enum flow_state { FLOW_OPEN = 0, FLOW_FINISHED = 0xff };
enum flush { FLUSH_LATER = 1 /* at `flush_at` */, FLUSH_NOW = 2 }; /* or both */

/* Something that is to be said about a message of an inflow. */
struct saying {
    uint32_t member;
    uint32_t message;
    uint32_t missing;
    uint32_t bitmap;
    uint8_t what; /* enum saying_kind */
    uint8_t flow;
    uint8_t via;   /* a receipt's: child that it came from, plus one; else the child that is told next */
    uint8_t why;   /* it is declined */
    bool answered; /* the member was asked */
};
enum saying_kind { SAYING_NONE = 0, SAYING_RECEIPT = 1, SAYING_DECLINE = 2, SAYING_ASK = 3, SAYING_FORGET = 4 };

/* Result of functions that do a part of what there is to do. */
enum progress {
    PROGRESS_NONE = 0, /* there is nothing to do */
    PROGRESS_MADE = 1,
    PROGRESS_BLOCKED = 2 /* there is no room; an event will tell when there is */
};

struct reliable {
    bool busy;                 /* something may be to do; counts in `counting` */
    bool alarm;                /* the timer is in use for deadlines, see clock.h */
    bool tick_known;           /* `tick_at` is right */
    uint32_t alarm_at;         /* it runs out then or before */
    uint32_t tick_at;          /* the next tick of the clock of what is half-received */
    uint32_t to_look;          /* deadlines to be looked at since the timer ran out, the last ones */
    uint32_t nearest;          /* of these, in cycles from the look's beginning */
    uint32_t look_at;          /* time of that */
    struct queue landed;       /* messages that have ended, well or not */
    struct queue sent;         /* sends with all packets on their way, or failed */
    struct slot_queue fetched; /* packets of repairs whose transfer has ended */
    uint32_t fetching;
    uint32_t outflows; /* in use, from the first */
    uint32_t inflows;
    uint8_t out_used[PROCESSES];
    uint8_t in_used[PROCESSES];
    struct outflow outflow[FLOWS];
    struct inflow inflow[FLOWS];
    struct outgoing outgoing[SENDS]; /* by send */
    struct repair repairs[REPAIRS];
    struct saying sayings[SAYINGS];
};

/* Processes one of whose commands has its turn, one after the other, by their `next_command`; plus one. */
struct process_queue {
    uint8_t first;
    uint8_t last;
};

/* What belongs to one host process. */
struct process {
    struct queue commands; /* not yet taken up */
    struct queue buffers;  /* given, not yet taken by a message */
    uint16_t buffers_used; /* given or taken */
    uint16_t sends_used;
    uint8_t next_command;    /* the next one of a process_queue, plus one */
    bool stalled;            /* its first command waits for the end of one of its sends */
    uint8_t errors_reported; /* since its last command */
    uint32_t extend_root;    /* the group that EXTEND_GROUP goes on with */
    uint32_t extend_group;
};

/* A command about a group that is done in parts, see groups.h. */
struct group_work {
    uint8_t stage;  /* enum group_stage */
    uint8_t link;   /* enum group_link */
    uint16_t child; /* that is looked at, or added next */
    uint16_t other; /* that it is compared with next */
    uint32_t place; /* of that, or where the next one is added */
    uint32_t entry;
    uint32_t list;
};

/* Shares of a table, see quotas.h. */
struct quota {
    uint16_t least; /* that each process can have */
    uint16_t pool;  /* left for those that want more */
    uint16_t used[PROCESSES];
};

/* A pushed store is seen in DMA_SPACE only when its operation is over, so space is counted down here. */
struct space {
    uint32_t left;       /* surely free */
    uint32_t pending[2]; /* pushes of the last operation of each role, maybe not yet in effect */
    bool full;           /* 0 was read: an event tells when there is room again */
};

struct ni_firmware {
    struct ni_hardware hardware;
    /* facts */
    uint32_t host;
    uint32_t hosts;
    uint32_t payload;
    uint32_t payload_mask; /* payload - 1 where that is a power of two, or 0 */
    uint32_t slot_bytes;
    uint32_t stop_bytes; /* of a stop in headers of worms */
    uint32_t stops;      /* of a path worm, at most */
    uint32_t units;      /* behind the hosts */
    bool job_ids;        /* packets carry them, see job_ids.h */
    uint32_t processes;
    uint32_t command_bytes;
    uint32_t command_entries;
    uint32_t buffer_quota;
    uint32_t send_quota;
    uint32_t counter_quota;
    /* work, in the order of its turn */
    unsigned role; /* of the running operation: 0 sending, 1 receiving */
    struct report_ring reports[2];
    struct slot_queue jobs; /* packets to copy */
    struct queue ready;     /* trains to go to their second child and on */
    uint32_t jobs_in;
    uint32_t jobs_out;
    uint32_t handover; /* job of the last RECEIVE operation */
    uint32_t served;   /* list of the last SEND operation's copy, plus one, if that has no use for it any more */
    struct slot_queue arrived;       /* packets to receive */
    struct slot_queue fetched;       /* own packets whose transfer has ended */
    struct queue failed;             /* messages whose transfer was refused */
    struct queue ended;              /* sends */
    struct process_queue commanding; /* processes with commands */
    uint8_t send_first;              /* queues with packets to fetch, plus one */
    uint8_t send_last;
    struct queue owing;              /* messages with counts to make */
    bool pays;                       /* the last operation made counts, if there were any to make */
    uint32_t tell_left;              /* interfaces that the first of these still has to count at */
    uint16_t counter_set[2];         /* counter that the last operation of each role sets, plus one */
    uint32_t counting;               /* messages in `owing`, and counters that are being set */
    uint32_t window;                 /* own packets in WINDOW */
    uint32_t sequence;               /* of the next own packet */
    uint16_t next_command[COMMANDS]; /* links of the processes' command queues */
    struct space dma;
    struct space link;
    bool slots_gone;  /* SLOT_ALLOCATE had none */
    bool slots_short; /* since then nobody has looked for messages that need more of them than there are */
    struct rail rail;
    /* time, counted only while something is half-received */
    bool ticking;
    uint8_t tick;
    uint32_t sweep; /* messages, trains and sends looked at since the tick; SWEPT: all */
    uint32_t half;  /* messages and trains half-received, and others that wait */
    /* tables */
    uint32_t messages_touched; /* entries that were in use once */
    uint32_t sends_touched;
    uint16_t messages_free;
    uint16_t bitmaps_free;
    uint16_t sends_free;
    uint16_t trains_free;
    uint32_t shunned_count;
    uint32_t statistics[NI_STATISTICS];
    struct shunned shunned[SHUNNED_SETS][SHUNNED_EACH];
    struct process process[PROCESSES];
    struct send_queue queues[2 * PROCESSES]; /* two of each process */
    uint16_t buckets[MESSAGES]; /* by hash of sender and receiver; of expected messages, with their number */
    struct send sends[SENDS];
    struct train trains[TRAINS];
    struct bitmap bitmaps[BITMAPS];
    struct message messages[MESSAGES];
    /* interrupt mode */
    bool by_interrupt;
    volatile bool interrupt_full;
    volatile uint32_t ring_in;
    volatile uint32_t ring_out;
    uint32_t ring[EVENT_RING];
    struct reliable reliable;
    uint32_t bitmaps_touched;
    uint32_t trains_touched;
    uint32_t shunned_next;
    uint32_t expecting;  /* messages in buckets that are expected */
    uint32_t reclaim_at; /* where a buffer is looked for that can be had back, from the last one of the process */
    struct quota bitmap_quota;
    struct quota train_quota;
    struct quota group_quota;
    struct queue flushed; /* trains */
    uint32_t chains;      /* of group entries that are to be freed, plus one, see groups.c */
    bool large;           /* a packet or train may be about to go to a large group; counts in `counting` */
    uint8_t other_turn;   /* of the kinds of work that step.c does besides */
    struct rail_turns turns;
    struct group_work group_work[PROCESSES];
    struct process_queue later; /* processes whose command goes on; each counts in `counting` */
};

#endif
