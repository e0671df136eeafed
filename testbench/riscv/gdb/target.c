/* SPDX-License-Identifier: Apache-2.0 */
/* A program to be debugged: main() calls add_up() for ever. */
volatile unsigned rounds;
volatile unsigned total;
unsigned table[4] = {11, 22, 33, 44};

unsigned __attribute__((noinline)) add_up(const unsigned* from, unsigned count) {
    unsigned sum = 0;
    for (unsigned i = 0; i < count; ++i) {
        sum += from[i];
    }
    return sum;
}

int main(void) {
    for (;;) {
        total = add_up(table, 4);
        rounds = rounds + 1;
    }
}

void __attribute__((naked, section(".start"))) _start(void) {
    __asm__("lui sp, 0x10002\n jal main\n");
}
