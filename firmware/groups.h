/* SPDX-License-Identifier: Apache-2.0 */
/* Multicast groups: who a message goes on to. A group has one list of children, in one or more entries of the group
 * table. Packets on their way to children hold their list, so that a group may be replaced or cleared at any time: the
 * old list goes when its last packet has. Entries and lists are numbers of the group table.
 *
 * A group belongs to a process: its root, its number and the number of the process that sends to it name it, and the
 * members are processes with the same number, each of which sets its part up for itself. So the entry that a look-up
 * finds has a list for each process that has set up a group of this root and number. */
#ifndef POLYCAST_NI_GROUPS_H
#define POLYCAST_NI_GROUPS_H

#include "hardware.h"

#define GROUP_NONE 0xffffffffu

/* Words of a list's first entry; 0 and 1 are the hardware's. */
enum group_word {
    GROUP_FLAGS = 2,    /* 15..0 ni_group_flag, 31..16 words of each child that is a worm, 0: hosts */
    GROUP_CHILDREN = 3, /* count */
    GROUP_HOLDS = 4,    /* packets and sends that use the list */
    GROUP_NEXT = 5,     /* entry with more children, plus one; in all entries of a list */
    GROUP_END = 6,      /* place for one more child */
    GROUP_LIST = 7,     /* the first list, plus one; only in the entry that a look-up finds */
    GROUP_RECEIPTS = 8, /* with NI_GROUP_RECEIPTS: entry with this host's place in the tree of receipts */
    GROUP_ONCE_MESSAGE = 9,
    GROUP_ONCE_LEFT = 10, /* bytes until the group is cleared; 0: none has come yet */
    GROUP_TRAINS = 11,    /* first train, plus one */
    GROUP_OWNER = 12,     /* 7..0 process, as in the flags; 31..8 next list of the same entry, plus one */
    GROUP_STATE = 13,     /* enum group_state */
    GROUP_FIRST = 14,     /* children */
    GROUP_MORE = 6,       /* children in a further entry */
    GROUP_WORDS = 32
};
/* Words of that entry. */
enum receipts_word {
    RECEIPTS_PARENT = 2,
    RECEIPTS_COUNT = 3, /* 15..0 children, 31..16 members of the group, at its root */
    RECEIPTS_FIRST = 6
};
_Static_assert(NI_GROUP_RECEIPT_CHILDREN == GROUP_WORDS - RECEIPTS_FIRST, "drivers reckon with this");
_Static_assert(NI_GROUP_FIRST_WORDS == GROUP_WORDS - GROUP_FIRST && NI_GROUP_ROUTE_WORDS == GROUP_WORDS - GROUP_MORE,
               "drivers reckon with these");

/* A place: where a child is, and how long: 31..24 words, 0: a host; 23..6 entry, 5..0 word. No child lies in two
 * entries, so where the next one does not fit, it is at the beginning of the next entry. */
enum { PLACE_WORDS_SHIFT = 24, PLACE_ENTRY_SHIFT = 6, PLACE_ENTRY_MASK = 0x3ffff, PLACE_WORD_MASK = 0x3f };

enum { GROUP_LISTS_SHIFT = 8, GROUP_STEPS = 32 /* of a command about a group that one operation makes */ };

enum group_state {
    GROUP_FOUND = 1,      /* a look-up finds this entry */
    GROUP_RETIRED = 2,    /* goes with its last hold */
    GROUP_TAKEN = 4,      /* its words are a list's */
    GROUP_PAYER_SHIFT = 8 /* process whose quota the entry counts in */
};

static inline uint32_t group_address(uint32_t entry, uint32_t word) {
    return NI_GROUP_MEMORY_BASE + entry * (4 * GROUP_WORDS) + 4 * word;
}

static inline uint32_t group_load(const struct ni_firmware* fw, uint32_t entry, uint32_t word) {
    return load(fw, group_address(entry, word));
}

static inline void group_store(const struct ni_firmware* fw, uint32_t entry, uint32_t word, uint32_t value) {
    store(fw, group_address(entry, word), value);
}

/* Entry of a group, or GROUP_NONE. It may have no list any more. */
static inline uint32_t group_find(const struct ni_firmware* fw, uint32_t root, uint32_t number) {
    store(fw, NI_GROUP_ROOT, root);
    store(fw, NI_GROUP_NUMBER, number);
    return load(fw, NI_GROUP_ENTRY);
}

/* Its first list, or GROUP_NONE. */
static inline uint32_t group_list(const struct ni_firmware* fw, uint32_t entry) {
    return entry == GROUP_NONE ? GROUP_NONE : group_load(fw, entry, GROUP_LIST) - 1;
}

