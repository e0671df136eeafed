/* SPDX-License-Identifier: Apache-2.0 */
/* Vector table as Ibex wants it (vectored, base aligned to 256 bytes, one jump per cause), and the way to main().
 * Exceptions and the boot address are 0x80 apart: the processor starts at 0x80, so the table is elsewhere. */

    .section .text.start, "ax"
    .globl start
start:                              /* at 0x80 */
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
    la t0, vectors + 1              /* 1: vectored */
    csrw mtvec, t0
    la t0, stack_guard
    li t1, 0x57ac6a4d
    sw t1, 0(t0)
    call main
1:  wfi
    j 1b

    .section .text.vectors, "ax"
    .balign 256
    .option push
    .option norvc
    .globl vectors
vectors:
    j exception                     /* 0: exceptions */
    .rept 10
    j unexpected
    .endr
    j external                      /* 11: external interrupt */
    .rept 20
    j unexpected
    .endr
    .option pop

exception:
    csrr a0, mcause
    call exception_handler

unexpected:                         /* an interrupt that mie does not enable */
    csrr a0, mcause
    call exception_handler

external:                           /* what a C function may change */
    addi sp, sp, -64
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw a0, 16(sp)
    sw a1, 20(sp)
    sw a2, 24(sp)
    sw a3, 28(sp)
    sw a4, 32(sp)
    sw a5, 36(sp)
    sw a6, 40(sp)
    sw a7, 44(sp)
    sw t3, 48(sp)
    sw t4, 52(sp)
    sw t5, 56(sp)
    sw t6, 60(sp)
    call interrupt_handler
    lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw a0, 16(sp)
    lw a1, 20(sp)
    lw a2, 24(sp)
    lw a3, 28(sp)
    lw a4, 32(sp)
    lw a5, 36(sp)
    lw a6, 40(sp)
    lw a7, 44(sp)
    lw t3, 48(sp)
    lw t4, 52(sp)
    lw t5, 56(sp)
    lw t6, 60(sp)
    addi sp, sp, 64
    mret
