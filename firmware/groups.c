/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

static uint32_t allocate(struct ni_firmware* fw, uint32_t root, uint32_t number) {
    store(fw, NI_GROUP_ROOT, root);
    store(fw, NI_GROUP_NUMBER, number);
    return load(fw, NI_GROUP_ALLOCATE);
}

/* Frees the entries behind the first one of a list. */
static void free_more(struct ni_firmware* fw, uint32_t list) {
    uint32_t next = group_load(fw, list, GROUP_NEXT);
    group_store(fw, list, GROUP_NEXT, 0);
    while (next != 0) {
        const uint32_t entry = next - 1;
        next = group_load(fw, entry, GROUP_NEXT);
        store(fw, NI_GROUP_FREE, entry);
    }
}

/* A list that no group has and nothing holds. Its first entry stays where a look-up finds it and the group lives on. */
static void free_list(struct ni_firmware* fw, uint32_t list) {
    free_more(fw, list);
    const uint32_t state = group_load(fw, list, GROUP_STATE) & ~(uint32_t)GROUP_RETIRED;
    group_store(fw, list, GROUP_STATE, state);
    if ((state & GROUP_FOUND) == 0 || group_load(fw, list, GROUP_LIST) == 0) store(fw, NI_GROUP_FREE, list);
}

void group_release(struct ni_firmware* fw, uint32_t list) {
    const uint32_t holds = group_load(fw, list, GROUP_HOLDS) - 1;
    group_store(fw, list, GROUP_HOLDS, holds);
    if (holds == 0 && (group_load(fw, list, GROUP_STATE) & GROUP_RETIRED) != 0) free_list(fw, list);
}

/* The group loses its list; the entry that look-ups find stays. Returns true if nothing holds that entry any more. */
static bool retire(struct ni_firmware* fw, uint32_t entry) {
    const uint32_t list = group_list(fw, entry);
    group_store(fw, entry, GROUP_LIST, 0);
    const bool held = group_load(fw, list, GROUP_HOLDS) != 0;
    if (held)
        group_store(fw, list, GROUP_STATE, group_load(fw, list, GROUP_STATE) | GROUP_RETIRED);
    else if (list != entry)
        free_list(fw, list);
    else
        free_more(fw, list);
    return group_load(fw, entry, GROUP_HOLDS) == 0;
}

void group_forget(struct ni_firmware* fw, uint32_t entry) {
    if (retire(fw, entry)) store(fw, NI_GROUP_FREE, entry);
}

/* ---- children ---- */

static bool has_child(const struct ni_firmware* fw, uint32_t place, uint32_t count, uint32_t child) {
    for (uint32_t i = 0; i < count; ++i)
        if (group_child(fw, &place) == child) return true;
    return false;
}

static enum ni_status check(const struct ni_firmware* fw, uint32_t root, const struct children* children) {
    for (uint32_t i = 0; i < children->count; ++i) {
        const uint32_t child = load(fw, children->address + 4 * i);
        if (child >= fw->hosts) return NI_STATUS_BAD_COMMAND; /* or a lane, of which there is one */
        if (child == fw->host || child == root) return NI_STATUS_LOOP;
        for (uint32_t j = 0; j < i; ++j)
            if (load(fw, children->address + 4 * j) == child) return NI_STATUS_LOOP;
    }
    return NI_STATUS_OK;
}

static enum ni_status append(struct ni_firmware* fw, uint32_t list, const struct children* children) {
    uint32_t place = group_load(fw, list, GROUP_END);
    for (uint32_t i = 0; i < children->count; ++i) {
        if (place % 64 == GROUP_WORDS) {
            const uint32_t last = place / 64;
            uint32_t next = group_load(fw, last, GROUP_NEXT);
            if (next == 0) {
                const uint32_t entry = allocate(fw, fw->host, NO_GROUP);
                if (entry == GROUP_NONE) return NI_STATUS_TABLE_FULL;
                group_store(fw, entry, GROUP_NEXT, 0);
                next = entry + 1;
                group_store(fw, last, GROUP_NEXT, next);
            }
            place = (next - 1) * 64 + GROUP_MORE;
        }
        group_store(fw, place / 64, place % 64, load(fw, children->address + 4 * i));
        ++place;
    }
    group_store(fw, list, GROUP_END, place);
    group_store(fw, list, GROUP_CHILDREN, group_load(fw, list, GROUP_CHILDREN) + children->count);
    return NI_STATUS_OK;
}

