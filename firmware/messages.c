/* SPDX-License-Identifier: Apache-2.0 */
#include "messages.h"

#include "bitmaps.h"
#include "hardware.h"
#include "order.h"
#include "report.h"

/* A transfer's argument: what it was for in bits 27..26, 0 for received packets, with process, generation and entry. */
enum { PROCESS_SHIFT = 20, PROCESS_MASK = 0x3f, GENERATION_SHIFT = 10, GENERATION_MASK = 0xff, ENTRY_MASK = 0x3ff };

static uint32_t index_of(const struct ni_firmware* fw, const struct message* message) {
    return (uint32_t)(message - fw->messages);
}

/* Messages of one sender to one receiver are in one bucket, the latest first: so it is known how many they are. */
static inline uint16_t* bucket_of(struct ni_firmware* fw, const struct message_key* key) {
    return &fw->buckets[(key->source ^ key->process << 17) * 0x9e3779b1u >> 22];
}

/* Those that are expected may be many, and count for the receiver. */
static uint16_t* bucket_of_expected(struct ni_firmware* fw, const struct message_key* key) {
    const uint32_t mixed = (key->source ^ key->process << 17) * 0x9e3779b1u + key->number * 0x85ebca6bu;
    return &fw->buckets[mixed >> 22];
}

static inline struct message* find_in(struct ni_firmware* fw, uint16_t entry, const struct message_key* key) {
    while (entry != 0) {
        struct message* const message = &fw->messages[entry - 1];
        if (same_message(&message->key, key)) return message;
        entry = message->next;
    }
    return NULL;
}

static inline struct message* find(struct ni_firmware* fw, const struct message_key* key, const uint16_t* bucket) {
    struct message* const message = find_in(fw, *bucket, key);
    if (message != NULL || fw->expecting == 0) return message;
    return find_in(fw, *bucket_of_expected(fw, key), key);
}

static bool full(const struct ni_firmware* fw, uint16_t entry) {
    uint32_t left = BUCKET_MOST;
    for (; entry != 0 && left != 0; --left) entry = fw->messages[entry - 1].next;
    return left == 0;
}

static void out_of_bucket(struct ni_firmware* fw, struct message* message) {
    uint16_t* link = message->expected ? bucket_of_expected(fw, &message->key) : bucket_of(fw, &message->key);
    if (message->expected) --fw->expecting;
    while (&fw->messages[*link - 1] != message) link = &fw->messages[*link - 1].next;
    *link = message->next;
    if (message->total > fw->payload) --fw->half;
}

void half_received(struct ni_firmware* fw) {
    ++fw->half;
    if (fw->ticking) return;
    fw->ticking = true;
    store(fw, NI_TIMER, TICK);
}

/* ---- buffers ---- */

static void append(struct ni_firmware* fw, struct queue* queue, struct message* message) {
    const uint16_t entry = (uint16_t)(index_of(fw, message) + 1);
    message->next = 0;
    if (queue->head == 0)
        queue->head = entry;
    else
        fw->messages[queue->tail - 1].next = entry;
    queue->tail = entry;
}

/* A buffer, or NULL if the process has as many as it may. */
static struct message* take(struct ni_firmware* fw, uint32_t process, const struct buffer* buffer) {
    struct process* const owner = &fw->process[process];
    if (owner->buffers_used == fw->buffer_quota) return NULL;
    ++owner->buffers_used;
    uint16_t entry = fw->messages_free;
    if (entry != 0)
        fw->messages_free = fw->messages[entry - 1].next;
    else
        entry = (uint16_t)++fw->messages_touched; /* the quotas together are not more than there are */
    struct message* const message = &fw->messages[entry - 1];
    message->process = (uint8_t)process;
    message->window = (uint8_t)buffer->window;
    message->offset = buffer->offset;
    message->length = buffer->length;
    message->cookie = buffer->cookie;
    message->expected = false;
    message->step = 0;
    return message;
}

bool message_post(struct ni_firmware* fw, uint32_t process, const struct buffer* buffer) {
    struct message* const message = take(fw, process, buffer);
    if (message == NULL) return false;
    message->state = MESSAGE_POSTED;
    append(fw, &fw->process[process].buffers, message);
    return true;
}

