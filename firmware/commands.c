/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "control.h"
#include "counters.h"
#include "groups.h"
#include "hardware.h"
#include "messages.h"
#include "outgoing.h"
#include "rails.h"
#include "report.h"
#include "routes.h"
#include "send_queue.h"
#include "trains.h"

struct command {
    uint32_t entry;
    uint32_t address;
    uint32_t process;
    uint32_t operation; /* enum ni_command, or anything */
    uint32_t window;
    uint32_t flags;
    uint32_t cookie;
    uint32_t offset;
    uint32_t length;
    uint32_t to;
    uint32_t group;
    uint32_t message;
    uint32_t tag;
};

/* What becomes of a command that has had a turn. */
enum fate {
    FATE_ENDED = 0,  /* its entry is given back */
    FATE_HELD = 1,   /* its entry is needed for longer; the next command may follow */
    FATE_GOES_ON = 2 /* it takes more than one operation */
};

/* ---- queues ---- */

OFTEN void enqueue(struct ni_firmware* fw, struct process_queue* queue, uint32_t process) {
    fw->process[process].next_command = 0;
    if (queue->first == 0)
        queue->first = (uint8_t)(process + 1);
    else
        fw->process[queue->last - 1].next_command = (uint8_t)(process + 1);
    queue->last = (uint8_t)(process + 1);
}

void commands_note(struct ni_firmware* fw, uint32_t entry) {
    const uint32_t process = entry / fw->command_entries;
    if (process >= fw->processes) return; /* there is no such entry */
    struct queue* const commands = &fw->process[process].commands;
    fw->next_command[entry] = 0;
    if (commands->head == 0) {
        commands->head = (uint16_t)(entry + 1);
        enqueue(fw, &fw->commanding, process);
    } else {
        fw->next_command[commands->tail - 1] = (uint16_t)(entry + 1);
    }
    commands->tail = (uint16_t)(entry + 1);
}

void commands_go_on(struct ni_firmware* fw, uint32_t process) {
    if (!fw->process[process].stalled) return;
    fw->process[process].stalled = false;
    enqueue(fw, &fw->commanding, process);
}

/* ---- answers ---- */

static uint32_t group_of(const struct command* command) {
    const bool about_group =
        command->operation == NI_COMMAND_SEND_GROUP ||
        (command->operation >= NI_COMMAND_SET_GROUP && command->operation <= NI_COMMAND_CLEAR_GROUP);
    return about_group ? command->group & NO_GROUP : NO_GROUP;
}

static void answer(struct ni_firmware* fw, const struct command* command, enum ni_completion kind,
                   enum ni_status status) {
    if (status != NI_STATUS_OK) ++fw->statistics[NI_STATISTIC_STATUS + status];
    const struct completion completion = {
        .kind = kind,
        .status = status,
        .cookie = command->cookie,
        .source = NO_HOST,
        .message = command->message,
        .length = command->length,
        .tag = command->tag,
        .group = group_of(command),
    };
    report(fw, command->process, &completion);
}

/* ---- sends ---- */

/* Words of a command behind the fixed ones. */
static uint32_t words_behind(const struct ni_firmware* fw) {
    return fw->command_bytes / 4 - NI_COMMAND_WORDS;
}

static uint32_t kind_of(const struct command* command) {
    return (command->flags & NI_GROUP_KIND_MASK) >> NI_GROUP_KIND_SHIFT;
}

static bool is_operand(const struct command* command) {
    return command->operation == NI_COMMAND_SEND && (command->flags & NI_SEND_OPERAND) != 0;
}

static bool reserves(const struct command* command) {
    return command->operation == NI_COMMAND_SEND && (command->flags & NI_SEND_RESERVE) != 0;
}

static bool target_good(const struct ni_firmware* fw, const struct command* command, uint32_t to) {
    if (reserves(command))
        return !is_operand(command) && to < fw->hosts && to != fw->host && command->length <= NI_RESERVE_BYTES;
    if (!is_operand(command)) return to < fw->hosts;
    return to >= fw->hosts && to - fw->hosts < fw->units && command->length <= fw->payload;
}

static uint32_t behind(const struct ni_firmware* fw, const struct command* command, enum ni_command_word word) {
    return load(fw, command->address + 4 * (uint32_t)word);
}

