// SPDX-License-Identifier: Apache-2.0
// Pins of the chips, written by `scripts/polycast generate` from hw/format/chips.yaml; do not edit.
#include "hw/chips/chip_pins.h"

namespace polycast::hw::chips {

std::vector<chip_pin> pins_of(const switch_params& p) {
    const unsigned path_bits = 96 - 80 + p.header_stops * (16 + p.header_ports);
    const unsigned header_pin_bits = !p.header_free ? 1 : 80 + 192 + 32 + (p.max_hosts > path_bits ? (p.max_hosts + 7) /
        8 * 8 : path_bits);
    return {
        {"flit_valid_i", p.ports, 1},
        {"flit_head_i", p.ports, 1},
        {"flit_tail_i", p.ports, 1},
        {"flit_data_i", p.ports, p.flit_bytes * 8},
        {"flit_header_i", p.ports, header_pin_bits},
        {"credit_o", p.ports, 1},
        {"flit_valid_o", p.ports, 1},
        {"flit_head_o", p.ports, 1},
        {"flit_tail_o", p.ports, 1},
        {"flit_data_o", p.ports, p.flit_bytes * 8},
        {"flit_header_o", p.ports, header_pin_bits},
        {"credit_i", p.ports, 1},
        {"cfg_valid_i", 1, 1},
        {"cfg_addr_i", 1, 32},
        {"cfg_data_i", 1, 32},
        {"error_o", p.ports, 15},
        {"idle_o", 1, 1},
        {"probe_occupied_o", p.ports, 16},
        {"probe_state_o", p.ports, 2},
        {"probe_waiting_o", p.ports, p.ports},
        {"probe_reading_o", p.ports, p.ports},
        {"probe_held_o", p.ports, 1},
        {"probe_holder_o", p.ports, 8},
        {"probe_credits_o", p.ports, 16},
        {"probe_corrected_o", p.ports, 16},
    };
}

std::vector<chip_pin> pins_of(const router_params& p) {
    const unsigned header_pin_bits = !p.header_free ? 1 : 192 + 32 + 96 + 8 * (16 + 8);
    return {
        {"flit_valid_i", p.ports, 1},
        {"flit_head_i", p.ports, 1},
        {"flit_tail_i", p.ports, 1},
        {"flit_vc_i", p.ports, 4},
        {"flit_data_i", p.ports, p.flit_bytes * 8},
        {"flit_header_i", p.ports, header_pin_bits},
        {"credit_o", p.ports, 1},
        {"credit_vc_o", p.ports, 4},
        {"flit_valid_o", p.ports, 1},
        {"flit_head_o", p.ports, 1},
        {"flit_tail_o", p.ports, 1},
        {"flit_vc_o", p.ports, 4},
        {"flit_data_o", p.ports, p.flit_bytes * 8},
        {"flit_header_o", p.ports, header_pin_bits},
        {"credit_i", p.ports, 1},
        {"credit_vc_i", p.ports, 4},
        {"next_valid_o", p.ports, 1},
        {"next_credit_o", p.ports, 1},
        {"cfg_valid_i", 1, 1},
        {"cfg_addr_i", 1, 32},
        {"cfg_data_i", 1, 32},
        {"error_o", p.ports, 15},
        {"idle_o", 1, 1},
        {"probe_occupied_o", p.ports * p.vcs, 16},
        {"probe_state_o", p.ports * p.vcs, 2},
        {"probe_waiting_o", p.ports * p.vcs, p.ports},
        {"probe_reading_o", p.ports * p.vcs, p.ports},
        {"probe_held_o", p.ports * p.vcs, 1},
        {"probe_holder_o", p.ports * p.vcs, 8},
        {"probe_credits_o", p.ports * p.vcs, 16},
        {"probe_corrected_o", p.ports, 16},
    };
}

std::vector<chip_pin> pins_of(const vl_switch_params& p) {
    const unsigned header_pin_bits = !p.header_free ? 1 : 192 + 32 + 96 + 8 * (16 + 8);
    return {
        {"flit_valid_i", p.ports, 1},
        {"flit_head_i", p.ports, 1},
        {"flit_tail_i", p.ports, 1},
        {"flit_vc_i", p.ports, 4},
        {"flit_data_i", p.ports, p.flit_bytes * 8},
        {"flit_header_i", p.ports, header_pin_bits},
        {"credit_o", p.ports, 1},
        {"credit_vc_o", p.ports, 4},
        {"flit_valid_o", p.ports, 1},
        {"flit_head_o", p.ports, 1},
        {"flit_tail_o", p.ports, 1},
        {"flit_vc_o", p.ports, 4},
        {"flit_data_o", p.ports, p.flit_bytes * 8},
        {"flit_header_o", p.ports, header_pin_bits},
        {"credit_i", p.ports, 1},
        {"credit_vc_i", p.ports, 4},
        {"cfg_valid_i", 1, 1},
        {"cfg_addr_i", 1, 32},
        {"cfg_data_i", 1, 32},
        {"error_o", p.ports, 15},
        {"xmit_wait_o", p.ports, 1},
        {"idle_o", 1, 1},
        {"probe_occupied_o", p.ports * p.vls, 16},
        {"probe_state_o", p.ports * p.vls, 2},
        {"probe_waiting_o", p.ports * p.vls, p.ports},
        {"probe_reading_o", p.ports * p.vls, p.ports},
        {"probe_held_o", p.ports * p.vls, 1},
        {"probe_holder_o", p.ports * p.vls, 8},
        {"probe_credits_o", p.ports * p.vls, 16},
    };
}

std::vector<chip_pin> pins_of(const coding_params& p) {
    const unsigned header_pin_bits = p.header_free ? 512 : 1;
    return {
        {"flit_valid_i", 1, 1},
        {"flit_head_i", 1, 1},
        {"flit_tail_i", 1, 1},
        {"flit_vc_i", 1, 4},
        {"flit_data_i", 1, p.flit_bytes * 8},
        {"flit_header_i", 1, header_pin_bits},
        {"credit_o", 1, 1},
        {"credit_vc_o", 1, 4},
        {"flit_valid_o", 1, 1},
        {"flit_head_o", 1, 1},
        {"flit_tail_o", 1, 1},
        {"flit_vc_o", 1, 4},
        {"flit_data_o", 1, p.flit_bytes * 8},
        {"flit_header_o", 1, header_pin_bits},
        {"credit_i", 1, 1},
        {"credit_vc_i", 1, 4},
        {"cfg_valid_i", 1, 1},
        {"cfg_addr_i", 1, 32},
        {"cfg_data_i", 1, 32},
        {"error_o", 1, 15},
        {"event_valid_o", 1, 3},
        {"event_code_o", 1, 3 * 4},
        {"event_context_o", 1, 3 * 16},
        {"event_index_o", 1, 3 * 32},
        {"event_source_o", 1, 3 * 24},
        {"idle_o", 1, 1},
        {"probe_occupied_o", p.vcs, 16},
        {"probe_state_o", p.vcs, 2},
        {"probe_held_o", p.vcs, 1},
        {"probe_credits_o", p.vcs, 16},
    };
}

std::vector<chip_pin> pins_of(const broadcast_params& p) {
    const unsigned side_round_bits = 2;
    const unsigned all_vcs = p.router.vcs + 1;
    const unsigned header_pin_bits = !p.router.header_free ? 1 : 192 + 32 + 96 + 8 * (16 + 8);
    return {
        {"flit_valid_i", p.router.ports, 1},
        {"flit_head_i", p.router.ports, 1},
        {"flit_tail_i", p.router.ports, 1},
        {"flit_vc_i", p.router.ports, 4},
        {"flit_data_i", p.router.ports, p.router.flit_bytes * 8},
        {"flit_header_i", p.router.ports, header_pin_bits},
        {"credit_o", p.router.ports, 1},
        {"credit_vc_o", p.router.ports, 4},
        {"flit_valid_o", p.router.ports, 1},
        {"flit_head_o", p.router.ports, 1},
        {"flit_tail_o", p.router.ports, 1},
        {"flit_vc_o", p.router.ports, 4},
        {"flit_data_o", p.router.ports, p.router.flit_bytes * 8},
        {"flit_header_o", p.router.ports, header_pin_bits},
        {"credit_i", p.router.ports, 1},
        {"credit_vc_i", p.router.ports, 4},
        {"side_have_o", 1, p.slots},
        {"side_round_o", 1, side_round_bits},
        {"side_have_i", p.router.ports, p.slots},
        {"side_round_i", p.router.ports, side_round_bits},
        {"cfg_valid_i", 1, 1},
        {"cfg_addr_i", 1, 32},
        {"cfg_data_i", 1, 32},
        {"error_o", p.router.ports, 15},
        {"event_valid_o", p.router.ports, 1},
        {"event_code_o", p.router.ports, 3},
        {"event_packet_o", p.router.ports, 8},
        {"idle_o", 1, 1},
        {"probe_occupied_o", p.router.ports * all_vcs, 16},
        {"probe_state_o", p.router.ports * all_vcs, 2},
        {"probe_waiting_o", p.router.ports * all_vcs, p.router.ports},
        {"probe_reading_o", p.router.ports * all_vcs, p.router.ports},
        {"probe_held_o", p.router.ports * all_vcs, 1},
        {"probe_holder_o", p.router.ports * all_vcs, 8},
        {"probe_credits_o", p.router.ports * all_vcs, 16},
    };
}

std::vector<chip_pin> pins_of(const link_end_params& p) {
    const unsigned header_pin_bits = p.header_bytes > 0 ? p.header_bytes * 8 : 1;
    const unsigned wire_bits = 8 * (p.flit_bytes + p.header_bytes) + 9 + (p.beside ? 64 : 0);
    return {
        {"flit_valid_i", 1, 1},
        {"flit_head_i", 1, 1},
        {"flit_tail_i", 1, 1},
        {"flit_vc_i", 1, 4},
        {"flit_data_i", 1, p.flit_bytes * 8},
        {"flit_header_i", 1, header_pin_bits},
        {"credit_o", 1, 1},
        {"credit_vc_o", 1, 4},
        {"flit_valid_o", 1, 1},
        {"flit_head_o", 1, 1},
        {"flit_tail_o", 1, 1},
        {"flit_vc_o", 1, 4},
        {"flit_data_o", 1, p.flit_bytes * 8},
        {"flit_header_o", 1, header_pin_bits},
        {"credit_i", 1, 1},
        {"credit_vc_i", 1, 4},
        {"wire_i", 1, wire_bits},
        {"signal_i", 1, 1},
        {"wire_o", 1, wire_bits},
        {"cfg_valid_i", 1, 1},
        {"cfg_addr_i", 1, 32},
        {"cfg_data_i", 1, 32},
        {"error_o", 1, 15},
        {"idle_o", 1, 1},
        {"probe_tx_o", 1, 3},
        {"probe_counted_o", 1, 3},
        {"probe_rx_o", 1, 2},
        {"probe_cause_o", 1, 3},
        {"probe_next_o", 1, 20},
        {"probe_expected_o", 1, 20},
        {"probe_outstanding_o", 1, 20},
        {"probe_ring_o", 1, 32},
        {"probe_replays_o", 1, 8},
        {"probe_timer_on_o", 1, 1},
        {"probe_timer_o", 1, 32},
        {"probe_s_cc_o", p.vcs, 20},
        {"probe_s_cf_o", p.vcs, 20},
        {"probe_r_cc_o", p.vcs, 20},
        {"probe_r_cf_o", p.vcs, 20},
        {"probe_waits_o", 1, 1},
        {"probe_holds_o", 1, 1},
        {"counts_o", 1, 36 * 64},
    };
}

}  // namespace polycast::hw::chips
