/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include "quotas.h"
#include "routes.h"

static uint32_t allocate(struct ni_firmware* fw, uint32_t process, uint32_t root, uint32_t number) {
    if (!quota_take(&fw->group_quota, process)) return GROUP_NONE;
    store(fw, NI_GROUP_ROOT, root);
    store(fw, NI_GROUP_NUMBER, number);
    const uint32_t entry = load(fw, NI_GROUP_ALLOCATE);
    if (entry == GROUP_NONE) quota_give(&fw->group_quota, process);
    return entry;
}

static void free_entry(struct ni_firmware* fw, uint32_t process, uint32_t entry) {
    quota_give(&fw->group_quota, process);
    store(fw, NI_GROUP_FREE, entry);
}

/* Words of the first one of a chain of entries that are still to be freed. */
enum { CHAIN_PROCESS = 2, CHAIN_NEXT = 3 /* the next chain, plus one */ };

/* Frees up to `most` entries. Returns the next one, plus one; 0: all are free. */
static uint32_t free_some(struct ni_firmware* fw, uint32_t process, uint32_t next, uint32_t most) {
    for (uint32_t i = 0; i < most && next != 0; ++i) {
        const uint32_t entry = next - 1;
        next = group_load(fw, entry, GROUP_NEXT);
        free_entry(fw, process, entry);
    }
    return next;
}

/* Frees the entries behind one of a list: up to `most` of them now, the others soon. */
static void free_behind(struct ni_firmware* fw, uint32_t process, uint32_t entry, uint32_t most) {
    const uint32_t next = free_some(fw, process, group_load(fw, entry, GROUP_NEXT), most);
    group_store(fw, entry, GROUP_NEXT, 0);
    if (next == 0) return;
    group_store(fw, next - 1, CHAIN_PROCESS, process);
    group_store(fw, next - 1, CHAIN_NEXT, fw->chains);
    if (fw->chains == 0) ++fw->counting;
    fw->chains = next;
}

bool group_go_on(struct ni_firmware* fw) {
    const uint32_t first = fw->chains;
    if (first == 0) return false;
    const uint32_t process = group_load(fw, first - 1, CHAIN_PROCESS);
    const uint32_t others = group_load(fw, first - 1, CHAIN_NEXT);
    const uint32_t rest = free_some(fw, process, first, GROUP_STEPS);
    fw->chains = rest != 0 ? rest : others;
    if (rest != 0) {
        group_store(fw, rest - 1, CHAIN_PROCESS, process);
        group_store(fw, rest - 1, CHAIN_NEXT, others);
    }
    if (fw->chains == 0) --fw->counting;
    return true;
}

/* A list that no group has and nothing holds. An entry that look-ups find stays while its group has a list. */
static void free_list(struct ni_firmware* fw, uint32_t list) {
    const uint32_t receipts = group_receipts(fw, list);
    const uint32_t process = group_owner(fw, list);
    if (receipts != GROUP_NONE) free_entry(fw, process, receipts);
    free_behind(fw, process, list, GROUP_STEPS / 2); /* an operation may free two lists */
    const uint32_t state = group_load(fw, list, GROUP_STATE) & ~(uint32_t)(GROUP_RETIRED | GROUP_TAKEN);
    group_store(fw, list, GROUP_STATE, state);
    if ((state & GROUP_FOUND) == 0 || group_load(fw, list, GROUP_LIST) == 0)
        free_entry(fw, state >> GROUP_PAYER_SHIFT, list);
}

void group_release(struct ni_firmware* fw, uint32_t list) {
    const uint32_t holds = group_load(fw, list, GROUP_HOLDS) - 1;
    group_store(fw, list, GROUP_HOLDS, holds);
    if (holds == 0 && (group_load(fw, list, GROUP_STATE) & GROUP_RETIRED) != 0) free_list(fw, list);
}

static void set_owner(struct ni_firmware* fw, uint32_t list, uint32_t process, uint32_t next) {
    group_store(fw, list, GROUP_OWNER, process | (next + 1) << GROUP_LISTS_SHIFT);
}