/* What a SEND has to wait for. */
static bool gates_good(const struct ni_firmware* fw, const struct command* command) {
    const bool follows = (command->flags & NI_SEND_FOLLOW) != 0;
    const bool windowed = (command->flags & NI_SEND_WINDOW) != 0;
    if (!follows && (command->flags & NI_SEND_WHOLE) != 0) return false;
    if (!follows && !windowed) return true;
    if (is_operand(command) || reserves(command)) return false;
    if (follows &&
        (behind(fw, command, NI_COMMAND_COUNTER) >= fw->counter_quota || behind(fw, command, NI_COMMAND_STEP) == 0))
        return false;
    return !windowed || ((command->to & NO_HOST) != fw->host && behind(fw, command, NI_COMMAND_WINDOW) >= fw->payload);
}

/* The counters tell of all processes. */
static bool observes(const struct ni_firmware* fw, uint32_t process) {
    return (load(fw, NI_RIGHTS + NI_RIGHTS_STRIDE * process) & NI_RIGHTS_OBSERVE_MASK) != 0;
}

static enum ni_status check_send(const struct ni_firmware* fw, const struct command* command, uint32_t* list) {
    const uint32_t to = command->to & NO_HOST;
    if (command->length == 0 || command->length - 1 > UINT32_MAX - command->offset) return NI_STATUS_BAD_COMMAND;
    if (command->operation != NI_COMMAND_SEND && (command->flags & (NI_SEND_WINDOW | NI_SEND_SECOND)) != 0)
        return NI_STATUS_BAD_COMMAND;
    switch (command->operation) {
        case NI_COMMAND_SEND:
            return target_good(fw, command, to) && gates_good(fw, command) ? NI_STATUS_OK : NI_STATUS_BAD_COMMAND;
        case NI_COMMAND_SEND_WORM: {
            const uint32_t address = command->address + 4 * NI_COMMAND_WORDS;
            return route_good(fw, kind_of(command), address, words_behind(fw)) ? NI_STATUS_OK : NI_STATUS_BAD_COMMAND;
        }
        case NI_COMMAND_SEND_GROUP:
            if (to != fw->host || (command->group & NO_GROUP) == NO_GROUP) return NI_STATUS_BAD_COMMAND;
            *list = group_list_of(fw, group_find(fw, fw->host, command->group & NO_GROUP), command->process);
            return *list != GROUP_NONE ? NI_STATUS_OK : NI_STATUS_UNKNOWN_GROUP;
        default: /* NI_COMMAND_STATISTICS */
            if (command->length % 4 != 0) return NI_STATUS_BAD_COMMAND;
            return observes(fw, command->process) ? NI_STATUS_OK : NI_STATUS_REFUSED;
    }
}

static void set_gates(const struct ni_firmware* fw, const struct command* command, struct send* send) {
    send->gated = (command->flags & (NI_SEND_FOLLOW | NI_SEND_WINDOW)) != 0;
    send->queue = (command->flags & NI_SEND_SECOND) != 0;
    send->allowed = send->length;
    if ((command->flags & NI_SEND_FOLLOW) != 0) {
        send->allowed = 0;
        send->counter = counter_of(fw, command->process, behind(fw, command, NI_COMMAND_COUNTER));
        send->step = behind(fw, command, NI_COMMAND_STEP);
        send->whole = (command->flags & NI_SEND_WHOLE) != 0;
    }
    if ((command->flags & NI_SEND_WINDOW) == 0) return;
    send->limit = behind(fw, command, NI_COMMAND_WINDOW);
    send->op |= OP_ACKNOWLEDGE;
}

static void start_group(struct ni_firmware* fw, struct send* send, uint32_t list, uint32_t children, bool reliable) {
    const uint32_t flags = group_load(fw, list, GROUP_FLAGS);
    send->list = (uint16_t)list;
    send->kind |= (uint8_t)group_kind(flags);
    group_hold(fw, list);
    if ((flags & NI_GROUP_FCFS) != 0 && children > 1 && send->length > fw->payload && !reliable)
        send->train = train_of_send(fw, list, children, send->group >> 16, send->length);
}

static bool is_reliable(const struct command* command) {
    return (command->flags & NI_SEND_RELIABLE) != 0 && command->operation != NI_COMMAND_STATISTICS;
}