/* ---- commands ---- */

static void begin_list(struct ni_firmware* fw, uint32_t list, uint32_t process, uint32_t flags) {
    group_store(fw, list, GROUP_FLAGS, flags);
    group_store(fw, list, GROUP_CHILDREN, 0);
    group_store(fw, list, GROUP_HOLDS, 0);
    group_store(fw, list, GROUP_NEXT, 0);
    group_store(fw, list, GROUP_END, group_first(list));
    group_store(fw, list, GROUP_ONCE_LEFT, 0);
    group_store(fw, list, GROUP_TRAINS, 0);
    group_store(fw, list, GROUP_OWNER, process);
}

enum ni_status group_set(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number, uint32_t flags,
                         const struct children* children) {
    if (children->count > MAX_CHILDREN) return NI_STATUS_TABLE_FULL;
    enum ni_status status = check(fw, root, children);
    if (status != NI_STATUS_OK) return status;
    uint32_t entry = group_find(fw, root, number);
    uint32_t list = group_list(fw, entry);
    if (list != GROUP_NONE) {
        if (group_load(fw, list, GROUP_OWNER) != process) return NI_STATUS_BAD_COMMAND;
        retire(fw, entry);
    }
    if (entry == GROUP_NONE) {
        entry = allocate(fw, root, number);
        if (entry == GROUP_NONE) return NI_STATUS_TABLE_FULL;
        list = entry;
        group_store(fw, entry, GROUP_STATE, GROUP_FOUND);
    } else if (group_load(fw, entry, GROUP_HOLDS) == 0) {
        list = entry;
    } else {
        list = allocate(fw, fw->host, NO_GROUP);
        if (list == GROUP_NONE) return NI_STATUS_TABLE_FULL;
        group_store(fw, list, GROUP_STATE, 0);
    }
    begin_list(fw, list, process, flags);
    group_store(fw, entry, GROUP_LIST, list + 1);
    status = append(fw, list, children);
    if (status != NI_STATUS_OK) group_forget(fw, entry);
    return status;
}

/* The list of a group that this process has set up, or why not. */
static enum ni_status own_list(const struct ni_firmware* fw, uint32_t process, uint32_t entry, uint32_t* list) {
    *list = group_list(fw, entry);
    if (*list == GROUP_NONE) return NI_STATUS_UNKNOWN_GROUP;
    return group_load(fw, *list, GROUP_OWNER) == process ? NI_STATUS_OK : NI_STATUS_BAD_COMMAND;
}

enum ni_status group_extend(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number,
                            const struct children* children) {
    uint32_t list;
    enum ni_status status = own_list(fw, process, group_find(fw, root, number), &list);
    if (status != NI_STATUS_OK) return status;
    const uint32_t count = group_load(fw, list, GROUP_CHILDREN);
    if (children->count > MAX_CHILDREN - count) return NI_STATUS_TABLE_FULL;
    status = check(fw, root, children);
    for (uint32_t i = 0; i < children->count && status == NI_STATUS_OK; ++i)
        if (has_child(fw, group_first(list), count, load(fw, children->address + 4 * i))) status = NI_STATUS_LOOP;
    return status == NI_STATUS_OK ? append(fw, list, children) : status;
}

enum ni_status group_clear(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number) {
    const uint32_t entry = group_find(fw, root, number);
    uint32_t list;
    const enum ni_status status = own_list(fw, process, entry, &list);
    if (status == NI_STATUS_OK) group_forget(fw, entry);
    return status;
}