static inline void into_bucket(struct ni_firmware* fw, struct message* message, uint16_t* bucket) {
    message->next = *bucket;
    *bucket = (uint16_t)(index_of(fw, message) + 1);
    message->in_order = 0;
    message->ahead = 0;
    message->received = 0;
}

enum ni_status message_expect(struct ni_firmware* fw, uint32_t process, const struct buffer* buffer,
                              const struct expected* expected) {
    const struct message_key key = {expected->source, process, expected->number};
    if (find(fw, &key, bucket_of(fw, &key)) != NULL) return NI_STATUS_BAD_COMMAND;
    uint16_t* const bucket = bucket_of_expected(fw, &key);
    if (full(fw, *bucket)) return NI_STATUS_TABLE_FULL;
    struct message* const message = take(fw, process, buffer);
    if (message == NULL) return NI_STATUS_TABLE_FULL;
    message->state = MESSAGE_EXPECTED;
    message->expected = true;
    message->key = key;
    message->total = buffer->length;
    message->step = expected->step;
    message->counter = expected->counter;
    message->tell = expected->tell;
    message->counted = 0;
    ++fw->expecting;
    into_bucket(fw, message, bucket);
    return NI_STATUS_OK;
}

static void release(struct ni_firmware* fw, struct message* message) {
    bitmap_clear(fw, message);
    ++message->generation;
    message->state = MESSAGE_COUNTING;
    if (!message->owing) message_counted(fw, message);
}

void message_counted(struct ni_firmware* fw, struct message* message) {
    --fw->process[message->process].buffers_used;
    message->state = MESSAGE_FREE;
    message->next = fw->messages_free;
    fw->messages_free = (uint16_t)(index_of(fw, message) + 1);
}

/* ---- messages of which a part was dropped ---- */

/* Each sender to each receiver has a set of its own, but for chance: it can make nobody else's be forgotten. */
static struct shunned* shunned_set(struct ni_firmware* fw, const struct message_key* key) {
    return fw->shunned[(key->source ^ key->process << 17) * 0x9e3779b1u >> 16 & (SHUNNED_SETS - 1)];
}

static void shun(struct ni_firmware* fw, const struct message_key* key, uint32_t left, enum ni_status status) {
    if (left == 0) return;
    struct shunned* const set = shunned_set(fw, key);
    struct shunned* entry = &set[fw->shunned_next++ % SHUNNED_EACH]; /* of those that are all in use */
    for (uint32_t i = SHUNNED_EACH; i != 0; --i)
        if (set[i - 1].left == 0) entry = &set[i - 1];
    if (entry->left == 0) ++fw->shunned_count;
    *entry = (struct shunned){*key, left, status};
}

/* The reason if the message is one of these; `bytes` more of it have come, or do not come. */
static enum ni_status shunned(struct ni_firmware* fw, const struct message_key* key, uint32_t bytes) {
    struct shunned* const set = shunned_set(fw, key);
    for (uint32_t i = 0; i < SHUNNED_EACH; ++i) {
        struct shunned* const entry = &set[i];
        if (entry->left == 0 || !same_message(&entry->key, key)) continue;
        entry->left = entry->left > bytes ? entry->left - bytes : 0;
        if (entry->left == 0) --fw->shunned_count;
        return (enum ni_status)entry->status;
    }
    return NI_STATUS_OK;
}

struct completion message_facts(const struct message* message) {
    return (struct completion){.source = message->key.source & NO_HOST,
                               .source_process = message->key.source >> 24,
                               .message = message->key.number,
                               .length = message->total,
                               .tag = message->tag,
                               .group = message->group};
}

void message_post_first(struct ni_firmware* fw, struct message* message) {
    const uint16_t entry = message_number(fw, message);
    struct queue* const buffers = &fw->process[message->process].buffers;
    message->state = MESSAGE_POSTED;
    message->next = buffers->head;
    if (buffers->head == 0) buffers->tail = entry;
    buffers->head = entry;
}

/* A half-received message ends, of which `left` bytes may still come. */
static void take_back(struct ni_firmware* fw, struct message* message, uint32_t left) {
    out_of_bucket(fw, message);
    bitmap_clear(fw, message);
    ++message->generation;
    shun(fw, &message->key, left, NI_STATUS_INCOMPLETE);
    message_post_first(fw, message);
}

/* ---- packets ---- */

