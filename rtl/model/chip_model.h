/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file
 * C interface of a shared library that holds a Verilated chip for one set of parameters. The library
 * has one entry, `polycast_chip_model_entry`; it shares no symbol with anything else, so many of them can be loaded
 * into one process. Objects are independent of each other; one object must not be used by two threads at once.
 */
#ifndef POLYCAST_RTL_MODEL_CHIP_MODEL_H
#define POLYCAST_RTL_MODEL_CHIP_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Raised with every change of this file; part of the hash by which libraries are cached. */
#define POLYCAST_CHIP_MODEL_VERSION 9u

/** Side wires of a port; like polycast::hw::engine::side_state. */
struct polycast_chip_model_side {
    uint64_t have;
    uint8_t round;
};

/** A write over the configuration bus. */
struct polycast_chip_model_write {
    uint32_t address;
    uint32_t data;
};

/** Input pins, laid out like polycast::hw::engine::pins. */
struct polycast_chip_model_inputs {
    uint64_t valid;           /**< bit p: port p */
    uint64_t head;            /**< subset of valid */
    uint64_t tail;            /**< subset of valid */
    uint64_t credit;          /**< bit p: port p */
    const uint8_t* data;      /**< flit_bytes per port; read only where `valid` */
    const uint8_t* header;    /**< header_bytes per port, none where headers are in the flits; read only where `head` */
    const uint8_t* vc;        /**< of each flit; read only where `valid`, and where the chip has virtual channels */
    const uint8_t* credit_vc; /**< of each credit; likewise */
    uint64_t side;            /**< ports whose side wires change; they stay so until they change again */
    const struct polycast_chip_model_side* sides; /**< one per port; read only where `side` */
    /** Wires of a link end from its other end, wire 0 in the lowest bit, in whole words of 64 bits; null: silence. */
    const uint8_t* wire;
    uint8_t no_signal;                             /**< at a link end: nothing is received */
    const struct polycast_chip_model_write* write; /**< in this cycle, to a chip that allows it; null: none */
};

/** What a chip reports on its event pins; like polycast::hw::engine::chip_event. */
struct polycast_chip_model_event {
    uint8_t pin;
    uint8_t code;
    uint16_t context;
    uint32_t index;
    uint32_t source;
};

/** Most event pins of a chip. */
#define POLYCAST_CHIP_MODEL_EVENTS 16u

/** Output pins, laid out like polycast::hw::engine::pins. The masks are written wholly, the arrays where the masks say
 * so. */
struct polycast_chip_model_outputs {
    uint64_t valid;     /**< bit p: port p */
    uint64_t head;      /**< subset of valid */
    uint64_t tail;      /**< subset of valid */
    uint64_t credit;    /**< bit p: port p */
    uint64_t error;     /**< ports with a bit set in `errors` */
    uint8_t* data;      /**< flit_bytes per port; written where `valid` */
    uint8_t* header;    /**< header_bytes per port; written where `head` */
    uint16_t* errors;   /**< error bits per port; written where `error` */
    uint8_t* vc;        /**< of each flit; written where `valid`, and where the chip has virtual channels */
    uint8_t* credit_vc; /**< of each credit; likewise */
    struct polycast_chip_model_event events[POLYCAST_CHIP_MODEL_EVENTS]; /**< the first `event_count` */
    uint32_t event_count;                                                /**< written in any case */
    uint64_t wait; /**< bit p: a packet waited for port p; written in any case, zero but for VL switches */
    struct polycast_chip_model_side side; /**< side wires, the same at all ports; written in any case */
    uint8_t* wire;                        /**< wires of a link end to its other end; only there it is not null */
    /** States of a link end: of sender and receiver, and that of the sender which the cycle counts for. */
    uint8_t tx;
    uint8_t counted;
    uint8_t rx;
};

/** Counters of a link end. */
#define POLYCAST_CHIP_MODEL_COUNTS 36u