/* Finds the flow of a reliable message, and the list of its group. */
static enum ni_status check_reliable(struct ni_firmware* fw, const struct command* command, uint32_t* list,
                                     struct outflow** flow) {
    uint32_t group = NO_GROUP;
    if ((command->flags & NI_SEND_WINDOW) != 0 || is_operand(command) || reserves(command) ||
        fw->payload < 4 * RECEIPT_WORDS)
        return NI_STATUS_BAD_COMMAND;
    if (command->operation == NI_COMMAND_SEND) {
        if ((command->to & NO_HOST) == fw->host || command->to >> 24 >= PROCESSES) return NI_STATUS_BAD_COMMAND;
    } else {
        group = command->group & NO_GROUP;
        *list = group == NO_GROUP ? GROUP_NONE : group_list_of(fw, group_find(fw, fw->host, group), command->process);
        const uint32_t receipts = group_receipts(fw, *list);
        if (receipts == GROUP_NONE || receipts_children(fw, receipts) == 0) return NI_STATUS_BAD_COMMAND;
        if (command->operation == NI_COMMAND_SEND_GROUP && group_load(fw, *list, GROUP_CHILDREN) == 0)
            return NI_STATUS_BAD_COMMAND;
    }
    *flow = outgoing_flow(fw, command->process, command->to, group);
    return *flow != NULL ? NI_STATUS_OK : NI_STATUS_TABLE_FULL;
}

static void begin_reliable(struct ni_firmware* fw, const struct command* command, struct send* send,
                           struct outflow* flow, uint32_t list) {
    if (command->operation == NI_COMMAND_SEND) send->group = NO_GROUP;
    if (command->operation == NI_COMMAND_SEND_WORM) {
        send->list = (uint16_t)list; /* of its receipts */
        group_hold(fw, list);
    }
    outgoing_begin(fw, send, flow, group_receipts(fw, list),
                   (command->flags & NI_SEND_PATIENCE_MASK) >> NI_SEND_PATIENCE_SHIFT);
}

static enum fate do_send(struct ni_firmware* fw, struct command* command) {
    uint32_t list = GROUP_NONE;
    uint32_t receipts = GROUP_NONE; /* list of the group whose members acknowledge */
    struct outflow* flow = NULL;
    enum ni_status status = check_send(fw, command, &list);
    if (status == NI_STATUS_OK && is_reliable(command)) status = check_reliable(fw, command, &receipts, &flow);
    if (status != NI_STATUS_OK) {
        answer(fw, command, NI_COMPLETION_FAILED, status);
        return FATE_ENDED;
    }
    const uint32_t children = list != GROUP_NONE ? group_load(fw, list, GROUP_CHILDREN) : 1;
    if (children == 0) {
        ++fw->statistics[NI_STATISTIC_MESSAGES_SENT];
        answer(fw, command, NI_COMPLETION_SENT, NI_STATUS_OK);
        return FATE_ENDED;
    }
    const bool worm = command->operation == NI_COMMAND_SEND_WORM;
    const bool statistics = command->operation == NI_COMMAND_STATISTICS;
    if (statistics && command->length > 4 * NI_STATISTICS) command->length = 4 * NI_STATISTICS;
    struct send* const send = send_allocate(fw, command->process);
    send->operation = (uint8_t)command->operation;
    send->window = (uint8_t)command->window;
    send->command = command->entry;
    send->cookie = command->cookie;
    send->offset = command->offset;
    send->length = command->length;
    send->to = command->to;
    send->group = command->group;
    send->message = command->message;
    send->tag = command->tag;
    send->kind = (uint8_t)(command->flags & NI_SEND_CLASS_MASK);
    if (is_operand(command)) send->op = OP_OPERAND;
    if (command->operation == NI_COMMAND_SEND) set_gates(fw, command, send);
    if (list != GROUP_NONE) start_group(fw, send, list, children, flow != NULL);
    if (worm) {
        send->kind |= (uint8_t)kind_of(command);
        route_hold(fw, command->entry, 1);
    }
    if (reserves(command)) {
        send->ties = TIE_RAIL;
        rail_ask(fw, send, (command->flags & NI_SEND_URGENT) != 0);
    } else if (flow != NULL) {
        begin_reliable(fw, command, send, flow, receipts);
    } else {
        send_begin(fw, send);
    }
    return worm ? FATE_HELD : FATE_ENDED;
}

/* ---- other commands ---- */

