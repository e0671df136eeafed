/* SPDX-License-Identifier: Apache-2.0 */
/* Multicast groups: who a message goes on to. A group has one list of children, in one or more entries of the group
 * table. Packets on their way to children hold their list, so that a group may be replaced or cleared at any time: the
 * old list goes when its last packet has. Entries and lists are numbers of the group table. */
#ifndef POLYCAST_NI_GROUPS_H
#define POLYCAST_NI_GROUPS_H

#include "hardware.h"

#define GROUP_NONE 0xffffffffu

/* Words of a list's first entry; 0 and 1 are the hardware's. */
enum group_word {
    GROUP_FLAGS = 2,    /* ni_group_flag */
    GROUP_CHILDREN = 3, /* count */
    GROUP_HOLDS = 4,    /* packets and sends that use the list */
    GROUP_NEXT = 5,     /* entry with more children, plus one; in all entries of a list */
    GROUP_END = 6,      /* place for one more child */
    GROUP_LIST = 7,     /* the group's list, plus one; only in the entry that a look-up finds */
    GROUP_ONCE_FROM = 8,
    GROUP_ONCE_MESSAGE = 9,
    GROUP_ONCE_LEFT = 10, /* bytes until the group is cleared; 0: none has come yet */
    GROUP_TRAINS = 11,    /* first train, plus one */
    GROUP_OWNER = 12,     /* process */
    GROUP_STATE = 13,     /* enum group_state */
    GROUP_FIRST = 14,     /* children */
    GROUP_MORE = 6,       /* children in a further entry */
    GROUP_WORDS = 32
};

enum group_state { GROUP_FOUND = 1 /* a look-up finds this entry */, GROUP_RETIRED = 2 /* goes with its last hold */ };

static inline uint32_t group_load(const struct ni_firmware* fw, uint32_t entry, uint32_t word) {
    return load(fw, NI_GROUP_MEMORY_BASE + entry * (4 * GROUP_WORDS) + 4 * word);
}

static inline void group_store(const struct ni_firmware* fw, uint32_t entry, uint32_t word, uint32_t value) {
    store(fw, NI_GROUP_MEMORY_BASE + entry * (4 * GROUP_WORDS) + 4 * word, value);
}

/* Entry of a group, or GROUP_NONE. It may have no list any more. */
static inline uint32_t group_find(const struct ni_firmware* fw, uint32_t root, uint32_t number) {
    store(fw, NI_GROUP_ROOT, root);
    store(fw, NI_GROUP_NUMBER, number);
    return load(fw, NI_GROUP_ENTRY);
}

/* Its list, or GROUP_NONE. */
static inline uint32_t group_list(const struct ni_firmware* fw, uint32_t entry) {
    return entry == GROUP_NONE ? GROUP_NONE : group_load(fw, entry, GROUP_LIST) - 1;
}

/* Place of the first child. */
static inline uint32_t group_first(uint32_t list) {
    return list * 64 + GROUP_FIRST;
}

/* Child at a place, which goes on to the next one. */
static inline uint32_t group_child(const struct ni_firmware* fw, uint32_t* place) {
    uint32_t entry = *place / 64;
    uint32_t word = *place % 64;
    if (word == GROUP_WORDS) {
        entry = group_load(fw, entry, GROUP_NEXT) - 1;
        word = GROUP_MORE;
    }
    *place = entry * 64 + word + 1;
    return group_load(fw, entry, word);
}

static inline void group_hold(const struct ni_firmware* fw, uint32_t list) {
    group_store(fw, list, GROUP_HOLDS, group_load(fw, list, GROUP_HOLDS) + 1);
}

void group_release(struct ni_firmware* fw, uint32_t list);

/* Children as a command has them. */
struct children {
    uint32_t address;
    uint32_t count;
};

/* Sets a group up for `process`, adds to one, clears one. */
enum ni_status group_set(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number, uint32_t flags,
                         const struct children* children);
enum ni_status group_extend(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number,
                            const struct children* children);
enum ni_status group_clear(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number);

/* Takes the list away from the group; unknown from now on. */
void group_forget(struct ni_firmware* fw, uint32_t entry);

#endif
