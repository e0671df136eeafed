// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/rails/rail_driver.h"

#include <algorithm>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::rails {

namespace {

using boost::endian::load_little_u32;
using boost::endian::store_little_u32;

// Tags on the timeline.
constexpr std::uint64_t tag_created = 0;                 ///< others: the number of a pause
constexpr std::uint64_t tag_expiry = ~std::uint64_t{0};  ///< something may have waited long for its other stripes

constexpr rail_set bit(unsigned rail) {
    return rail_set{1} << rail;
}

unsigned lowest(rail_set rails) {
    return static_cast<unsigned>(std::countr_zero(rails));
}

}  // namespace

/// What the driver is told by one interface.
class rail_driver::side final : public host::process_client {
public:
    side(rail_driver& driver, unsigned rail) : driver_(driver), rail_(rail) {}

    void sent(cycle /*when*/, std::uint64_t /*context*/, ni_status status) override { driver_.sent_on(rail_, status); }
    void refused(cycle /*when*/, std::uint64_t /*context*/, bool kept) override { driver_.refused_on(rail_, kept); }
    void received(cycle when, const host::delivery& message) override { driver_.received_on(rail_, when, message); }
    void failed(cycle /*when*/, const host::ni_report& report) override { driver_.failed_on(rail_, report); }

private:
    rail_driver& driver_;
    unsigned rail_;
};

unsigned rail_board::next(rail_set candidates) {
    const rail_set upper = candidates & ~(bit(pointer) - 1);
    const unsigned rail = lowest(upper != 0 ? upper : candidates);
    pointer = rail + 1 == bytes.size() ? 0 : rail + 1;
    return rail;
}

rail_driver::rail_driver(const host::host_context& context, const driver_params& params,
                         std::shared_ptr<rail_board> board, rail_source& source, rail_scoreboard& sink)
    : context_(context),
      params_(params),
      board_(std::move(board)),
      source_(source),
      created_(context.told, [&sink](process_id from, const rail_message& what) { sink.created(from, what); }),
      delivered_(context.told,
                 [&sink](cycle when, process_id at, process_id from, std::uint32_t which,
                         std::span<const std::uint8_t> bytes) { sink.delivered(when, at, from, which, bytes); }),
      random_(params.seed, transfer_of({host(), number()}, 0)),
      busy_(context.everywhere.size()),
      assembly_({.longest = std::max(context.own.params().message_bytes, stripe_header) - stripe_header,
                 .life = params.assembly_life}) {
    if (params_.policy == rail_policy::fixed) {
        if (!params_.matrix) throw input_error("rails: static allocation has no matrix");
        if (params_.matrix->rails() != busy_.size() || params_.matrix->nodes() != context_.own.params().hosts)
            throw input_error("rails: a matrix of " + std::to_string(params_.matrix->rails()) + " rails and " +
                              std::to_string(params_.matrix->nodes()) + " nodes for " + std::to_string(busy_.size()) +
                              " rails and " + std::to_string(context_.own.params().hosts) + " nodes");
    }
    if (params_.least_stripe == 0) throw input_error("rails: a stripe has at least one byte");
    if (params_.retry < 2) throw input_error("rails: a message is tried again after two cycles or more");
    for (unsigned rail = 1; rail < busy_.size(); ++rail) sides_.push_back(std::make_unique<side>(*this, rail));
}

rail_driver::~rail_driver() = default;

host::process_client* rail_driver::client(unsigned interface) {
    return interface == 0 ? static_cast<host::process_client*>(this) : sides_[interface - 1].get();
}

void rail_driver::sent(cycle /*when*/, std::uint64_t /*context*/, ni_status status) {
    sent_on(0, status);
}

void rail_driver::refused(cycle /*when*/, std::uint64_t /*context*/, bool kept) {
    refused_on(0, kept);
}

void rail_driver::received(cycle when, const host::delivery& message) {
    received_on(0, when, message);
}

void rail_driver::failed(cycle /*when*/, const host::ni_report& report) {
    failed_on(0, report);
}

void rail_driver::fail(const std::string& what) {
    failures_.add("cycle " + std::to_string(context_.time.now()) + ", host " + std::to_string(host()) + ", process " +
                  std::to_string(number()) + ": " + what);
}

std::vector<std::uint64_t> rail_driver::counts() const {
    const driver_statistics& s = statistics_;
    return {s.messages, s.stripes, s.refused, s.urgent, s.withdrawn};
}

void driver_statistics::add(std::span<const std::uint64_t> counts) {
    if (counts.empty()) return;
    messages += counts[0];
    stripes += counts[1];
    refused += counts[2];
    urgent += counts[3];
    withdrawn += counts[4];
}

// --- messages to send ---

void rail_driver::start() {
    fetch();
}