static inline uint32_t group_owner(const struct ni_firmware* fw, uint32_t list) {
    return group_load(fw, list, GROUP_OWNER) & 0xff;
}

/* The list of a process, or GROUP_NONE. */
static inline uint32_t group_list_of(const struct ni_firmware* fw, uint32_t entry, uint32_t process) {
    uint32_t list = group_list(fw, entry);
    while (list != GROUP_NONE) {
        const uint32_t owner = group_load(fw, list, GROUP_OWNER);
        if ((owner & 0xff) == process) break;
        list = (owner >> GROUP_LISTS_SHIFT) - 1;
    }
    return list;
}

/* Kind of the packets that a list's flags speak of. */
static inline uint32_t group_kind(uint32_t flags) {
    return (flags & NI_GROUP_KIND_MASK) >> NI_GROUP_KIND_SHIFT;
}

static inline uint32_t place_of(uint32_t words, uint32_t entry, uint32_t word) {
    return words << PLACE_WORDS_SHIFT | entry << PLACE_ENTRY_SHIFT | word;
}

static inline uint32_t place_entry(uint32_t place) {
    return place >> PLACE_ENTRY_SHIFT & PLACE_ENTRY_MASK;
}

/* Place of the first child. */
static inline uint32_t group_first(const struct ni_firmware* fw, uint32_t list) {
    return place_of(group_load(fw, list, GROUP_FLAGS) >> 16, list, GROUP_FIRST);
}

/* Target (see jobs.h) at a place, which goes on to the next one. */
static inline uint32_t group_child(const struct ni_firmware* fw, uint32_t* place) {
    const uint32_t words = *place >> PLACE_WORDS_SHIFT;
    const uint32_t step = words != 0 ? words : 1;
    uint32_t entry = place_entry(*place);
    uint32_t word = *place & PLACE_WORD_MASK;
    if (word + step > GROUP_WORDS) {
        entry = group_load(fw, entry, GROUP_NEXT) - 1;
        word = GROUP_MORE;
    }
    *place = place_of(words, entry, word + step);
    return words != 0 ? group_address(entry, word) : group_load(fw, entry, word);
}

/* Entry with the place in the tree of receipts that a list has, or GROUP_NONE. */
static inline uint32_t group_receipts(const struct ni_firmware* fw, uint32_t list) {
    if (list == GROUP_NONE || (group_load(fw, list, GROUP_FLAGS) & NI_GROUP_RECEIPTS) == 0) return GROUP_NONE;
    return group_load(fw, list, GROUP_RECEIPTS);
}

/* Its children; none of GROUP_NONE. */
static inline uint32_t receipts_children(const struct ni_firmware* fw, uint32_t receipts) {
    return receipts == GROUP_NONE ? 0 : group_load(fw, receipts, RECEIPTS_COUNT) & 0xffff;
}

/* Number of child `host`, or GROUP_NONE. */
uint32_t receipts_child(const struct ni_firmware* fw, uint32_t receipts, uint32_t host);

static inline void group_hold(const struct ni_firmware* fw, uint32_t list) {
    group_store(fw, list, GROUP_HOLDS, group_load(fw, list, GROUP_HOLDS) + 1);
}

void group_release(struct ni_firmware* fw, uint32_t list);

/* Children as a command has them. */
struct children {
    uint32_t address;
    uint32_t count;
    uint32_t kind;  /* enum packet_kind */
    uint32_t words; /* of each that is a worm */
    uint32_t most;  /* words that a command holds */
};

/* The tree of receipts as a command has it; `count` as in RECEIPTS_COUNT. The children follow the group's. */
struct receipts {
    uint32_t parent;
    uint32_t count;
};

struct group_name {
    uint32_t process;
    uint32_t root;
    uint32_t number;
};

/* Sets a group up, or adds to one: a part of that, as much as one operation may do. Returns false if there is more to
 * do; no other command about groups of this process may be done meanwhile. `flags` name no process. A group that is
 * replaced has its old list until the new one is complete, and keeps it if that finds no room. */
bool group_set(struct ni_firmware* fw, const struct group_name* name, uint32_t flags, const struct children* children,
               const struct receipts* receipts, enum ni_status* status);
bool group_extend(struct ni_firmware* fw, const struct group_name* name, const struct children* children,
                  enum ni_status* status);

enum ni_status group_clear(struct ni_firmware* fw, const struct group_name* name);

/* Frees more entries of large groups that have gone. Returns false if there are none. */
bool group_go_on(struct ni_firmware* fw);

/* Takes the list away from the group; unknown from now on. */
void group_forget(struct ni_firmware* fw, uint32_t entry, uint32_t list);

#endif