/** Most virtual channels of a chip. */
#define POLYCAST_CHIP_MODEL_VCS 16u

/** Units of a virtual channel, as the sender and the receiver of a link end count them. */
struct polycast_chip_model_units {
    uint32_t s_cc;
    uint32_t s_cf;
    uint32_t r_cc;
    uint32_t r_cf;
};

/** State of a link end, like polycast::hw::chips::link_end_probe; all zero for other chips. */
struct polycast_chip_model_link {
    uint8_t cause;
    uint8_t replays;
    uint8_t waits; /**< data for an acknowledgement, or several cc_updates for an answer */
    uint8_t holds; /**< flits */
    uint32_t next;
    uint32_t expected;
    uint32_t outstanding;
    uint32_t ring;
    uint32_t timer;   /**< cycles left of the replay timer */
    uint8_t timer_on; /**< it counts */
    struct polycast_chip_model_units units[POLYCAST_CHIP_MODEL_VCS];
    uint64_t counts[POLYCAST_CHIP_MODEL_COUNTS]; /**< by link_counter_names */
};

/** Registered state, laid out like polycast::hw::engine::chip_probe; an array of `probe_entries` each. */
struct polycast_chip_model_probe {
    uint16_t* occupied;
    uint8_t* state;
    uint64_t* waiting;
    uint64_t* reading;
    uint8_t* held;
    uint8_t* holder;
    uint16_t* credits;
    uint16_t* corrected;
};

/** One chip. */
struct polycast_chip_model;

/** Bits of a status. */
#define POLYCAST_CHIP_MODEL_IDLE 1u /**< nothing is inside: stepping with quiet pins changes nothing */
#define POLYCAST_CHIP_MODEL_FAILED \
    2u /**< an assertion of the RTL failed in this object, now or earlier; see `failure` */

/** Every function that clocks the chip returns its status. */
struct polycast_chip_model_interface {
    uint32_t version;       /**< POLYCAST_CHIP_MODEL_VERSION */
    uint32_t probe_entries; /**< ports, or ports x virtual channels */
    const char* parameters; /**< what the library was built for, as POLYCAST_PARAMETERS of rtl/model says it */

    /** A chip in reset state without configuration; NULL if there is no memory. `name` is its scope in traces. */
    struct polycast_chip_model* (*create)(const char* name);
    void (*destroy)(struct polycast_chip_model* model);
    /** Drops the traffic; the configuration stays. */
    uint32_t (*reset)(struct polycast_chip_model* model);
    /** One write over the configuration bus. Takes a clock cycle of its own, in which nothing comes in. */
    uint32_t (*configure)(struct polycast_chip_model* model, uint32_t address, uint32_t data);
    /** The clock edge at the end of cycle `now`: reads the input pins of `now`, writes the output pins of `now` + 1. */
    uint32_t (*step)(struct polycast_chip_model* model, uint64_t now, const struct polycast_chip_model_inputs* in,
                     struct polycast_chip_model_outputs* out);
    void (*probe)(const struct polycast_chip_model* model, struct polycast_chip_model_probe* probe);
    void (*link)(const struct polycast_chip_model* model, struct polycast_chip_model_link* link);
    /** Message of the first failed assertion; empty if there is none. Valid while the model lives. */
    const char* (*failure)(const struct polycast_chip_model* model);
    /** Writes all signals of the hierarchy to an FST file from the next step on, one nanosecond per cycle; `depth`
       levels of it, 0 for all. \returns 0, or 1 if the file cannot be written, or the model was built without
       POLYCAST_INSIDE_WAVES. A model is traced once at most. */
    int (*trace_open)(struct polycast_chip_model* model, const char* path, uint32_t depth);
    void (*trace_close)(struct polycast_chip_model* model);
};

/** The entry of the library. */
const struct polycast_chip_model_interface* polycast_chip_model_entry(void);

#ifdef __cplusplus
}
#endif

#endif