/* Takes the list of a process out of those of a group. Returns it, or GROUP_NONE if there is none. */
static uint32_t unlink_list(struct ni_firmware* fw, uint32_t entry, uint32_t process) {
    uint32_t before = GROUP_NONE;
    uint32_t before_owner = 0;
    for (uint32_t list = group_list(fw, entry); list != GROUP_NONE;) {
        const uint32_t owner = group_load(fw, list, GROUP_OWNER);
        const uint32_t next = (owner >> GROUP_LISTS_SHIFT) - 1;
        if ((owner & 0xff) == process) {
            if (before == GROUP_NONE)
                group_store(fw, entry, GROUP_LIST, next + 1);
            else
                set_owner(fw, before, before_owner & 0xff, next);
            return list;
        }
        before = list;
        before_owner = owner;
        list = next;
    }
    return GROUP_NONE;
}

/* A list that its group does not have, or not any more, goes, at the latest with its last hold. */
static void retire(struct ni_firmware* fw, uint32_t entry, uint32_t list) {
    if (group_load(fw, list, GROUP_HOLDS) != 0)
        group_store(fw, list, GROUP_STATE, group_load(fw, list, GROUP_STATE) | GROUP_RETIRED);
    else
        free_list(fw, list);
    if (list == entry || group_load(fw, entry, GROUP_LIST) != 0) return;
    const uint32_t state = group_load(fw, entry, GROUP_STATE);
    if ((state & GROUP_TAKEN) == 0) free_entry(fw, state >> GROUP_PAYER_SHIFT, entry);
}

void group_forget(struct ni_firmware* fw, uint32_t entry, uint32_t list) {
    unlink_list(fw, entry, group_owner(fw, list));
    retire(fw, entry, list);
}

/* ---- children ---- */

/* Looks at children before they are added to a group that takes `room` more: first at how many they are. */
static enum ni_status check_size(const struct children* children, uint32_t room) {
    const uint32_t words = children->words;
    if (children->kind == KIND_UNICAST) {
        if (children->count > children->most) return NI_STATUS_BAD_COMMAND;
        return children->count > room ? NI_STATUS_TABLE_FULL : NI_STATUS_OK;
    }
    if (words == 0) return NI_STATUS_BAD_COMMAND;
    if (words > NI_GROUP_ROUTE_WORDS) return NI_STATUS_TABLE_FULL;
    if (children->count > children->most / words) return NI_STATUS_BAD_COMMAND;
    return children->count > room ? NI_STATUS_TABLE_FULL : NI_STATUS_OK;
}

static uint32_t host_at(const struct ni_firmware* fw, const struct children* children, uint32_t index) {
    return load(fw, children->address + 4 * index);
}

/* A host by itself, then whether it is one of those before it, one a step. */
static enum ni_status look_at_host(const struct ni_firmware* fw, struct group_work* work, uint32_t root,
                                   const struct children* children) {
    const uint32_t child = host_at(fw, children, work->child);
    if (work->other == 0) {
        if (child >= fw->hosts) return NI_STATUS_BAD_COMMAND; /* or a lane, of which there is one */
        if (child == fw->host || child == root) return NI_STATUS_LOOP;
    } else if (host_at(fw, children, work->other - 1) == child) {
        return NI_STATUS_LOOP;
    }
    if (work->other++ != work->child) return NI_STATUS_OK;
    work->other = 0;
    ++work->child;
    return NI_STATUS_OK;
}

static enum ni_status look_at_route(const struct ni_firmware* fw, struct group_work* work,
                                    const struct children* children) {
    const uint32_t words = children->words;
    const uint32_t address = children->address + 4 * words * work->child;
    ++work->child;
    return route_good(fw, children->kind, address, words) ? NI_STATUS_OK : NI_STATUS_BAD_COMMAND;
}

/* Steps that an operation has left when one has been made that takes as long as `words` of them. */
static void charge(uint32_t* left, uint32_t words) {
    *left = *left > words ? *left - words : 0;
}

static uint32_t step_of(const struct children* children) {
    return children->kind != KIND_UNICAST ? children->words : 1;
}