void rail_driver::fetch() {
    upcoming_ = source_.next({host(), number()});
    if (upcoming_) context_.time.schedule(std::max(upcoming_->created, context_.time.now()), *this, tag_created);
}

void rail_driver::due(cycle when, std::uint64_t tag) {
    if (tag == tag_created) {
        created_({host(), number()}, *upcoming_);
        waiting_.push_back(*upcoming_);
        fetch();
        if (!current_) take_up();
    } else if (tag == tag_expiry) {
        expire(when);
    } else if (tag == pause_) {
        pause_ = 0;
        current_->tried = 0;
        advance();
    }
}

void rail_driver::take_up() {
    if (waiting_.empty()) return;
    current_.emplace();
    current_->what = waiting_.front();
    waiting_.pop_front();
    current_->left = current_->what.bytes;
    current_->pending.push_back({0, current_->what.bytes});
    current_->content.resize(current_->what.bytes);
    traffic::fill_payload(params_.payload_seed, transfer_of({host(), number()}, current_->what.number),
                          current_->content);
    advance();
}

rail_set rail_driver::in_use() const {
    rail_set rails = 0;
    for (unsigned rail = 0; rail < busy_.size(); ++rail)
        if (busy_[rail]) rails |= bit(rail);
    return rails;
}

rail_set rail_driver::idle(rail_set rails) {
    rail_set found = 0;
    for (rail_set set = rails; set != 0; set &= set - 1) {
        const unsigned rail = lowest(set);
        if (board_->bytes[rail] == 0 && context_.managers[rail]->activity().idle()) found |= bit(rail);
    }
    return found;
}

/// Rails on which the present message may go now.
rail_set rail_driver::allowed() {
    switch (params_.policy) {
        case rail_policy::fixed: return params_.matrix->usable(host(), current_->what.to.host);
        case rail_policy::basic: return all();
        case rail_policy::local_dynamic: {
            const rail_set free = idle(all());
            if (free != 0) return free;
            const auto least = std::ranges::min_element(board_->bytes);
            return bit(static_cast<unsigned>(least - board_->bytes.begin()));
        }
        case rail_policy::dynamic: {
            // An urgent message asks busy interfaces, too, so that they keep themselves for it.
            const rail_set rails = all() & ~current_->tried & ~in_use();
            return current_->refusals < params_.patience ? idle(rails) : rails;
        }
    }
    return 0;
}

void rail_driver::advance() {
    if (current_->pending.empty()) return;
    const bool one_at_a_time = params_.policy == rail_policy::dynamic && !params_.striping;
    if (one_at_a_time && in_use() != 0) return;
    const rail_set rails = allowed();
    if (rails == 0) return wait();
    spread(params_.striping ? rails : bit(board_->next(rails)));
}

/// Cuts what is on no rail over some.
void rail_driver::spread(rail_set rails) {
    std::uint64_t bytes = 0;
    for (const part& each : current_->pending) bytes += each.bytes;
    auto shares = static_cast<unsigned>(std::popcount(rails));
    shares = static_cast<unsigned>(std::clamp<std::uint64_t>(bytes / params_.least_stripe, 1, shares));
    for (; shares != 0 && !current_->pending.empty(); --shares) {
        const unsigned rail = board_->next(rails);
        rails &= ~bit(rail);
        part& first = current_->pending.front();
        const auto share =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(first.bytes, (bytes + shares - 1) / shares));
        const part own{first.offset, share};
        first.offset += share;
        first.bytes -= share;
        bytes -= share;
        if (first.bytes == 0) current_->pending.erase(current_->pending.begin());
        send(rail, own);
    }
}

void rail_driver::send(unsigned rail, const part& what) {
    host::send_order order;
    order.to = current_->what.to.host;
    order.process = current_->what.to.process;
    order.number = params_.striping ? stripes_++ : current_->what.number;
    if (params_.policy == rail_policy::dynamic) {
        order.ticket = static_cast<std::uint32_t>(current_->what.created);
        order.urgent = current_->refusals >= params_.patience;
        if (order.urgent) ++statistics_.urgent;
    }
    std::span<const std::uint8_t> content = std::span(current_->content).subspan(what.offset, what.bytes);
    if (params_.striping) {
        scratch_.resize(stripe_header);
        store_little_u32(&scratch_[0], current_->what.bytes);
        store_little_u32(&scratch_[4], what.offset);
        store_little_u32(&scratch_[8], current_->what.number);
        scratch_.insert(scratch_.end(), content.begin(), content.end());
        content = scratch_;
    }
    busy_[rail] = what;
    board_->bytes[rail] += what.bytes;
    context_.everywhere[rail]->send(order, content);
}

