/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include "routes.h"

static uint32_t allocate(struct ni_firmware* fw, uint32_t root, uint32_t number) {
    store(fw, NI_GROUP_ROOT, root);
    store(fw, NI_GROUP_NUMBER, number);
    return load(fw, NI_GROUP_ALLOCATE);
}

/* Frees the entries behind the first one of a list. */
static void free_more(struct ni_firmware* fw, uint32_t list) {
    uint32_t next = group_load(fw, list, GROUP_NEXT);
    const uint32_t receipts = group_receipts(fw, list);
    group_store(fw, list, GROUP_NEXT, 0);
    if (receipts != GROUP_NONE) store(fw, NI_GROUP_FREE, receipts);
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

static enum ni_status check_hosts(const struct ni_firmware* fw, uint32_t root, const struct children* children) {
    for (uint32_t i = 0; i < children->count; ++i) {
        const uint32_t child = load(fw, children->address + 4 * i);
        if (child >= fw->hosts) return NI_STATUS_BAD_COMMAND; /* or a lane, of which there is one */
        if (child == fw->host || child == root) return NI_STATUS_LOOP;
        for (uint32_t j = 0; j < i; ++j)
            if (load(fw, children->address + 4 * j) == child) return NI_STATUS_LOOP;
    }
    return NI_STATUS_OK;
}

/* Looks at children before they are added to a group that takes `room` more. */
static enum ni_status check(const struct ni_firmware* fw, uint32_t root, const struct children* children,
                            uint32_t room) {
    const uint32_t words = children->words;
    if (children->kind == KIND_UNICAST) {
        if (children->count > children->most) return NI_STATUS_BAD_COMMAND;
        return children->count > room ? NI_STATUS_TABLE_FULL : check_hosts(fw, root, children);
    }
    if (words == 0) return NI_STATUS_BAD_COMMAND;
    if (words > NI_GROUP_ROUTE_WORDS) return NI_STATUS_TABLE_FULL;
    if (children->count > children->most / words) return NI_STATUS_BAD_COMMAND;
    if (children->count > room) return NI_STATUS_TABLE_FULL;
    for (uint32_t i = 0; i < children->count; ++i)
        if (!route_good(fw, children->kind, children->address + 4 * words * i, words)) return NI_STATUS_BAD_COMMAND;
    return NI_STATUS_OK;
}

static enum ni_status append(struct ni_firmware* fw, uint32_t list, const struct children* children) {
    const uint32_t words = children->kind != KIND_UNICAST ? children->words : 0;
    const uint32_t step = words != 0 ? words : 1;
    uint32_t place = group_load(fw, list, GROUP_END);
    for (uint32_t i = 0; i < children->count; ++i) {
        if ((place & PLACE_WORD_MASK) + step > GROUP_WORDS) {
            const uint32_t last = place_entry(place);
            uint32_t next = group_load(fw, last, GROUP_NEXT);
            if (next == 0) {
                const uint32_t entry = allocate(fw, fw->host, NO_GROUP);
                if (entry == GROUP_NONE) return NI_STATUS_TABLE_FULL;
                group_store(fw, entry, GROUP_NEXT, 0);
                next = entry + 1;
                group_store(fw, last, GROUP_NEXT, next);
            }
            place = place_of(words, next - 1, GROUP_MORE);
        }
        for (uint32_t word = 0; word < step; ++word, ++place)
            group_store(fw, place_entry(place), place & PLACE_WORD_MASK,
                        load(fw, children->address + 4 * (i * step + word)));
    }
    group_store(fw, list, GROUP_END, place);
    group_store(fw, list, GROUP_CHILDREN, group_load(fw, list, GROUP_CHILDREN) + children->count);
    return NI_STATUS_OK;
}

/* ---- receipts ---- */

uint32_t receipts_child(const struct ni_firmware* fw, uint32_t receipts, uint32_t host) {
    const uint32_t count = receipts_children(fw, receipts);
    for (uint32_t i = 0; i < count; ++i)
        if (group_load(fw, receipts, RECEIPTS_FIRST + i) == host) return i;
    return GROUP_NONE;
}

static uint32_t words_of(const struct children* children) {
    return children->count * (children->kind != KIND_UNICAST ? children->words : 1);
}

/* Their children, behind those of the group, which have been looked at. */
static struct children below(const struct children* children, const struct receipts* receipts) {
    const uint32_t words = words_of(children);
    return (struct children){.address = children->address + 4 * words,
                             .count = receipts->count & 0xffff,
                             .kind = KIND_UNICAST,
                             .most = children->most - words};
}

static enum ni_status check_receipts(const struct ni_firmware* fw, uint32_t root, uint32_t flags,
                                     const struct children* children, const struct receipts* receipts) {
    if ((flags & NI_GROUP_RECEIPTS) == 0) return NI_STATUS_OK;
    const bool member = (flags & NI_GROUP_DELIVER) != 0;
    if ((flags & NI_GROUP_ONCE) != 0 || member == (root == fw->host)) return NI_STATUS_BAD_COMMAND;
    if (member ? receipts->parent >= fw->hosts || receipts->parent == fw->host : receipts->parent != NO_HOST)
        return NI_STATUS_BAD_COMMAND;
    const struct children more = below(children, receipts);
    return check(fw, root, &more, NI_GROUP_RECEIPT_CHILDREN);
}

static enum ni_status add_receipts(struct ni_firmware* fw, uint32_t list, const struct children* children,
                                   const struct receipts* receipts) {
    const uint32_t entry = allocate(fw, fw->host, NO_GROUP);
    const struct children more = below(children, receipts);
    if (entry == GROUP_NONE) return NI_STATUS_TABLE_FULL;
    group_store(fw, entry, RECEIPTS_PARENT, receipts->parent);
    group_store(fw, entry, RECEIPTS_COUNT, receipts->count);
    for (uint32_t i = 0; i < more.count; ++i)
        group_store(fw, entry, RECEIPTS_FIRST + i, load(fw, more.address + 4 * i));
    group_store(fw, list, GROUP_RECEIPTS, entry);
    group_store(fw, list, GROUP_FLAGS, group_load(fw, list, GROUP_FLAGS) | NI_GROUP_RECEIPTS);
    return NI_STATUS_OK;
}

/* ---- commands ---- */

static void begin_list(struct ni_firmware* fw, uint32_t list, uint32_t process, uint32_t flags,
                       const struct children* children) {
    const uint32_t words = children->kind != KIND_UNICAST ? children->words : 0;
    group_store(fw, list, GROUP_FLAGS, flags | words << 16);
    group_store(fw, list, GROUP_CHILDREN, 0);
    group_store(fw, list, GROUP_HOLDS, 0);
    group_store(fw, list, GROUP_NEXT, 0);
    group_store(fw, list, GROUP_END, group_first(fw, list));
    group_store(fw, list, GROUP_ONCE_LEFT, 0);
    group_store(fw, list, GROUP_TRAINS, 0);
    group_store(fw, list, GROUP_OWNER, process);
}

enum ni_status group_set(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number, uint32_t flags,
                         const struct children* children, const struct receipts* receipts) {
    enum ni_status status = check(fw, root, children, MAX_CHILDREN);
    if (status == NI_STATUS_OK) status = check_receipts(fw, root, flags, children, receipts);
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
    begin_list(fw, list, process, flags & ~(uint32_t)NI_GROUP_RECEIPTS, children);
    group_store(fw, entry, GROUP_LIST, list + 1);
    status = append(fw, list, children);
    if (status == NI_STATUS_OK && (flags & NI_GROUP_RECEIPTS) != 0) status = add_receipts(fw, list, children, receipts);
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
    struct children more = *children;
    uint32_t list;
    enum ni_status status = own_list(fw, process, group_find(fw, root, number), &list);
    if (status != NI_STATUS_OK) return status;
    const uint32_t count = group_load(fw, list, GROUP_CHILDREN);
    const uint32_t flags = group_load(fw, list, GROUP_FLAGS);
    more.kind = group_kind(flags);
    more.words = flags >> 16;
    status = check(fw, root, &more, MAX_CHILDREN - count);
    for (uint32_t i = 0; more.kind == KIND_UNICAST && i < more.count && status == NI_STATUS_OK; ++i)
        if (has_child(fw, group_first(fw, list), count, load(fw, more.address + 4 * i))) status = NI_STATUS_LOOP;
    return status == NI_STATUS_OK ? append(fw, list, &more) : status;
}

enum ni_status group_clear(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number) {
    const uint32_t entry = group_find(fw, root, number);
    uint32_t list;
    const enum ni_status status = own_list(fw, process, entry, &list);
    if (status == NI_STATUS_OK) group_forget(fw, entry);
    return status;
}
