// SPDX-License-Identifier: Apache-2.0
/// \file What operations and messages cost on the reference machine with tables.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "hw/programs/loggops.h"

namespace polycast::hw::programs {

/// Times by tables over the length.
class table_costs {
public:
    explicit table_costs(const loggops_tables& tables) : t_(tables) {}

    std::uint64_t send_busy(const operation& of) const { return paid(t_.o, of); }
    std::uint64_t send_gap(const operation& of) const { return std::max(t_.gap.at(bytes(of)), paid(t_.o, of)); }
    std::uint64_t arrives(const operation& of) const {
        return paid(t_.o, of) + t_.way.at(bytes(of)) + (of.length > t_.S ? t_.ask : 0);
    }
    std::uint64_t receive_busy(const operation& of) const { return paid(t_.o_receive, of); }
    std::uint64_t receive_gap(const operation& of) const { return t_.gap.at(bytes(of)); }
    std::uint64_t work(const operation& of) const {
        switch (of.kind) {
            case operation_kind::calc: return ceiling(of.length, t_.unit);
            case operation_kind::copy: return t_.copy ? ceiling(of.length, 1 / *t_.copy) : 0;
            case operation_kind::reduce: return t_.reduce ? ceiling(of.length, 1 / *t_.reduce) : 0;
            default: return 0;
        }
    }
    bool has_multicasts() const { return static_cast<bool>(t_.multicasts); }
    multicast_times multicast_of(const program& of, const multicast& one) const { return t_.multicasts(of, one); }
    std::uint64_t eager() const { return t_.S; }
    static constexpr bool may_share = true;
    bool shares() const { return t_.shared; }

private:
    static std::uint64_t bytes(const operation& of) { return std::max<std::uint64_t>(of.length, 1); }
    std::uint64_t paid(std::uint64_t overhead, const operation& of) const {
        return t_.packet_bytes == 0 ? overhead : overhead * ((bytes(of) + t_.packet_bytes - 1) / t_.packet_bytes);
    }
    static std::uint64_t ceiling(std::uint64_t amount, const boost::rational<std::int64_t>& each) {
        // In 128 bits, as times of hosts are.
        const boost::multiprecision::uint128_t exact = boost::multiprecision::uint128_t(amount) * each.numerator();
        return ((exact + each.denominator() - 1) / each.denominator()).convert_to<std::uint64_t>();
    }

    const loggops_tables& t_;
};

}  // namespace polycast::hw::programs