static void give_up(struct ni_firmware* fw, struct message* message, uint32_t left) {
    struct completion about = message_facts(message);
    report_error(fw, NI_STATUS_INCOMPLETE, message->process, &about);
    take_back(fw, message, left);
}

static bool of_sender(const struct message* message, const struct message_key* key) {
    return message->key.source == key->source && message->key.process == key->process && !message->expected;
}

/* A walk through the bucket of a sender to a receiver. */
struct half {
    uint32_t count;         /* half-received messages of that sender */
    struct message* oldest; /* of these */
    uint32_t steps;         /* messages in the bucket */
    struct message* last;   /* the oldest one that is not expected, whoever has sent it */
};

static struct half look_at_half(struct ni_firmware* fw, const struct message_key* key) {
    struct half found = {.count = 0};
    for (uint16_t entry = *bucket_of(fw, key); entry != 0; entry = fw->messages[entry - 1].next) {
        struct message* const message = &fw->messages[entry - 1];
        ++found.steps;
        if (!message->expected) found.last = message;
        if (!of_sender(message, key)) continue;
        found.oldest = message;
        ++found.count;
    }
    return found;
}

/* The oldest half-received message of a sender gives its buffer back. */
static void prune(struct ni_firmware* fw, struct message* oldest) {
    struct completion about = message_facts(oldest);
    report_error_behind(fw, NI_STATUS_INCOMPLETE, oldest->process, &about);
    take_back(fw, oldest, oldest->total - oldest->received);
}

/* A sender begins another message while its bucket has some. Returns how many are its own. */
static RARE uint32_t limit(struct ni_firmware* fw, const struct message_key* key) {
    const struct half found = look_at_half(fw, key);
    if (found.count >= HALF_MOST)
        prune(fw, found.oldest);
    else if (found.steps >= BUCKET_MOST && found.last != NULL)
        prune(fw, found.last);
    return found.count;
}

/* No buffer is left for a message: a sender with more than its part of them gives one back. Its messages are most
 * likely to be found, so only some entries are looked at, down from the buffer posted last; without success, next time
 * those behind. */
static RARE void reclaim(struct ni_firmware* fw, const struct message_key* key, uint32_t own) {
    const struct process* const owner = &fw->process[key->process];
    const uint32_t part = owner->buffers_used / HALF_PART;
    const uint32_t most = own < part ? part : own + 1;
    if (fw->messages_touched == 0) return;
    uint32_t entry = (owner->buffers.tail + fw->reclaim_at) % fw->messages_touched;
    for (uint32_t steps = 0; steps < RECLAIM_STEPS; ++steps, --fw->reclaim_at) {
        entry = (entry != 0 ? entry : fw->messages_touched) - 1;
        const struct message* const half = &fw->messages[entry];
        if (half->state != MESSAGE_UNDER_WAY || half->process != key->process || half->expected) continue;
        const struct message_key sender = half->key;
        const struct half found = look_at_half(fw, &sender);
        steps += found.steps;
        if (found.count <= most) continue;
        prune(fw, found.oldest);
        return;
    }
}

static struct message* begin(struct ni_firmware* fw, const struct packet* packet, const struct message_key* key,
                             uint16_t* bucket, enum ni_status* status) {
    if (fw->shunned_count != 0) {
        *status = shunned(fw, key, packet->length);
        if (*status != NI_STATUS_OK) return NULL;
    }
    struct queue* const buffers = &fw->process[key->process].buffers;
    const uint32_t half = *bucket != 0 ? limit(fw, key) : 0;
    if (buffers->head == 0) reclaim(fw, key, half);
    struct message* const message = buffers->head != 0 ? &fw->messages[buffers->head - 1] : NULL;
    if (message == NULL || message->length < packet->total) {
        *status = message == NULL ? NI_STATUS_NO_BUFFER : NI_STATUS_BUFFER_TOO_SMALL;
        shun(fw, key, packet->total - packet->length, *status);
        return NULL;
    }
    buffers->head = message->next;
    message->state = MESSAGE_UNDER_WAY;
    message->key = *key;
    message->total = packet->total;
    message->tag = packet->tag;
    message->group = (uint16_t)packet->group;
    into_bucket(fw, message, bucket);
    if (packet->total > fw->payload) half_received(fw);
    return message;
}