/* The part begins when its first child is looked at. */
static enum progress look(const struct ni_firmware* fw, struct group_work* work, uint32_t root,
                          const struct children* children, uint32_t room, uint32_t* left, enum ni_status* status) {
    if (work->child == 0 && work->other == 0) *status = check_size(children, room);
    while (*status == NI_STATUS_OK && work->child < children->count) {
        if (*left == 0) return PROGRESS_MADE;
        charge(left, step_of(children));
        *status =
            children->kind == KIND_UNICAST ? look_at_host(fw, work, root, children) : look_at_route(fw, work, children);
    }
    work->child = work->other = 0;
    return PROGRESS_NONE;
}

/* Whether one of the children is among the `have` that the list has. */
static enum progress compare(const struct ni_firmware* fw, struct group_work* work, uint32_t have,
                             const struct children* children, uint32_t* left, enum ni_status* status) {
    while (*status == NI_STATUS_OK && work->child < children->count && have != 0) {
        if (*left == 0) return PROGRESS_MADE;
        charge(left, 1);
        if (work->other == 0) work->place = group_first(fw, work->list);
        if (group_child(fw, &work->place) == host_at(fw, children, work->child)) *status = NI_STATUS_LOOP;
        if (++work->other != have) continue;
        work->other = 0;
        ++work->child;
    }
    work->child = work->other = 0;
    return PROGRESS_NONE;
}

/* The next entry behind that of `place`; GROUP_NONE: there is no more. */
static uint32_t more_room(struct ni_firmware* fw, uint32_t process, uint32_t place) {
    const uint32_t last = place_entry(place);
    const uint32_t next = group_load(fw, last, GROUP_NEXT);
    if (next != 0) return next - 1;
    const uint32_t entry = allocate(fw, process, fw->host, NO_GROUP);
    if (entry == GROUP_NONE) return entry;
    group_store(fw, entry, GROUP_NEXT, 0);
    group_store(fw, last, GROUP_NEXT, entry + 1);
    return entry;
}

/* Writes the children behind those that the list has, which gets them all at once in the end. */
static enum progress append(struct ni_firmware* fw, struct group_work* work, const struct children* children,
                            uint32_t* left, enum ni_status* status) {
    const uint32_t step = step_of(children);
    if (work->child == 0) work->place = group_load(fw, work->list, GROUP_END);
    for (; work->child < children->count; ++work->child) {
        if (*left == 0) return PROGRESS_MADE;
        charge(left, step);
        if ((work->place & PLACE_WORD_MASK) + step > GROUP_WORDS) {
            const uint32_t entry = more_room(fw, group_owner(fw, work->list), work->place);
            if (entry == GROUP_NONE) {
                *status = NI_STATUS_TABLE_FULL;
                return PROGRESS_NONE;
            }
            work->place = place_of(work->place >> PLACE_WORDS_SHIFT, entry, GROUP_MORE);
        }
        for (uint32_t word = 0; word < step; ++word, ++work->place)
            group_store(fw, place_entry(work->place), work->place & PLACE_WORD_MASK,
                        load(fw, children->address + 4 * (work->child * step + word)));
    }
    group_store(fw, work->list, GROUP_END, work->place);
    group_store(fw, work->list, GROUP_CHILDREN, group_load(fw, work->list, GROUP_CHILDREN) + children->count);
    return PROGRESS_NONE;
}

/* ---- receipts ---- */

uint32_t receipts_child(const struct ni_firmware* fw, uint32_t receipts, uint32_t host) {
    const uint32_t count = receipts_children(fw, receipts);
    for (uint32_t i = 0; i < count; ++i)
        if (group_load(fw, receipts, RECEIPTS_FIRST + i) == host) return i;
    return GROUP_NONE;
}

/* Their children, behind those of the group, which have been looked at. */
static struct children below(const struct children* children, const struct receipts* receipts) {
    const uint32_t words = children->count * step_of(children);
    return (struct children){.address = children->address + 4 * words,
                             .count = receipts->count & 0xffff,
                             .kind = KIND_UNICAST,
                             .most = children->most - words};
}

