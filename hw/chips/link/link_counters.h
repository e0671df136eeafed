// SPDX-License-Identifier: Apache-2.0
/// \file What a link end counts, by the public names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace polycast::hw::chips {

enum class link_tx_state : std::uint8_t { off, init, advance, replay, flush };
enum class link_rx_state : std::uint8_t { off, send_acks, send_nack, nack_sent };

/// Why a link went down: what FLUSH came from.
enum class flush_cause : std::uint8_t { none, replay_limit, signal, age, unanswered, start, counter };

/// link.md says what each counts. Sets count where their first symbol is chosen, frames where their last is.
struct link_counters {
    std::uint64_t llr_tx_init_ctl_os = 0;
    std::uint64_t llr_tx_init_echo_ctl_os = 0;
    std::uint64_t llr_tx_ack_ctl_os = 0;
    std::uint64_t llr_tx_nack_ctl_os = 0;
    std::uint64_t llr_rx_init_ctl_os = 0;
    std::uint64_t llr_rx_init_echo_ctl_os = 0;
    std::uint64_t llr_rx_ack_ctl_os = 0;
    std::uint64_t llr_rx_nack_ctl_os = 0;
    std::uint64_t llr_tx_discard = 0;
    std::uint64_t llr_tx_ok = 0;
    std::uint64_t llr_tx_replay = 0;
    std::uint64_t llr_rx_ok = 0;
    std::uint64_t llr_rx_bad = 0;
    std::uint64_t llr_rx_poisoned = 0;
    std::uint64_t llr_rx_expected_seq_good = 0;
    std::uint64_t llr_rx_expected_seq_bad = 0;
    std::uint64_t llr_rx_missing_seq = 0;
    std::uint64_t llr_rx_duplicate_seq = 0;
    std::uint64_t llr_rx_replay = 0;
    std::uint64_t llr_rx_ack_nack_seq_error = 0;
    std::uint64_t cbfc_num_cf_update_messages_tx = 0;
    std::uint64_t cbfc_num_cf_update_messages_rx = 0;
    std::uint64_t cbfc_num_cc_update_messages_tx = 0;
    std::uint64_t cbfc_num_cc_update_messages_rx = 0;
    std::uint64_t cbfc_sender_credits_used = 0;
    std::uint64_t cbfc_sender_credits_watermark = 0;
    std::uint64_t frames_resent = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t rx_bad_ctl_os = 0;
    std::uint64_t credit_error = 0;
    std::uint64_t credits_repaired = 0;
    std::uint64_t lifetime_discard = 0;
    std::uint64_t outstanding_max = 0;
    std::uint64_t ring_max = 0;
    std::uint64_t corrected = 0;
    std::uint64_t soft_errors = 0;
    std::array<std::uint64_t, 5> tx_cycles = {};  ///< [link_tx_state]
    std::array<std::uint64_t, 4> rx_cycles = {};  ///< [link_rx_state]

    bool operator==(const link_counters&) const = default;
};

struct link_counter_name {
    std::string_view name;
    std::uint64_t link_counters::*value;
};

/// The most there were at once, not a sum.
constexpr bool is_peak(const link_counter_name& counter) {
    return counter.name.ends_with("_max") || counter.name.ends_with("_watermark");
}

/// Names of the states, in their order.
inline constexpr std::array<std::string_view, 5> link_tx_state_names = {"off", "init", "advance", "replay", "flush"};
inline constexpr std::array<std::string_view, 4> link_rx_state_names = {"off", "send_acks", "send_nack", "nack_sent"};
inline constexpr std::array<std::string_view, 7> flush_cause_names = {"none",       "replay_limit", "signal", "age",
                                                                      "unanswered", "start",        "counter"};

/// All but the cycles in each state.
inline constexpr std::array<link_counter_name, 36> link_counter_names = {{
    {"llr_tx_init_ctl_os", &link_counters::llr_tx_init_ctl_os},
    {"llr_tx_init_echo_ctl_os", &link_counters::llr_tx_init_echo_ctl_os},
    {"llr_tx_ack_ctl_os", &link_counters::llr_tx_ack_ctl_os},
    {"llr_tx_nack_ctl_os", &link_counters::llr_tx_nack_ctl_os},
    {"llr_rx_init_ctl_os", &link_counters::llr_rx_init_ctl_os},
    {"llr_rx_init_echo_ctl_os", &link_counters::llr_rx_init_echo_ctl_os},
    {"llr_rx_ack_ctl_os", &link_counters::llr_rx_ack_ctl_os},
    {"llr_rx_nack_ctl_os", &link_counters::llr_rx_nack_ctl_os},
    {"llr_tx_discard", &link_counters::llr_tx_discard},
    {"llr_tx_ok", &link_counters::llr_tx_ok},
    {"llr_tx_replay", &link_counters::llr_tx_replay},
    {"llr_rx_ok", &link_counters::llr_rx_ok},
    {"llr_rx_bad", &link_counters::llr_rx_bad},
    {"llr_rx_poisoned", &link_counters::llr_rx_poisoned},
    {"llr_rx_expected_seq_good", &link_counters::llr_rx_expected_seq_good},
    {"llr_rx_expected_seq_bad", &link_counters::llr_rx_expected_seq_bad},
    {"llr_rx_missing_seq", &link_counters::llr_rx_missing_seq},
    {"llr_rx_duplicate_seq", &link_counters::llr_rx_duplicate_seq},
    {"llr_rx_replay", &link_counters::llr_rx_replay},
    {"llr_rx_ack_nack_seq_error", &link_counters::llr_rx_ack_nack_seq_error},
    {"cbfc_num_cf_update_messages_tx", &link_counters::cbfc_num_cf_update_messages_tx},
    {"cbfc_num_cf_update_messages_rx", &link_counters::cbfc_num_cf_update_messages_rx},
    {"cbfc_num_cc_update_messages_tx", &link_counters::cbfc_num_cc_update_messages_tx},
    {"cbfc_num_cc_update_messages_rx", &link_counters::cbfc_num_cc_update_messages_rx},
    {"cbfc_sender_credits_used", &link_counters::cbfc_sender_credits_used},
    {"cbfc_sender_credits_watermark", &link_counters::cbfc_sender_credits_watermark},
    {"frames_resent", &link_counters::frames_resent},
    {"timeouts", &link_counters::timeouts},
    {"rx_bad_ctl_os", &link_counters::rx_bad_ctl_os},
    {"credit_error", &link_counters::credit_error},
    {"credits_repaired", &link_counters::credits_repaired},
    {"lifetime_discard", &link_counters::lifetime_discard},
    {"outstanding_max", &link_counters::outstanding_max},
    {"ring_max", &link_counters::ring_max},
    {"corrected", &link_counters::corrected},
    {"soft_errors", &link_counters::soft_errors},
}};

}  // namespace polycast::hw::chips