static enum ni_status expect(struct ni_firmware* fw, const struct command* command, const struct buffer* buffer) {
    const uint32_t counter = behind(fw, command, NI_COMMAND_COUNTER);
    struct expected expected = {.source = command->to, .number = command->message};
    if ((command->to & NO_HOST) >= fw->hosts + fw->units) return NI_STATUS_BAD_COMMAND;
    if (counter != 0xffffffffu) {
        expected.step = behind(fw, command, NI_COMMAND_STEP);
        expected.tell = behind(fw, command, NI_COMMAND_TELL);
        if (counter >= fw->counter_quota || expected.step == 0 || expected.tell == 0) return NI_STATUS_BAD_COMMAND;
        expected.counter = counter_of(fw, command->process, counter);
    }
    return message_expect(fw, command->process, buffer, &expected);
}

static void do_receive(struct ni_firmware* fw, const struct command* command) {
    const struct buffer buffer = {command->window, command->offset, command->length, command->cookie};
    enum ni_status status = NI_STATUS_OK;
    if (command->length == 0 || command->length - 1 > UINT32_MAX - command->offset ||
        (command->flags & ~(uint32_t)NI_RECEIVE_EXPECTED) != 0)
        status = NI_STATUS_BAD_COMMAND;
    else if ((command->flags & NI_RECEIVE_EXPECTED) != 0)
        status = expect(fw, command, &buffer);
    else if (!message_post(fw, command->process, &buffer))
        status = NI_STATUS_TABLE_FULL;
    if (status != NI_STATUS_OK) answer(fw, command, NI_COMPLETION_FAILED, status);
}

static void do_set_counter(struct ni_firmware* fw, const struct command* command) {
    const bool good = command->group < fw->counter_quota;
    if (good) counters_set(fw, counter_of(fw, command->process, command->group), command->length);
    answer(fw, command, good ? NI_COMPLETION_COUNTER_SET : NI_COMPLETION_FAILED,
           good ? NI_STATUS_OK : NI_STATUS_BAD_COMMAND);
}

/* The flags of SET_GROUP, and what they say of the process. */
static enum ni_status check_group(const struct ni_firmware* fw, const struct command* command,
                                  const struct group_name* name) {
    const uint32_t known = NI_GROUP_FCFS | NI_GROUP_DELIVER | NI_GROUP_ONCE | NI_GROUP_KIND_MASK | NI_GROUP_RECEIPTS;
    if (name->root >= fw->hosts || name->number == NO_GROUP || (command->flags & 0xff & ~known) != 0)
        return NI_STATUS_BAD_COMMAND;
    const bool others = command->flags >> NI_GROUP_PROCESS_SHIFT != command->process;
    return (command->flags & NI_GROUP_DELIVER) != 0 && others ? NI_STATUS_NO_PROCESS : NI_STATUS_OK;
}

static RARE bool group_part(struct ni_firmware* fw, const struct command* command, enum ni_status* status) {
    struct process* const process = &fw->process[command->process];
    const struct children children = {.address = command->address + 4 * NI_COMMAND_WORDS,
                                      .count = command->length,
                                      .kind = kind_of(command),
                                      .words = command->offset,
                                      .most = words_behind(fw)};
    struct group_name name = {command->process, command->to & NO_HOST, command->group & NO_GROUP};
    if (command->operation == NI_COMMAND_EXTEND_GROUP) {
        name.root = process->extend_root;
        name.number = process->extend_group;
        return group_extend(fw, &name, &children, status);
    }
    *status = command->operation == NI_COMMAND_CLEAR_GROUP ? group_clear(fw, &name) : check_group(fw, command, &name);
    if (command->operation == NI_COMMAND_CLEAR_GROUP || *status != NI_STATUS_OK) return true;
    const struct receipts receipts = {.parent = command->message, .count = command->tag};
    process->extend_root = name.root;
    process->extend_group = name.number;
    return group_set(fw, &name, command->flags, &children, &receipts, status);
}

static RARE enum fate do_group(struct ni_firmware* fw, const struct command* command) {
    enum ni_status status = NI_STATUS_OK;
    if (!group_part(fw, command, &status)) return FATE_GOES_ON;
    answer(fw, command, NI_COMPLETION_GROUP_SET, status);
    return FATE_ENDED;
}

