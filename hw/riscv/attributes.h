// SPDX-License-Identifier: Apache-2.0
/// \file The instruction sets that a RISC-V executable declares: the section .riscv.attributes.
/// Source: RISC-V ELF psABI, "Attributes".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace polycast::hw::riscv {

/// The architecture string, such as "rv32i2p1_m2p0_c2p0_zicsr2p0"; nothing when there is none or the section is
/// damaged.
std::optional<std::string> architecture_of(std::span<const std::uint8_t> section);

/// The first extension of an architecture string that the processor does not have; empty when it has all of them.
std::string unsupported_extension(const std::string& architecture);

}  // namespace polycast::hw::riscv