static enum ni_status check_place(const struct ni_firmware* fw, uint32_t root, uint32_t flags,
                                  const struct receipts* receipts) {
    const bool member = (flags & NI_GROUP_DELIVER) != 0;
    if ((flags & NI_GROUP_ONCE) != 0 || member == (root == fw->host)) return NI_STATUS_BAD_COMMAND;
    if (member ? receipts->parent >= fw->hosts || receipts->parent == fw->host : receipts->parent != NO_HOST)
        return NI_STATUS_BAD_COMMAND;
    return NI_STATUS_OK;
}

static enum ni_status add_receipts(struct ni_firmware* fw, uint32_t list, const struct children* children,
                                   const struct receipts* receipts) {
    const uint32_t entry = allocate(fw, group_owner(fw, list), fw->host, NO_GROUP);
    const struct children more = below(children, receipts);
    if (entry == GROUP_NONE) return NI_STATUS_TABLE_FULL;
    group_store(fw, entry, RECEIPTS_PARENT, receipts->parent);
    group_store(fw, entry, RECEIPTS_COUNT, receipts->count);
    for (uint32_t i = 0; i < more.count; ++i) group_store(fw, entry, RECEIPTS_FIRST + i, host_at(fw, &more, i));
    group_store(fw, list, GROUP_RECEIPTS, entry);
    group_store(fw, list, GROUP_FLAGS, group_load(fw, list, GROUP_FLAGS) | NI_GROUP_RECEIPTS);
    return NI_STATUS_OK;
}

/* ---- commands ---- */

/* What is done about a group, in this order. */
enum group_stage {
    STAGE_LOOK = 0,
    STAGE_RECEIPTS = 1,
    STAGE_BEGIN = 2,
    STAGE_COMPARE = 3,
    STAGE_APPEND = 4,
    STAGE_PUBLISH = 5
};

/* What the group has of the process while a list is set up. */
enum group_link {
    LINK_ANY = 0,  /* maybe an older list */
    LINK_NONE = 1, /* no list */
    LINK_THIS = 2  /* this list, which the operation makes anew */
};

static void begin_list(struct ni_firmware* fw, uint32_t list, uint32_t flags, const struct children* children) {
    const uint32_t words = children->kind != KIND_UNICAST ? children->words : 0;
    group_store(fw, list, GROUP_FLAGS, flags | words << 16);
    group_store(fw, list, GROUP_CHILDREN, 0);
    group_store(fw, list, GROUP_HOLDS, 0);
    group_store(fw, list, GROUP_NEXT, 0);
    group_store(fw, list, GROUP_END, group_first(fw, list));
    group_store(fw, list, GROUP_ONCE_LEFT, 0);
    group_store(fw, list, GROUP_TRAINS, 0);
    group_store(fw, list, GROUP_STATE, group_load(fw, list, GROUP_STATE) | GROUP_TAKEN);
}

/* Entries of a list with these children. */
static uint32_t entries_of(const struct children* children) {
    const uint32_t first = (GROUP_WORDS - GROUP_FIRST) / step_of(children);
    const uint32_t more = (GROUP_WORDS - GROUP_MORE) / step_of(children);
    return children->count <= first ? 1 : 1 + (children->count - first + more - 1) / more;
}

/* Nothing uses the process's old list, so the new one takes its place, or that in the entry that look-ups find, with as
 * many of its entries as it needs. */
