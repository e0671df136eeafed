/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file
 * C interface of the shared library that holds the Verilated Ibex core. The library has one entry,
 * `polycast_ibex_model_entry`; it shares no symbol with anything else. Objects are independent of each other; one
 * object must not be used by two threads at once.
 */
#ifndef POLYCAST_RTL_IBEX_IBEX_MODEL_H
#define POLYCAST_RTL_IBEX_IBEX_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Raised with every change of this file; part of the hash by which libraries are cached. */
#define POLYCAST_IBEX_MODEL_VERSION 2u

#define POLYCAST_IBEX_NEVER UINT64_MAX

/** An instruction that left the pipeline, or trapped, at the end of `cycle`. */
struct polycast_ibex_retirement {
    uint64_t start; /**< the first cycle in which it was in the second stage */
    uint64_t cycle;
    uint32_t pc;
    uint32_t instruction; /**< as fetched: 16 bits of a compressed one */
    uint32_t rd;          /**< register that was written, 0 for none */
    uint32_t rd_value;
    uint32_t trap;      /**< 1: it raised an exception */
    uint32_t interrupt; /**< 1: the first instruction of a trap handler */
};

/** What the processor reaches. Memories are little-endian and belong to the caller; sizes are multiples of 4. */
struct polycast_ibex_surroundings {
    const uint8_t* instruction; /**< at address 0; read only */
    uint32_t instruction_bytes;
    uint8_t* data; /**< at `data_base` */
    uint32_t data_base;
    uint32_t data_bytes;
    uint32_t bus_base;      /**< from here upwards: `load` and `store` */
    uint32_t register_base; /**< from here upwards: not before the cycle of the access */
    void* context;          /**< first argument of the functions */
    /** `bytes` is 1, 2 or 4, the address aligned to it, the value zero-extended. \returns 0 on a bus error. */
    int (*load)(void* context, uint64_t cycle, uint32_t address, uint32_t bytes, uint32_t* value);
    int (*store)(void* context, uint64_t cycle, uint32_t address, uint32_t bytes, uint32_t value);
    /** Before the bytes `lanes` of the word at `offset` of data memory are read, or written if `write`; NULL: nobody
     * asks. */
    void (*touch)(void* context, uint64_t cycle, uint32_t offset, uint32_t lanes, int write);
};

struct polycast_ibex_probe {
    uint32_t pc;
    uint32_t sleeping;
    uint32_t halted;
    uint64_t instructions;
    uint64_t cycles; /**< not sleeping */
};

/** One processor. */
struct polycast_ibex_model;

struct polycast_ibex_model_interface {
    uint32_t version;     /**< POLYCAST_IBEX_MODEL_VERSION */
    uint32_t model_bytes; /**< of one object, without memories and traces */

    /** A processor that is reset at cycle 0; NULL if there is no memory. `name` is its scope in traces. */
    struct polycast_ibex_model* (*create)(const char* name, const struct polycast_ibex_surroundings* surroundings);
    void (*destroy)(struct polycast_ibex_model* model);
    /** Cycle `now` is the first one after the reset. Memories stay as they are. */
    void (*reset)(struct polycast_ibex_model* model, uint64_t now);
    /** See hw/ni/processor.h; computes at most `run_ahead` cycles beyond `until`. \returns the next cycle in which it
       must be called, POLYCAST_IBEX_NEVER when only the interrupt line can make a difference. */
    uint64_t (*run)(struct polycast_ibex_model* model, uint64_t until, int interrupt, uint64_t run_ahead);
    void (*probe)(const struct polycast_ibex_model* model, struct polycast_ibex_probe* probe);
    /** Calls `retired` for every instruction from now on; NULL ends it. */
    void (*observe)(struct polycast_ibex_model* model, void* context,
                    void (*retired)(void* context, const struct polycast_ibex_retirement* what));
    /** Writes all signals of the hierarchy to an FST file from now on, one nanosecond per cycle; `depth` levels of it,
       0 for all. \returns 0, or 1 if the file cannot be written. A model is traced once at most. */
    int (*trace_open)(struct polycast_ibex_model* model, const char* path, uint32_t depth);
    void (*trace_close)(struct polycast_ibex_model* model);
};

/** The entry of the library. */
const struct polycast_ibex_model_interface* polycast_ibex_model_entry(void);

#ifdef __cplusplus
}
#endif

#endif
