// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/vl_switch_stimulus.h"

#include "hw/format/header.h"
#include "testbench/equivalence/door_run.h"

namespace polycast::testbench::equivalence {

using hw::format::packet_kind;

namespace {
constexpr std::uint64_t stimulus_stream = 35;
constexpr std::uint32_t lid_numbers = 1u << 16;
}  // namespace

vl_switch_stimulus::vl_switch_stimulus(const vl_switch_run& run)
    : link_stimulus({run.params.pin_shape(), run.params.chunk_flits, run.tables.vl_chunks, run.tables.packet_limit},
                    run.traffic, dice(run.seed, stimulus_stream)),
      run_(run) {
    std::vector<std::uint32_t> targets;
    for (unsigned count = 0; count < run.traffic.targets; ++count) targets.push_back(draw_dlid());
    targets_ = std::move(targets);
}

std::vector<std::uint8_t> vl_switch_stimulus::make_header(unsigned) {
    std::vector<std::uint8_t> header(hw::format::lid_header_bytes);
    for (std::uint8_t& byte : header) byte = static_cast<std::uint8_t>(random_.word());
    put_source(header, run_.params.max_sources, random_);
    header[0] = static_cast<std::uint8_t>((header[0] & 0xf0) | static_cast<unsigned>(packet_kind::lid));
    const std::uint32_t dlid = targets_.empty() ? draw_dlid() : targets_[random_.below(targets_.size())];
    hw::format::write_field<hw::format::dlid_field>(header.data(), dlid);
    std::uint8_t& level = header[hw::format::sl_field.offset / 8];
    level = static_cast<std::uint8_t>((level & 0xf0) | random_.below(run_.traffic.levels));
    return header;
}

std::uint32_t vl_switch_stimulus::draw_dlid() {
    if (random_.chance(run_.traffic.strangers)) return random_.below(lid_numbers);
    const auto groups = static_cast<unsigned>(run_.tables.mft.size());
    if (groups != 0 && random_.chance(run_.traffic.multicasts))
        return hw::format::first_multicast_lid + random_.below(groups);
    const auto lids = static_cast<unsigned>(run_.tables.lft.size());
    return lids == 0 ? 0 : random_.below(lids);
}

unsigned vl_switch_stimulus::header_flits(const std::vector<std::uint8_t>& header) const {
    return hw::format::header_flits(static_cast<unsigned>(header.size()), run_.params.flit_bytes);
}

/// Also the kinds that switches and routers know.
void vl_switch_stimulus::spoil_kind(std::uint8_t* header) {
    const unsigned kind = (static_cast<unsigned>(packet_kind::lid) + random_.between(1, 15)) % 16;
    header[0] = static_cast<std::uint8_t>((header[0] & 0xf0) | kind);
}

/// Beyond the tables, or one of the ends of the numbers.
void vl_switch_stimulus::spoil_destination(std::uint8_t* header, std::size_t bytes) {
    if (bytes < hw::format::lid_header_bytes) return;
    const std::uint32_t dlid =
        random_.chance(500) ? random_.pick({0, run_.params.max_lids, hw::format::first_multicast_lid - 1,
                                            hw::format::first_multicast_lid + run_.params.max_groups, lid_numbers - 1})
                            : random_.below(lid_numbers);
    hw::format::write_field<hw::format::dlid_field>(header, dlid);
}

}  // namespace polycast::testbench::equivalence