/* Something of an expected message has come. */
static void begin_expected(struct ni_firmware* fw, struct message* message, const struct packet* packet) {
    message->state = MESSAGE_UNDER_WAY;
    message->tag = packet->tag;
    message->group = (uint16_t)packet->group;
    message->tick = fw->tick;
    if (packet->total > fw->payload) half_received(fw);
}

/* Notes the packet. Its offset is a multiple of the payload. */
static enum ni_status note(struct ni_firmware* fw, struct message* message, const struct packet* packet) {
    if (packet->total != message->total) return NI_STATUS_MALFORMED;
    if (message->state == MESSAGE_EXPECTED) begin_expected(fw, message, packet);
    return order_note(fw, message, packet->offset, packet->length);
}

struct message* message_place(struct ni_firmware* fw, const struct packet* packet, uint32_t process,
                              enum ni_status* status) {
    const struct message_key key = packet_key(packet, process);
    uint16_t* const bucket = bucket_of(fw, &key);
    struct message* message = find(fw, &key, bucket);
    if (message == NULL) message = begin(fw, packet, &key, bucket, status);
    if (message == NULL) return NULL;
    *status = note(fw, message, packet);
    return *status == NI_STATUS_OK ? message : NULL;
}

bool message_behind(struct ni_firmware* fw, struct message* message) {
    return order_behind(fw, message);
}

void message_go_on(struct ni_firmware* fw, struct message* message) {
    order_go_on(fw, message);
}

void message_end(struct ni_firmware* fw, struct message* message) {
    out_of_bucket(fw, message);
    release(fw, message);
}

/* ---- what goes wrong later ---- */

uint32_t message_cookie(const struct ni_firmware* fw, const struct message* message) {
    return (uint32_t)message->process << PROCESS_SHIFT | (uint32_t)message->generation << GENERATION_SHIFT |
           index_of(fw, message);
}

/* It ends in `failed`. What it has counted it has counted; nothing more is. */
static void fail(struct ni_firmware* fw, struct message* message, enum message_state state) {
    out_of_bucket(fw, message);
    message->state = (uint8_t)state;
    message->in_order = 0;
    append(fw, &fw->failed, message);
}

void message_refused(struct ni_firmware* fw, uint32_t cookie) {
    struct message* const message = &fw->messages[cookie & ENTRY_MASK];
    if (message->generation == (cookie >> GENERATION_SHIFT & GENERATION_MASK)) {
        if (message->state != MESSAGE_UNDER_WAY) return; /* not the first refusal */
        fail(fw, message, MESSAGE_FAILED);
    } else {
        struct completion about = {.source = NO_HOST, .group = NO_GROUP};
        report_error(fw, NI_STATUS_REFUSED, cookie >> PROCESS_SHIFT & PROCESS_MASK, &about);
    }
}

void message_report_failed(struct ni_firmware* fw) {
    struct message* const message = &fw->messages[fw->failed.head - 1];
    fw->failed.head = message->next;
    struct completion completion = message_facts(message);
    completion.kind = NI_COMPLETION_FAILED;
    completion.status = message->state == MESSAGE_EXPIRED ? NI_STATUS_INCOMPLETE : NI_STATUS_REFUSED;
    completion.cookie = message->cookie;
    ++fw->statistics[NI_STATISTIC_STATUS + completion.status];
    report(fw, message->process, &completion);
    shun(fw, &message->key, message->total - message->received, completion.status);
    release(fw, message);
}

bool message_expire(struct ni_firmware* fw, uint32_t index) {
    struct message* const message = &fw->messages[index];
    if (message->state != MESSAGE_UNDER_WAY || (uint8_t)(fw->tick - message->tick) < 2) return false;
    if (message->expected)
        fail(fw, message, MESSAGE_EXPIRED); /* nothing else may land there */
    else
        give_up(fw, message, message->total - message->received);
    return true;
}

void message_abort(struct ni_firmware* fw, const struct packet* packet, uint32_t process) {
    const struct message_key key = packet_key(packet, process);
    struct message* const message = find(fw, &key, bucket_of(fw, &key));
    if (message == NULL) {
        if (packet->total > packet->offset) shunned(fw, &key, packet->total - packet->offset);
    } else if (message->state == MESSAGE_UNDER_WAY && message->expected) {
        fail(fw, message, MESSAGE_EXPIRED);
    } else if (message->state == MESSAGE_UNDER_WAY) {
        give_up(fw, message, packet->offset > message->received ? packet->offset - message->received : 0);
    }
}
