/* SPDX-License-Identifier: Apache-2.0 */
#include "bitmaps.h"

#include "quotas.h"

enum { WORD_BITS = 32, BLOCK_BITS = BITMAP_WORDS * WORD_BITS };

/* The link that leads to the block, or that ends the list, or NULL if that is full. */
static uint16_t* find(struct ni_firmware* fw, struct message* message, uint32_t block) {
    uint16_t* link = &message->bitmaps;
    uint32_t left = BITMAPS_EACH;
    for (; *link != 0 && fw->bitmaps[*link - 1].block != block; --left) link = &fw->bitmaps[*link - 1].next;
    return left != 0 ? link : NULL;
}

/* The word of packet number `index` in its block. */
static uint32_t* word_of(struct bitmap* bitmap, uint32_t index) {
    return &bitmap->words[index % BLOCK_BITS / WORD_BITS];
}

static uint16_t allocate(struct ni_firmware* fw, uint32_t process) {
    const uint16_t first = fw->bitmaps_free;
    if (!quota_take(&fw->bitmap_quota, process)) return 0;
    if (first != 0) {
        fw->bitmaps_free = fw->bitmaps[first - 1].next;
        return first;
    }
    return (uint16_t)++fw->bitmaps_touched; /* the quotas together are as many as there are */
}

static void release(struct ni_firmware* fw, uint32_t process, uint16_t* link) {
    quota_give(&fw->bitmap_quota, process);
    const uint16_t entry = *link;
    *link = fw->bitmaps[entry - 1].next;
    fw->bitmaps[entry - 1].next = fw->bitmaps_free;
    fw->bitmaps_free = entry;
}

enum ni_status bitmap_note(struct ni_firmware* fw, struct message* message, uint32_t index) {
    const uint32_t block = index / BLOCK_BITS;
    uint16_t* const link = find(fw, message, block);
    if (link == NULL) return NI_STATUS_TABLE_FULL;
    if (*link == 0) {
        const uint16_t entry = allocate(fw, message->process);
        if (entry == 0) return NI_STATUS_TABLE_FULL;
        fw->bitmaps[entry - 1] = (struct bitmap){.block = block};
        *link = entry;
    }
    struct bitmap* const bitmap = &fw->bitmaps[*link - 1];
    uint32_t* const word = word_of(bitmap, index);
    const uint32_t bit = 1u << index % WORD_BITS;
    if ((*word & bit) != 0) return NI_STATUS_DUPLICATE;
    *word |= bit;
    ++bitmap->set;
    return NI_STATUS_OK;
}

static uint32_t bits_of_word(struct ni_firmware* fw, struct message* message, uint32_t index) {
    const uint16_t* const link = find(fw, message, index / BLOCK_BITS);
    return link != NULL && *link != 0 ? *word_of(&fw->bitmaps[*link - 1], index) : 0;
}

bool bitmap_has(struct ni_firmware* fw, struct message* message, uint32_t index) {
    return (bits_of_word(fw, message, index) >> index % WORD_BITS & 1) != 0;
}

uint32_t bitmap_bits(struct ni_firmware* fw, struct message* message, uint32_t index) {
    const uint32_t shift = index % WORD_BITS;
    const uint32_t bits = bits_of_word(fw, message, index) >> shift;
    return shift == 0 ? bits : bits | bits_of_word(fw, message, index + WORD_BITS) << (WORD_BITS - shift);
}

uint32_t bitmap_take(struct ni_firmware* fw, struct message* message, uint32_t index) {
    uint16_t* const link = find(fw, message, index / BLOCK_BITS);
    if (link == NULL || *link == 0) return 0;
    struct bitmap* const bitmap = &fw->bitmaps[*link - 1];
    uint32_t* const word = word_of(bitmap, index);
    const uint32_t bits = *word >> index % WORD_BITS;
    *word &= (1u << index % WORD_BITS) - 1;
    for (uint32_t rest = bits; rest != 0; rest &= rest - 1) --bitmap->set;
    if (bitmap->set == 0) release(fw, message->process, link);
    return bits;
}

void bitmap_clear(struct ni_firmware* fw, struct message* message) {
    while (message->bitmaps != 0) release(fw, message->process, &message->bitmaps);
}