void rail_driver::wait() {
    if (pause_ != 0) return;
    pause_ = ++pauses_;
    const cycle pause = params_.retry / 2 + random_() % params_.retry;
    context_.time.schedule(context_.time.now() + pause, *this, pause_);
}

void rail_driver::sent_on(unsigned rail, ni_status status) {
    if (!current_ || !busy_[rail]) return fail("interface " + std::to_string(rail) + " has sent what it was not given");
    const part done = *std::exchange(busy_[rail], std::nullopt);
    board_->bytes[rail] -= done.bytes;
    if (status != NI_STATUS_OK)
        fail("interface " + std::to_string(rail) + " could not send message " + std::to_string(current_->what.number) +
             ", status " + std::to_string(status));
    ++statistics_.stripes;
    current_->kept &= ~bit(rail);
    current_->left -= done.bytes;
    if (current_->left == 0) return finish();
    advance();
}

void rail_driver::refused_on(unsigned rail, bool kept) {
    if (!current_ || !busy_[rail]) return fail("interface " + std::to_string(rail) + " refused what it was not given");
    const part back = *std::exchange(busy_[rail], std::nullopt);
    board_->bytes[rail] -= back.bytes;
    ++statistics_.refused;
    ++current_->refusals;
    current_->pending.push_back(back);
    current_->tried |= bit(rail);
    if (kept) current_->kept |= bit(rail);
    advance();
}

void rail_driver::finish() {
    for (rail_set set = current_->kept; set != 0; set &= set - 1) {
        context_.everywhere[lowest(set)]->withdraw(current_->what.to.host,
                                                   static_cast<std::uint32_t>(current_->what.created));
        ++statistics_.withdrawn;
    }
    ++statistics_.messages;
    current_.reset();
    pause_ = 0;
    take_up();
}

// --- what arrives ---

void rail_driver::received_on(unsigned rail, cycle when, const host::delivery& message) {
    std::vector<std::uint8_t> scratch;
    const std::span<const std::uint8_t> bytes = context_.everywhere[rail]->bytes(message, scratch);
    if (params_.striping)
        put_together(when, message, bytes);
    else
        deliver(when, message, message.number, bytes);
    context_.everywhere[rail]->release(message);
}

/// All of message `which` is there; `last` is what came last of it.
void rail_driver::deliver(cycle when, const host::delivery& last, std::uint32_t which,
                          std::span<const std::uint8_t> bytes) {
    delivered_(when, {host(), number()}, {last.source, last.process}, which, bytes);
}

void rail_driver::put_together(cycle when, const host::delivery& message, std::span<const std::uint8_t> bytes) {
    const auto refuse = [&](std::string_view why) {
        fail("stripe " + std::to_string(message.number) + " of host " + std::to_string(message.source) + ", process " +
             std::to_string(message.process) + " " + std::string(why));
    };
    if (bytes.size() <= stripe_header) return refuse("is too short");
    const std::uint32_t which = load_little_u32(&bytes[8]);
    const stripe_assembly::outcome made = assembly_.add(when, {.from = {message.source, message.process},
                                                               .message = which,
                                                               .total = load_little_u32(&bytes[0]),
                                                               .offset = load_little_u32(&bytes[4]),
                                                               .content = bytes.subspan(stripe_header)});
    if (!made.refused.empty()) return refuse(made.refused);
    if (made.lost) given_up(*made.lost);
    if (made.whole) deliver(when, message, which, *made.whole);
    if (!expiring_ && assembly_.messages() != 0) {
        expiring_ = true;
        context_.time.schedule(assembly_.next(), *this, tag_expiry);
    }
}

void rail_driver::expire(cycle when) {
    for (const incomplete_message& each : assembly_.expire(when)) given_up(each);
    expiring_ = assembly_.messages() != 0;
    if (expiring_) context_.time.schedule(assembly_.next(), *this, tag_expiry);
}

void rail_driver::given_up(const incomplete_message& what) {
    fail("message " + std::to_string(what.message) + " of host " + std::to_string(what.from.host) + ", process " +
         std::to_string(what.from.process) + " is given up: " + std::to_string(what.there) + " of " +
         std::to_string(what.total) + " bytes came");
}

void rail_driver::failed_on(unsigned rail, const host::ni_report& report) {
    fail("interface " + std::to_string(rail) + " reports status " + std::to_string(report.status) + " of message " +
         std::to_string(report.message));
}

std::vector<host::application_factory> drive_rails(unsigned processes, unsigned rails, const driver_params& params,
                                                   rail_source& source, rail_scoreboard& sink) {
    const auto board = std::make_shared<rail_board>(rails);
    return {processes, [=, &source, &sink](const host::host_context& context) {
                return std::make_unique<rail_driver>(context, params, board, source, sink);
            }};
}

}  // namespace polycast::hw::rails
