// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/rank_runner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <stdexcept>
#include <tuple>

#include "hw/engine/packing.h"
#include "hw/engine/partition.h"
#include "hw/engine/pin_packing.h"
#include "hw/engine/step_record.h"
#include "hw/engine/thrown.h"

namespace polycast::hw::engine {

/// Of a chip that is not here.
struct rank_runner::saying {
    chip_probe probe;
    chip_report report;

    template <typename archive>
    void serialize(archive& all) {
        all(probe, report);
    }
};

/// The first step of a rank that failed.
struct rank_runner::failure {
    cycle when = never;
    chip_id chip = 0;
    std::string what;  ///< an exception, packed

    template <typename archive>
    void serialize(archive& all) {
        all(when, chip, what);
    }

    static failure of(const network_part::failed_step& step) {
        return {step.when, step.chip, packed_exception(step.what)};
    }
};

/// What the first rank knows of all chips when it has made them.
struct rank_runner::dealing {
    std::vector<std::uint32_t> rank{};  ///< [chip]
    std::vector<pin_shape> shapes{};
    std::vector<std::uint32_t> shape{};  ///< [chip] which of them
    std::vector<bool> shares{};          ///< [chip] an object with others
    cycle warning = never;

    template <typename archive>
    void serialize(archive& all) {
        all(rank, shapes, shape, shares, warning);
    }
};

namespace {

/// In place of a chip of another rank.
class absent_chip final : public chip {
public:
    explicit absent_chip(const pin_shape& shape) : shape_(shape) {}

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    cycle step(cycle /*now*/, const pins& /*in*/, pins& /*out*/) override { return never; }
    bool idle() const override { return true; }

private:
    pin_shape shape_;
};

}  // namespace

rank_runner::rank_runner(network& of) : net_(of), ranks_(*of.threading_.ranks) {}

rank_runner::~rank_runner() {
    if (ranks_.first() && others_build_) ranks_.spread({});  // the first rank could not build it
}

std::unique_ptr<chip> rank_runner::stand_in(chip_id id) {
    others_build_ = true;
    if (ranks_.first()) return nullptr;
    if (!heard_) {
        const std::string bytes = ranks_.spread({});
        if (bytes.empty()) throw simulated_elsewhere();
        heard_ = std::make_unique<dealing>(unpacked<dealing>(bytes));
        rank_of_ = heard_->rank;
        net_.warning_ = heard_->warning;
    }
    if (here(id) || heard_->shares[id]) return nullptr;  // what shares objects may be asked through these
    return std::make_unique<absent_chip>(heard_->shapes[heard_->shape[id]]);
}

void rank_runner::complete() {
    others_build_ = false;
    heard_.reset();
    if (!ranks_.first()) return;
    dealing made{.rank = dealt(), .warning = net_.warning_};
    for (chip_id id = 0; id < net_.size(); ++id) {
        const pin_shape& shape = net_.at(id).shape();
        const auto found = std::ranges::find(made.shapes, shape);
        made.shape.push_back(static_cast<std::uint32_t>(found - made.shapes.begin()));
        if (found == made.shapes.end()) made.shapes.push_back(shape);
        made.shares.push_back(net_.at(id).shared() != nullptr);
    }
    ranks_.spread(packed(made));
    rank_of_ = std::move(made.rank);
}

/// The first rank needs nothing of chips elsewhere that tell nothing and that nobody watches.
void rank_runner::drop_elsewhere() {
    for (chip_id id = 0; id < net_.size(); ++id) {
        chip_node& node = net_.chips_->nodes[id];
        if (here(id) || node.told != nullptr || node.halves != network::no_chip) continue;
        node.chip = std::make_unique<absent_chip>(*node.shape);
        node.shape = &node.chip->shape();
    }
}

/// By the first rank, which has all chips with shared objects.
std::vector<std::uint32_t> rank_runner::dealt() const {
    const std::uint32_t threads = net_.own_threads();
    std::vector<std::uint32_t> rank;
    if (!net_.threading_.part_of.empty()) {
        rank = net_.given_partition();
        for (std::uint32_t& each : rank) each /= threads;
    } else {
        std::vector<chip_id> chips;
        partition_input input = net_.graph([](chip_id) { return true; }, chips);
        for (const void*& object : input.together) object = object != nullptr ? this : nullptr;
        const std::vector<std::uint32_t> dealt = make_partition(input, ranks_.size());
        rank.resize(net_.size());
        for (std::size_t i = 0; i < chips.size(); ++i) rank[chips[i]] = dealt[i];
        for (chip_id id = 0; id < net_.size(); ++id) {
            if (net_.at(id).shared() == nullptr) continue;
            const std::uint32_t theirs = rank[id];
            for (std::uint32_t& each : rank) each = each == theirs ? 0 : each == 0 ? theirs : each;
            break;
        }
    }
    for (chip_id id = 0; id < net_.size(); ++id)
        if (net_.at(id).shared() != nullptr) rank[id] = 0;
    return net_.with_halves(std::move(rank));
}

void rank_runner::deal() {
    if (rank_of_.empty())
        rank_of_ =
            unpacked<std::vector<std::uint32_t>>(ranks_.spread(ranks_.first() ? packed(dealt()) : std::string()));
    std::set<unsigned> neighbours;
    for (chip_id id = 0; id < rank_of_.size(); ++id) {
        const chip_node& node = net_.chips_->nodes[id];
        for (unsigned port = 0; port < node.shape->ports; ++port) {
            const link_state& link = net_.chips_->links[node.first_link + port];
            if (link.to.chip == network::no_chip || rank_of_[link.to.chip] == rank_of_[id]) continue;
            window_ = std::min(window_, cycle{1} + link.delay);
            ++costs_.cables;  // once at each end
            if (here(id)) neighbours.insert(rank_of_[link.to.chip]);
        }
    }
    neighbours_.assign(neighbours.begin(), neighbours.end());
    window_ = std::min(window_, net_.warning_);
    costs_.window = window_;
    costs_.cables /= 2;
    net_.chips_->ranks = ranks_.size();
    idle_.resize(rank_of_.size());
    finished_.resize(rank_of_.size());
    if (!ranks_.first()) return;
    for (chip_id id = 0; id < rank_of_.size(); ++id)
        if (!here(id)) net_.at(id).listen();
}

/// Of a chip that was cut its halves are stepped.
bool rank_runner::steps(chip_id id, unsigned rank) const {
    return rank_of_[id] == rank && net_.chips_->nodes[id].halves == network::no_chip;
}

/// The others watch if the first rank does.
void rank_runner::begin() {
    const bool watched = unpacked<bool>(ranks_.spread(packed(net_.chips_->observer != nullptr)));
    net_.chips_->watching = watched ? watching::later : watching::nobody;
    for (chip_id id = 0; watched && !ranks_.first() && id < net_.size(); ++id) net_.at(id).watch();
    if (net_.parts_.empty()) net_.start();
    // Chips of the first rank may use what the observer tells, as soon as it does.
    for (chip_id id = 0; id < rank_of_.size(); ++id)
        in_step_ = in_step_ || (watched && net_.at(id).shared() != nullptr);
    if (ranks_.first()) {
        if (!watched) drop_elsewhere();
        return;
    }
    for (effect_log* const log : logs()) log->write_down();
}

std::vector<effect_log*> rank_runner::logs() const {
    std::vector<effect_log*> all;
    for (const std::unique_ptr<network_part>& part : net_.parts_) all.push_back(&part->log());
    return all;
}

/// Gives neighbours what goes to them, and takes what comes.
void rank_runner::exchange() {
    std::vector<std::string> out;
    for (const unsigned to : neighbours_) {
        std::vector<network_part::mailbox*> full;
        for (const std::unique_ptr<network_part>& part : net_.parts_) {
            for (const unsigned window : {0u, 1u}) {
                network_part::mailbox& box = part->outbox(net_.parts_.size() + to, window);
                if (!box.empty()) full.push_back(&box);
            }
        }
        std::ostringstream bytes;
        cereal::BinaryOutputArchive archive(bytes);
        for (network_part::mailbox* const box : full) {
            archive(*box);
            box->clear();
        }
        out.push_back(std::move(bytes).str());
        costs_.bytes += out.back().size();
    }
    for (const std::string& bytes : ranks_.exchange(neighbours_, out)) {
        std::istringstream from(bytes);
        cereal::BinaryInputArchive archive(from);
        while (from.peek() != std::istringstream::traits_type::eof()) {
            network_part::mailbox mail;
            archive(mail);
            for (const std::unique_ptr<network_part>& part : net_.parts_) part->take_mail(mail);
        }
    }
}

rank_runner::state rank_runner::agree() {
    bool failed = broken_ != nullptr;
    bool told = false;
    for (const std::unique_ptr<network_part>& part : net_.parts_) {
        failed = failed || part->failure().what != nullptr;
        told = told || (part->log().writer() != nullptr && part->log().writer()->any());
    }
    const auto [end, chip] = net_.announced_end();
    std::array<std::uint64_t, 5> least{net_.next_activity(), ~net_.quiet_from(), failed ? 0u : 1u, told ? 0u : 1u, end};
    ranks_.least(least);
    state now{least[0], ~least[1], least[2] == 0, least[3] == 0, least[4]};
    if (now.last != never) {
        std::array<std::uint64_t, 1> first{end == now.last ? chip : network::no_chip};
        ranks_.least(first);
        net_.stop_at(now.last, static_cast<chip_id>(first[0]));
    }
    return now;
}

/// The first rank does what was told since the last time, up to the first failure.
void rank_runner::act(const state& now) {
    std::vector<std::string> written;
    if (now.told) {
        std::vector<std::string> own;
        for (effect_log* const log : logs())
            if (log->writer() != nullptr) own.push_back(log->writer()->take());
        for (const std::string& log : own) costs_.told += log.size();
        for (const std::string& rank : ranks_.gather(packed(own)))
            for (std::string& log : unpacked<std::vector<std::string>>(rank))
                if (!log.empty()) written.push_back(std::move(log));
    }
    failed_ = now.failed;
    if (failed_) {
        const network_part::failed_step* own = nullptr;
        for (const std::unique_ptr<network_part>& part : net_.parts_) {
            const network_part::failed_step& one = part->failure();
            if (one.what && (own == nullptr || std::pair(one.when, one.chip) < std::pair(own->when, own->chip)))
                own = &one;
        }
        const std::vector<std::string> all = ranks_.gather(packed(own != nullptr ? failure::of(*own) : failure{}));
        if (!ranks_.first()) return;
        others_wait_ = true;
        failure first;
        unsigned from = 0;
        for (unsigned rank = 0; rank < all.size(); ++rank) {
            const auto one = unpacked<failure>(all[rank]);
            if (std::pair(one.when, one.chip) >= std::pair(first.when, first.chip)) continue;
            first = one;
            from = rank;
        }
        if (broken_) std::rethrow_exception(broken_);
        tell(written, first.when, first.chip);
        net_.end_at(first.when);
        if (from == 0) std::rethrow_exception(own->what);
        throw_packed(first.what);
    }
    if (!ranks_.first()) return;
    try {
        tell(written, never, ~0u);
    } catch (...) {
        broken_ = std::current_exception();  // the others learn of it when all agree the next time
    }
}

void rank_runner::tell(std::span<const std::string> written, cycle last, chip_id last_chip) {
    const auto perform = [this](std::uint32_t chip, effect_reader& from) {
        const chip_node& node = net_.chips_->nodes[chip];
        if (from.action() != step_record::number) return node.told->act(from.action(), from);
        step_record step(*node.shape);
        from.read(step);
        step.show(*net_.chips_->observer, chip, from.when());
    };
    effect_log::act(logs(), written, perform, last, last_chip);
}

/// Does a part of what is no simulation.
template <typename action>
auto rank_runner::timed(const action& act) {
    const auto begin = std::chrono::steady_clock::now();
    const auto done = act();
    costs_.waiting += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return done;
}

/// As network::run().
bool rank_runner::run(cycle end) {
    const cycle begin = net_.now();
    while (true) {
        ++costs_.batches;
        const state now = timed([this] { return agree(); });
        act(now);
        if (failed_) return true;
        if (now.next >= end) {
            net_.end_at(now.next == never ? std::max(begin, now.quiet_from) : std::max(net_.now(), end));
            return now.next == never;
        }
        // Where something happens all the time it is enough to agree seldom.
        const unsigned most = in_step_ || net_.warning_ != never ? 1 : 64;
        batch_ = now.next == net_.now() ? std::min(2 * batch_, most) : 1;
        cycle at = now.next;
        for (unsigned window = 0; window < batch_ && at < end; ++window) {
            at += std::min({in_step_ ? 1 : window_, end - at, cycles_through(at, now.last)});
            net_.run_until(at);
            ++costs_.windows;
            timed([this] { return exchange(), 0; });
        }
    }
}

void rank_runner::run_slices(const slices& how, const std::function<bool(bool over)>& look) {
    begin();
    if (!ranks_.first()) {
        while (true) {
            run(how.end_of(net_.now()));
            if (!failed_) refresh();
            while (obey() == command::say) {
            }
            if (over_) throw simulated_elsewhere();
        }
    }
    try {
        while (true) {
            said_.clear();
            const bool over = run(how.end_of(net_.now()));
            refresh();
            others_wait_ = true;
            if (look(over)) break;
            ranks_.spread(packed(command::go_on));
            others_wait_ = false;
        }
    } catch (const std::exception& failed) {
        if (!others_wait_) throw out_of_step(failed.what());
        finish();
        throw;
    }
    finish();
}

/// Tells the first rank what it asks chips for between two slices.
void rank_runner::refresh() {
    std::vector<bool> idle, finished;
    for (chip_id id = 0; id < rank_of_.size(); ++id) {
        if (!steps(id, ranks_.rank())) continue;
        idle.push_back(net_.at(id).idle());
        finished.push_back(net_.at(id).finished());
    }
    part_counters counted = net_.counted();
    counted.errors.clear();
    counted.events.clear();
    const std::vector<std::string> all = ranks_.gather(packed(idle, finished, counted));
    if (!ranks_.first()) return;
    others_ = {};
    for (unsigned rank = 1; rank < all.size(); ++rank) {
        unpack(all[rank], idle, finished, counted);
        others_ += counted;
        std::size_t next = 0;
        for (chip_id id = 0; id < rank_of_.size(); ++id) {
            if (!steps(id, rank)) continue;
            idle_[id] = idle[next];
            finished_[id] = finished[next++];
        }
    }
}

/// Does what the first rank wants. \returns what that was
rank_runner::command rank_runner::obey() {
    const auto wanted = unpacked<command>(ranks_.spread({}));
    if (wanted == command::say) ranks_.gather(sayings());
    if (wanted == command::end) {
        ranks_.gather(last_words());
        over_ = true;
    }
    return wanted;
}

/// Of the chips of this rank.
std::string rank_runner::sayings() const {
    std::vector<saying> all;
    for (chip_id id = 0; id < rank_of_.size(); ++id) {
        if (!steps(id, ranks_.rank())) continue;
        saying& one = all.emplace_back();
        net_.at(id).probe(one.probe);
        one.report = net_.at(id).report();
    }
    return packed(all);
}

void rank_runner::hear(unsigned rank, const std::string& all) const {
    std::size_t next = 0;
    auto said = unpacked<std::vector<saying>>(all);
    for (chip_id id = 0; id < rank_of_.size(); ++id)
        if (steps(id, rank)) said_[id] = std::move(said[next++]);
}

/// What remains to be known at the end.
std::string rank_runner::last_words() const {
    std::vector<link_statistics> links;
    for (chip_id id = 0; id < rank_of_.size(); ++id)
        for (unsigned port = 0; steps(id, ranks_.rank()) && port < net_.chips_->nodes[id].shape->ports; ++port)
            links.push_back(net_.parts_[net_.chips_->nodes[id].part]->statistics({id, port}));
    return packed(net_.counted(), links, sayings(), give_ ? give_() : std::string(), costs_.bytes, costs_.told);
}

void rank_runner::finish() {
    ranks_.spread(packed(command::end));
    const std::vector<std::string> all = ranks_.gather({});
    others_ = {};
    for (unsigned rank = 1; rank < all.size(); ++rank) {
        part_counters counted;
        std::vector<link_statistics> links;
        std::string said, beside;
        std::uint64_t bytes = 0, told = 0;
        unpack(all[rank], counted, links, said, beside, bytes, told);
        costs_.bytes += bytes;
        costs_.told += told;
        others_ += counted;
        std::size_t next = 0;
        for (chip_id id = 0; id < rank_of_.size(); ++id)
            for (unsigned port = 0; steps(id, rank) && port < net_.chips_->nodes[id].shape->ports; ++port)
                net_.chips_->link({id, port}).into = links[next++];
        hear(rank, said);
        if (take_) take_(beside);
    }
    over_ = true;
}

const rank_runner::saying& rank_runner::said_of(chip_id id) const {
    if (!over_ && said_.empty()) {
        ranks_.spread(packed(command::say));
        const std::vector<std::string> all = ranks_.gather({});
        for (unsigned rank = 1; rank < all.size(); ++rank) hear(rank, all[rank]);
    }
    return said_.at(id);
}

bool rank_runner::idle(chip_id id) const {
    return rank_of_.empty() || here(id) ? net_.at(id).idle() : idle_[id];
}

bool rank_runner::finished(chip_id id) const {
    return rank_of_.empty() || here(id) ? net_.at(id).finished() : finished_[id];
}

void rank_runner::probe(chip_id id, chip_probe& probe) const {
    if (rank_of_.empty() || here(id)) return net_.at(id).probe(probe);
    probe = said_of(id).probe;
}

chip_report rank_runner::report(chip_id id) const {
    return rank_of_.empty() || here(id) ? net_.at(id).report() : said_of(id).report;
}

}  // namespace polycast::hw::engine