static enum ni_status reuse(struct ni_firmware* fw, struct group_work* work, const struct group_name* name,
                            uint32_t flags, const struct children* children, bool receipted) {
    const uint32_t receipts = group_receipts(fw, work->list);
    const uint32_t behind = group_load(fw, work->list, GROUP_NEXT);
    const bool back = work->list != work->entry && (group_load(fw, work->entry, GROUP_STATE) & GROUP_TAKEN) == 0;
    uint32_t needed = entries_of(children) - 1;
    for (uint32_t next = behind; next != 0 && needed != 0; next = group_load(fw, next - 1, GROUP_NEXT)) --needed;
    if (needed + receipted > quota_left(&fw->group_quota, name->process) + back + (receipts != GROUP_NONE))
        return NI_STATUS_TABLE_FULL;
    if (receipts != GROUP_NONE) free_entry(fw, name->process, receipts);
    work->link = LINK_THIS;
    if (back) {
        free_entry(fw, name->process, unlink_list(fw, work->entry, name->process));
        work->list = work->entry;
        work->link = LINK_NONE;
        set_owner(fw, work->list, name->process, GROUP_NONE);
    }
    begin_list(fw, work->list, flags, children);
    group_store(fw, work->list, GROUP_NEXT, behind);
    return NI_STATUS_OK;
}

/* Makes an empty list, which the group gets when it is filled; `at_once`: in this operation. Until then the entry that
 * look-ups find is held, if it has another list, so that it stays when that goes. */
static enum ni_status begin_set(struct ni_firmware* fw, struct group_work* work, const struct group_name* name,
                                uint32_t flags, const struct children* children, bool receipted, bool at_once) {
    work->entry = group_find(fw, name->root, name->number);
    work->list = group_list_of(fw, work->entry, name->process);
    if (at_once && work->list != GROUP_NONE && group_load(fw, work->list, GROUP_HOLDS) == 0) {
        const enum ni_status status = reuse(fw, work, name, flags, children, receipted);
        if (status == NI_STATUS_OK && work->list != work->entry) group_hold(fw, work->entry);
        return status;
    }
    work->link = at_once && work->list == GROUP_NONE ? LINK_NONE : LINK_ANY;
    if (work->entry == GROUP_NONE) {
        work->entry = allocate(fw, name->process, name->root, name->number);
        if (work->entry == GROUP_NONE) return NI_STATUS_TABLE_FULL;
        group_store(fw, work->entry, GROUP_STATE, GROUP_FOUND | name->process << GROUP_PAYER_SHIFT);
        group_store(fw, work->entry, GROUP_LIST, 0);
    }
    work->list = work->entry;
    if ((group_load(fw, work->entry, GROUP_STATE) & GROUP_TAKEN) != 0) {
        work->list = allocate(fw, name->process, fw->host, NO_GROUP);
        if (work->list == GROUP_NONE) return NI_STATUS_TABLE_FULL;
        group_store(fw, work->list, GROUP_STATE, name->process << GROUP_PAYER_SHIFT);
        group_hold(fw, work->entry);
    }
    begin_list(fw, work->list, flags, children);
    set_owner(fw, work->list, name->process, GROUP_NONE);
    return NI_STATUS_OK;
}

/* The group has the list, instead of an older one of the process. */
static void publish(struct ni_firmware* fw, const struct group_work* work, uint32_t process) {
    if (work->link == LINK_THIS) return;
    const uint32_t old = work->link == LINK_ANY ? unlink_list(fw, work->entry, process) : GROUP_NONE;
    set_owner(fw, work->list, process, group_list(fw, work->entry));
    group_store(fw, work->entry, GROUP_LIST, work->list + 1);
    if (old != GROUP_NONE) retire(fw, work->entry, old);
}

/* The command is over. */
static bool ended(struct group_work* work) {
    *work = (struct group_work){.stage = STAGE_LOOK};
    return true;
}

/* The list is complete, or finds no room. */
static bool end_set(struct ni_firmware* fw, struct group_work* work, uint32_t process, enum ni_status status) {
    if (status == NI_STATUS_OK)
        publish(fw, work, process);
    else
        retire(fw, work->entry, work->list); /* another process may hold it as its entry */
    if (work->list != work->entry) group_release(fw, work->entry);
    return ended(work);
}

