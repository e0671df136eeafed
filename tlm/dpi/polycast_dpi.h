/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file
 * Cycle-exact models of polycast's chips for C, C++ and SystemVerilog testbenches (IEEE 1800 DPI-C).
 *
 * A model is made from the parameters and tables of a chip, gets the input pins of a cycle, and has the output pins of
 * the next one. Pins are one vector of inputs and one of outputs: the ports of the chip's top in rtl/ without clock and
 * reset, in their order, the first in the lowest bits. Bits are svBitVecVal: bit b is bit b % 32 of word b / 32.
 *
 * Models share nothing: different threads may use different models at once, but not the same one. No exception leaves a
 * call. A call that returns POLYCAST_DPI_ERROR has changed nothing and says what is wrong in polycast_dpi_error().
 * Texts belong to the model and are valid until its next call.
 */
#ifndef POLYCAST_TLM_DPI_POLYCAST_DPI_H
#define POLYCAST_TLM_DPI_POLYCAST_DPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Raised with every change that old programs would not survive. */
#define POLYCAST_DPI_VERSION 1

/** What calls return. */
#define POLYCAST_DPI_OK 0
#define POLYCAST_DPI_DIFFERENT 1
#define POLYCAST_DPI_ERROR 2

/** Bits of a vector that a call takes or gives at once. */
#define POLYCAST_DPI_CHUNK_BITS 4096u

int polycast_dpi_version(void);

/**
 * Makes a model in reset state; a `chandle` of SystemVerilog.
 * \param chip "switch", "router", "vl_switch", "coding", "broadcast" or "link_end"
 * \param name for messages
 * \param parameters JSON object of the chip's parameters, {"NumPorts": 4, ..} or {"ports": 4, ..}; others have their
 *        defaults. Empty: all
 * \param tables JSON object of registers and tables, the path of a file with one, or empty: tlm/dpi/README.md
 * \returns a model in any case but that of no memory. If something is wrong, polycast_dpi_error() says it, and all that
 *          the model does is to return POLYCAST_DPI_ERROR.
 */
void* polycast_dpi_create(const char* chip, const char* name, const char* parameters, const char* tables);
/** Nothing for a null pointer. */
void polycast_dpi_destroy(void* model);

/** What was wrong with the last call that returned an error; empty if none has. */
const char* polycast_dpi_error(const void* model);

/** Widths of the vectors; 0 if the model could not be made. */
uint32_t polycast_dpi_input_bits(const void* model);
uint32_t polycast_dpi_output_bits(const void* model);
/** "flit_valid_i 0 4\n": name, first bit and bits of each pin, inputs before outputs. */
const char* polycast_dpi_pins(void* model);

/**
 * A write over the configuration bus without pins: `address` is region << 24 | index. As over the pins, only before the
 * first traffic since the last reset, but for upsets and what link ends allow at any time.
 */
int polycast_dpi_write(void* model, uint32_t address, uint32_t data);
/** Drops the traffic, keeps the configuration. */
int polycast_dpi_reset(void* model);

/**
 * A part of the input pins of the present cycle, from bit `first` on, a multiple of 32: up to POLYCAST_DPI_CHUNK_BITS,
 * as far as the vector goes. \param width bits of the caller's whole vector, which has to be that of the model
 */
int polycast_dpi_put_inputs(void* model, uint32_t width, uint32_t first, const uint32_t* bits);
/** The clock edge at the end of the present cycle. */
int polycast_dpi_step(void* model);
/** A part of the output pins of the present cycle; zero before the first edge. Bits behind the vector's end are zero.
 */
int polycast_dpi_get_outputs(void* model, uint32_t width, uint32_t first, uint32_t* bits);

/** A part of the output pins that a device has in the present cycle. */
int polycast_dpi_put_device(void* model, uint32_t width, uint32_t first, const uint32_t* bits);
/**
 * Compares them with the model's, before polycast_dpi_step(). What the pins do not define (data without valid, ..) is
 * not compared, nor are `next_*_o`. \param probes not 0: `probe_*_o` and `counts_o` are compared, too
 * \returns POLYCAST_DPI_DIFFERENT from the first difference to the next reset
 */
int polycast_dpi_compare(void* model, int probes);
/**
 * The first difference: "dut in cycle 17: flit_data of port 3: model 1f, device 00: header field source: .."; empty if
 * there is none. Cycles are counted from 0 at the model's making. Packet and field are said as far as the flits up to
 * now tell: some cycles later it may say more.
 */
const char* polycast_dpi_difference(void* model);

/** What is in the chip, a line for each port or virtual channel in use. */
const char* polycast_dpi_state(void* model);
/** Clock edges since the model was made. */
uint64_t polycast_dpi_cycle(const void* model);

#ifdef __cplusplus
}
#endif

#endif