static RARE void do_withdraw(struct ni_firmware* fw, const struct command* command) {
    const uint32_t to = command->to & NO_HOST;
    enum ni_status status = NI_STATUS_BAD_COMMAND;
    if (to < fw->hosts && to != fw->host)
        status = rail_withdraw(fw, command->process, to, command->group) ? NI_STATUS_OK : NI_STATUS_TABLE_FULL;
    answer(fw, command, status == NI_STATUS_OK ? NI_COMPLETION_WITHDRAWN : NI_COMPLETION_FAILED, status);
}

/* ---- turns ---- */

static enum fate take_up(struct ni_firmware* fw, struct command* command) {
    switch (command->operation) {
        case NI_COMMAND_SEND:
        case NI_COMMAND_SEND_WORM:
        case NI_COMMAND_SEND_GROUP:
        case NI_COMMAND_STATISTICS: return do_send(fw, command);
        case NI_COMMAND_RECEIVE: do_receive(fw, command); break;
        case NI_COMMAND_SET_GROUP:
        case NI_COMMAND_EXTEND_GROUP:
        case NI_COMMAND_CLEAR_GROUP: return do_group(fw, command);
        case NI_COMMAND_WITHDRAW: do_withdraw(fw, command); break;
        case NI_COMMAND_SET_COUNTER: do_set_counter(fw, command); break;
        default: answer(fw, command, NI_COMPLETION_FAILED, NI_STATUS_BAD_COMMAND); break;
    }
    return FATE_ENDED;
}

/* The first command of its process has had a turn. Those behind one that goes on wait for it. */
OFTEN void end_turn(struct ni_firmware* fw, const struct command* command, enum fate fate) {
    struct queue* const commands = &fw->process[command->process].commands;
    if (fate == FATE_GOES_ON) {
        enqueue(fw, &fw->later, command->process);
        return;
    }
    commands->head = fw->next_command[command->entry];
    if (commands->head != 0) enqueue(fw, &fw->commanding, command->process);
    if (fate == FATE_ENDED) store(fw, NI_COMMAND_DONE, command->entry);
}

static bool needs_send(uint32_t operation) {
    return (operation >= NI_COMMAND_SEND && operation <= NI_COMMAND_SEND_GROUP) || operation == NI_COMMAND_STATISTICS;
}

static inline struct command read_command(const struct ni_firmware* fw, uint32_t entry, uint32_t process) {
    const uint32_t address = command_address(fw, entry);
    const uint32_t first = load(fw, address + 4 * NI_COMMAND_OPERATION);
    return (struct command){
        .entry = entry,
        .address = address,
        .process = process,
        .operation = first & 0xff,
        .window = first >> 8 & 0xff,
        .flags = first >> 16,
        .cookie = load(fw, address + 4 * NI_COMMAND_COOKIE),
        .offset = load(fw, address + 4 * NI_COMMAND_OFFSET),
        .length = load(fw, address + 4 * NI_COMMAND_LENGTH),
        .to = load(fw, address + 4 * NI_COMMAND_TO),
        .group = load(fw, address + 4 * NI_COMMAND_GROUP),
        .message = load(fw, address + 4 * NI_COMMAND_MESSAGE),
        .tag = load(fw, address + 4 * NI_COMMAND_TAG),
    };
}

bool commands_take(struct ni_firmware* fw) {
    while (fw->commanding.first != 0) {
        const uint32_t number = fw->commanding.first - 1u;
        struct process* const process = &fw->process[number];
        fw->commanding.first = process->next_command;
        struct command command = read_command(fw, process->commands.head - 1u, number);
        if (needs_send(command.operation) && process->sends_used == fw->send_quota) {
            process->stalled = true;
            continue;
        }
        process->errors_reported = 0;
        ++fw->statistics[NI_STATISTIC_COMMANDS];
        const enum fate fate = take_up(fw, &command);
        if (fate == FATE_GOES_ON) ++fw->counting;
        end_turn(fw, &command, fate);
        return true;
    }
    return false;
}

RARE bool commands_go_on_with(struct ni_firmware* fw) {
    if (fw->later.first == 0 || !report_room(fw)) return false;
    const uint32_t number = fw->later.first - 1u;
    const struct process* const process = &fw->process[number];
    fw->later.first = process->next_command;
    const struct command command = read_command(fw, process->commands.head - 1u, number);
    const enum fate fate = do_group(fw, &command);
    if (fate == FATE_ENDED) --fw->counting;
    end_turn(fw, &command, fate);
    return true;
}
