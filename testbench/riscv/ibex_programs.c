/* SPDX-License-Identifier: Apache-2.0 */
/* Routines on which the cycles of the simulator are compared with those of Ibex: what firmware consists of, and what it
 * should not do but may. Linked with the firmware's start-up code. */
#include <stddef.h>
#include <stdint.h>

#define ROUTINE __attribute__((noinline, noclone))

enum { WORDS = 64, ROUNDS = 3 };

static volatile uint32_t* const registers = (volatile uint32_t*)0x40000000u;
static volatile uint32_t* const acknowledge = (volatile uint32_t*)0x40000040u;
static uint8_t* const packets = (uint8_t*)0x20000000u;

static uint32_t words[2 * WORDS + 2];
static volatile uint32_t interrupts;

struct node {
    struct node* next;
    uint32_t key;
};
static struct node nodes[32];

void interrupt_handler(void);
_Noreturn void exception_handler(uint32_t cause);

void interrupt_handler(void) {
    interrupts += 1 + (*acknowledge & 1u);
}

_Noreturn void exception_handler(uint32_t cause) {
    registers[1] = cause;
    for (;;) __asm__ volatile("");
}

ROUTINE static void copy_words(volatile uint32_t* to, const uint32_t* from, size_t count) {
    for (size_t index = 0; index < count; ++index) to[index] = from[index];
}

ROUTINE static void copy_bytes(volatile uint8_t* to, const uint8_t* from, size_t count) {
    while (count-- > 0) *to++ = *from++;
}

/* Words that cross word boundaries. */
ROUTINE static uint32_t sum_unaligned(const uint8_t* from, size_t count) {
    uint32_t sum = 0;
    for (size_t index = 0; index < count; ++index) {
        uint32_t value;
        __asm__ volatile("lw %0, 0(%1)" : "=r"(value) : "r"(from + 4 * index));
        sum += value;
    }
    return sum;
}

ROUTINE static uint32_t crc32_of(const uint8_t* bytes, size_t count) {
    uint32_t crc = ~0u;
    while (count-- > 0) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1u));
    }
    return ~crc;
}

ROUTINE static uint32_t random_of(uint32_t* state) {
    return *state = *state * 1664525u + 1013904223u;
}

ROUTINE static void sort(uint32_t* values, size_t count) {
    for (size_t at = 1; at < count; ++at) {
        const uint32_t value = values[at];
        size_t place = at;
        for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
        values[place] = value;
    }
}

ROUTINE static uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

ROUTINE static uint32_t digits(uint32_t value, volatile char* text) {
    uint32_t count = 0;
    do text[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    return count;
}

ROUTINE static int32_t signed_division(int32_t a, int32_t b) {
    return b == 0 ? a / 1 + a % 7 : a / b * 3 - a % b;
}

ROUTINE static uint64_t wide_products(uint32_t a, uint32_t b) {
    return (uint64_t)a * b + (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

/* A jump table. */
ROUTINE static uint32_t dispatch(uint32_t kind, uint32_t value) {
    switch (kind & 7u) {
        case 0: return value + 3;
        case 1: return value * 5;
        case 2: return value ^ 0x55aau;
        case 3: return value >> 3;
        case 4: return ~value;
        case 5: return value << 5 | value >> 27;
        case 6: return value - kind;
        default: return value & 0xffffu;
    }
}

ROUTINE static uint32_t walk(const struct node* from) {
    uint32_t sum = 0;
    for (; from != NULL; from = from->next) sum = sum * 31 + from->key;
    return sum;
}

ROUTINE static uint32_t count_bits(uint32_t value) {
    uint32_t count = 0;
    for (; value != 0; value &= value - 1) ++count;
    return count;
}

ROUTINE static uint32_t call_through(uint32_t (*function)(uint32_t), uint32_t value) {
    return function(value) + function(value + 1);
}

ROUTINE static uint32_t poll(uint32_t times) {
    uint32_t sum = 0;
    while (times-- > 0) sum ^= registers[8 + times];
    return sum;
}

ROUTINE static uint32_t counters(void) {
    uint32_t before, after, retired;
    __asm__ volatile("csrr %0, mcycle" : "=r"(before));
    __asm__ volatile("fence; csrr %0, minstret" : "=r"(retired));
    __asm__ volatile("csrr %0, mcycle" : "=r"(after));
    return after - before + retired;
}

ROUTINE static void wait_for_interrupts(uint32_t count) {
    const uint32_t until = interrupts + count;
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
    while ((int32_t)(until - interrupts) > 0) __asm__ volatile("wfi" ::: "memory");
    __asm__ volatile("csrci mstatus, 8" ::: "memory");
}

ROUTINE static void wait_asleep(uint32_t count) {
    while (count-- > 0) {
        __asm__ volatile("wfi" ::: "memory");
        registers[2] = *acknowledge;
    }
}

static void all(uint32_t* state) {
    for (size_t index = 0; index < WORDS; ++index) words[index] = random_of(state);
    for (size_t index = 0; index < 32; ++index)
        nodes[index] = (struct node){index < 31 ? &nodes[index + 1] : NULL, words[index]};
    copy_words((volatile uint32_t*)packets, words, WORDS);
    copy_words(words + WORDS, (const uint32_t*)packets, WORDS);
    copy_bytes(packets + 513, (const uint8_t*)words + 3, 101);
    registers[3] = sum_unaligned(packets + 1, 40) + sum_unaligned((const uint8_t*)words + 2, 40);
    registers[4] = crc32_of((const uint8_t*)words, 200) + crc32_of((const uint8_t*)(uintptr_t)0x80u, 64);
    sort(words, WORDS);
    registers[5] = fibonacci(12);
    registers[6] = digits(words[9], (volatile char*)packets + 900);
    for (uint32_t index = 0; index < WORDS; ++index) {
        registers[7] = (uint32_t)signed_division((int32_t)words[index], (int32_t)(index - 20));
        registers[8] = (uint32_t)(wide_products(words[index], words[WORDS - 1 - index]) >> 16);
        registers[9] = dispatch(words[index] >> 9, index) + count_bits(words[index]);
    }
    registers[10] = walk(nodes) + call_through(count_bits, 12345) + call_through(fibonacci, 5);
    registers[11] = poll(20);
}

int main(void) {
    uint32_t state = 4711;
    registers[12] = counters();
    __asm__ volatile("csrw mie, %0" ::"r"(1u << 11));
    for (int round = 0; round < ROUNDS; ++round) {
        all(&state);
        wait_asleep(2);
        wait_for_interrupts(4);
    }
    /* With interrupts coming in everywhere. */
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
    all(&state);
    __asm__ volatile("csrci mstatus, 8" ::: "memory");
    __asm__ volatile("1: j 1b");
    __builtin_unreachable();
}
