// SPDX-License-Identifier: Apache-2.0
/// \file On-off sources to uniform destinations: a Markov-modulated process of two states (Dally and Towles, section
/// 24.2.2), the off state silent, the on state with messages at equal distances.
///
/// With g the mean gap that the workload asks for, p = `peak` and L = `burst`: messages of a burst are g / p apart.
/// After each the burst ends with probability 1 / L, so bursts have L messages on average (geometric). The source is
/// then off for an exponential time with mean T before the next burst. The mean gap is g / p + T / L = g, so T = L g (1
/// - 1 / p). The variance of a gap is 2 T^2 / L - (T / L)^2 = (2 L - 1) (1 - 1 / p)^2 g^2; that of exponential gaps is
/// g^2.
///
/// A source is on for g / p of a mean gap g, a share 1 / p of the time. A run that begins at a random moment finds it
/// on with that probability, a part of g / p before the next message, or off for an exponential time with mean T and
/// then g / p before it. First gaps are drawn so, hence the mean rate holds from the first cycle on.
#include "hw/traffic/pattern.h"

namespace polycast::hw::traffic::patterns {

extern const pattern_kind bursty;

namespace {

constexpr pattern_key keys[] = {
    {"burst", "8", "1", "1000000", "Messages of a burst, on average."},
    {"peak", "4", "1", "1000000",
     "Rate within a burst, in mean rates. Above a flit per cycle messages queue at the host."}};

class bursty_pattern final : public pattern {
public:
    bursty_pattern(const pattern_params& params, const pattern_sources& sources)
        : pattern(sources), burst_(bursty.number(params, "burst")), peak_(bursty.number(params, "peak")) {
        draws_gaps_ = true;
    }

    double first_gap(double rate, random_stream& random) const override {
        const draws from{random};
        if (!from.chance(1 / peak_)) return off(rate, random) + 1 / (rate * peak_);
        return static_cast<double>(random() >> 11) * 0x1p-53 / (rate * peak_);
    }

private:
    double draw_gap(double rate, random_stream& random) const override {
        const double apart = 1 / (rate * peak_);
        return draws{random}.chance(1 / burst_) ? off(rate, random) + apart : apart;
    }
    double off(double rate, random_stream& random) const {
        if (peak_ == 1) return 0;
        return boost::random::exponential_distribution<double>(rate / (burst_ * (1 - 1 / peak_)))(random);
    }

    double burst_, peak_;
};

}  // namespace

const pattern_kind bursty{.name = "bursty",
                          .doc = "uniform, in bursts of messages",
                          .rate = pattern_kind::load::needed,
                          .keys_doc = "How messages come together.",
                          .keys = keys,
                          .make = make_as<bursty_pattern>};

}  // namespace polycast::hw::traffic::patterns