bool group_set(struct ni_firmware* fw, const struct group_name* name, uint32_t flags, const struct children* children,
               const struct receipts* receipts, enum ni_status* status) {
    struct group_work* const work = &fw->group_work[name->process];
    const bool receipted = (flags & NI_GROUP_RECEIPTS) != 0;
    const uint32_t own = (flags & 0xff & ~(uint32_t)NI_GROUP_RECEIPTS) | name->process << NI_GROUP_PROCESS_SHIFT;
    uint32_t left = GROUP_STEPS;
    *status = NI_STATUS_OK;
    if (work->stage == STAGE_LOOK) {
        if (look(fw, work, name->root, children, MAX_CHILDREN, &left, status) == PROGRESS_MADE) return false;
        if (*status == NI_STATUS_OK && receipted) *status = check_place(fw, name->root, flags, receipts);
        if (*status != NI_STATUS_OK) return ended(work);
        work->stage = STAGE_RECEIPTS;
    }
    if (work->stage == STAGE_RECEIPTS) {
        const struct children more = below(children, receipts);
        if (receipted && look(fw, work, name->root, &more, NI_GROUP_RECEIPT_CHILDREN, &left, status) == PROGRESS_MADE)
            return false;
        if (*status != NI_STATUS_OK) return ended(work);
        work->stage = STAGE_BEGIN;
    }
    const uint32_t steps = children->count * step_of(children) + (receipted ? receipts->count & 0xffff : 0);
    const bool at_once = steps <= GROUP_STEPS;
    if (work->stage == STAGE_BEGIN) {
        if (left < steps && left != GROUP_STEPS) return false;
        *status = begin_set(fw, work, name, own, children, receipted, at_once);
        if (*status != NI_STATUS_OK) return ended(work);
        work->stage = STAGE_APPEND;
    }
    if (work->stage == STAGE_APPEND) {
        if (append(fw, work, children, &left, status) == PROGRESS_MADE) return false;
        if (*status != NI_STATUS_OK) return end_set(fw, work, name->process, *status);
        free_behind(fw, name->process, place_entry(work->place), left);
        work->stage = STAGE_PUBLISH;
        if (!at_once) return false;
    }
    if (receipted) *status = add_receipts(fw, work->list, children, receipts);
    return end_set(fw, work, name->process, *status);
}

bool group_extend(struct ni_firmware* fw, const struct group_name* name, const struct children* children,
                  enum ni_status* status) {
    struct group_work* const work = &fw->group_work[name->process];
    struct children more = *children;
    const uint32_t list = group_list_of(fw, group_find(fw, name->root, name->number), name->process);
    uint32_t left = GROUP_STEPS;
    /* Its last message may have cleared it meanwhile. */
    *status = list == GROUP_NONE || (work->stage != STAGE_LOOK && work->list != list) ? NI_STATUS_UNKNOWN_GROUP
                                                                                      : NI_STATUS_OK;
    if (*status != NI_STATUS_OK) return ended(work);
    const uint32_t count = group_load(fw, list, GROUP_CHILDREN);
    const uint32_t flags = group_load(fw, list, GROUP_FLAGS);
    work->list = list;
    more.kind = group_kind(flags);
    more.words = flags >> 16;
    if (work->stage == STAGE_LOOK) {
        if (look(fw, work, name->root, &more, MAX_CHILDREN - count, &left, status) == PROGRESS_MADE) return false;
        if (*status != NI_STATUS_OK) return ended(work);
        work->stage = more.kind == KIND_UNICAST ? STAGE_COMPARE : STAGE_APPEND;
    }
    if (work->stage == STAGE_COMPARE) {
        if (compare(fw, work, count, &more, &left, status) == PROGRESS_MADE) return false;
        if (*status != NI_STATUS_OK) return ended(work);
        work->stage = STAGE_APPEND;
    }
    if (append(fw, work, &more, &left, status) == PROGRESS_MADE) return false;
    free_behind(fw, name->process, place_entry(group_load(fw, list, GROUP_END)), left); /* of what finds no room */
    return ended(work);
}

enum ni_status group_clear(struct ni_firmware* fw, const struct group_name* name) {
    const uint32_t entry = group_find(fw, name->root, name->number);
    const uint32_t list = group_list_of(fw, entry, name->process);
    if (list == GROUP_NONE) return NI_STATUS_UNKNOWN_GROUP;
    group_forget(fw, entry, list);
    return NI_STATUS_OK;
}
