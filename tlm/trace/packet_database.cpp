// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/packet_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <algorithm>
#include <optional>

#include "hw/input_error.h"
#include "tlm/trace/output_file.h"

namespace polycast::tlm::trace {

namespace {

// Without a journal: the file has its name only when it is complete, so there is nothing to roll back to.
constexpr const char* schema = R"(
pragma journal_mode = off;
pragma synchronous = off;
pragma user_version = 1;
create table network (name text not null, workload text not null, cycles integer);
create table chips (chip integer primary key, name text not null unique, kind text not null, pipeline integer not null);
create table cables (chip integer not null, port integer not null, to_chip integer not null, to_port integer not null,
                     delay integer not null, buffer integer not null, room integer not null,
                     primary key (chip, port)) without rowid;
create table packets (packet integer primary key, source integer not null, sequence integer not null,
                      label text not null, header integer not null);
create table passages (packet integer not null, chip integer not null, port integer not null, vc integer not null,
                       head integer not null, tail integer not null, flits integer not null);
)";

// Of networks with cables that are chips: they have a link layer, or faults on their wires.
constexpr const char* link_schema = R"(
create table links (cable integer primary key, wire integer not null, frame integer not null, trailer integer not null,
                    ordered_set integer not null);
create table replays (cable integer not null, end integer not null, first integer not null, last integer not null,
                      cause text not null, packets integer);
create table faults (cycle integer not null, cable integer not null, end integer not null, what text not null,
                     effect text not null, detail integer not null);
)";

// Of runs in which a processor has stood still.
constexpr const char* hang_schema = R"(
create table hangs (host integer not null, first integer not null, last integer not null);
)";

// Packets that waited for a replay: they had come when it ended, and left behind its beginning. They leave in the order
// in which they came, but for virtual channels, of which there are at most 16.
constexpr const char* waiting = R"(
with way as (select chip, port from cables where to_chip = ?1 and to_port = ?2),
     late as (select packet, head from passages where chip = ?1 and port = 1 - ?2 and head >= ?3 order by head)
select (select min(p.head) from passages p, way where p.packet = late.packet and p.chip = way.chip and
                                                      p.port = way.port) from late
)";

// Made last: one sort instead of a search for each row.
constexpr const char* indices = R"(
create index passages_of_packet on passages (packet, head);
create index passages_of_port on passages (chip, port, head);
create unique index packets_by_source on packets (source, sequence);
)";

std::int64_t number(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

void add_chips(SQLite::Database& database, const logged_network& network) {
    SQLite::Statement chip(database, "insert into chips values (?, ?, ?, ?)");
    SQLite::Statement cable(database, "insert into cables values (?, ?, ?, ?, ?, ?, ?)");
    for (std::uint32_t id = 0; id < network.chips.size(); ++id) {
        const logged_chip& one = network.chips[id];
        SQLite::bind(chip, number(id), one.name, one.kind, number(one.pipeline));
        chip.exec();
        chip.reset();
        for (const logged_chip::cable& each : one.cables) {
            SQLite::bind(cable, number(id), number(each.port), number(each.to_chip), number(each.to_port),
                         number(each.delay), number(each.buffer), number(each.room));
            cable.exec();
            cable.reset();
        }
    }
}

void add_links(SQLite::Database& database, const logged_network& network) {
    SQLite::Statement link(database, "insert into links values (?, ?, ?, ?, ?)");
    for (std::uint32_t id = 0; id < network.chips.size(); ++id) {
        const std::optional<logged_chip::link_layer>& layer = network.chips[id].layer;
        if (!layer) continue;
        SQLite::bind(link, number(id), number(layer->wire), number(layer->frame), number(layer->trailer),
                     number(layer->set));
        link.exec();
        link.reset();
    }
}

}  // namespace

class packet_database::tables {
public:
    tables(const std::filesystem::path& file, const logged_network& network)
        : file_(file), database_(fresh(file_.path()), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
        database_.exec(schema);
        transaction_.emplace(database_);
        SQLite::Statement about(database_, "insert into network values (?, ?, null)");
        SQLite::bind(about, network.name, network.workload);
        about.exec();
        add_chips(database_, network);
        if (has_links(network)) {
            database_.exec(link_schema);
            add_links(database_, network);
            replay_.emplace(database_, "insert into replays values (?, ?, ?, ?, ?, null)");
            fault_.emplace(database_, "insert into faults values (?, ?, ?, ?, ?, ?)");
        }
        packet_.emplace(database_, "insert into packets values (?, ?, ?, ?, ?)");
        passage_.emplace(database_, "insert into passages values (?, ?, ?, ?, ?, ?, ?)");
    }

    void add(const logged_packet& packet) {
        SQLite::bind(*packet_, number(packet.number), number(packet.source), number(packet.sequence), packet.label,
                     number(packet.header));
        packet_->exec();
        packet_->reset();
    }
    void add(const passage& passed) {
        SQLite::bind(*passage_, number(passed.packet), number(passed.chip), number(passed.port), number(passed.vc),
                     number(passed.head), number(passed.tail), number(passed.flits));
        passage_->exec();
        passage_->reset();
    }
    void add(const link_replay& replay) {
        SQLite::bind(*replay_, number(replay.cable), number(replay.end), number(replay.first), number(replay.last),
                     replay.by_timer ? "timer" : "nack");
        replay_->exec();
        replay_->reset();
    }
    void add(const logged_fault& fault) {
        SQLite::bind(*fault_, number(fault.when), number(fault.cable), number(fault.end), fault.what, fault.effect,
                     number(fault.detail));
        fault_->exec();
        fault_->reset();
    }
    void add(const logged_hang& hang) {
        if (!hang_) {
            database_.exec(hang_schema);
            hang_.emplace(database_, "insert into hangs values (?, ?, ?)");
        }
        SQLite::bind(*hang_, number(hang.host), number(hang.first), number(hang.last));
        hang_->exec();
        hang_->reset();
    }
    void finish(hw::engine::cycle end) {
        packet_.reset();
        passage_.reset();
        SQLite::Statement cycles(database_, "update network set cycles = ?");
        SQLite::bind(cycles, number(end));
        cycles.exec();
        database_.exec(indices);
        if (replay_) count_waiting();
        replay_.reset();
        fault_.reset();
        hang_.reset();
        transaction_->commit();
        file_.commit();
    }

private:
    static bool has_links(const logged_network& network) {
        return std::ranges::any_of(network.chips, [](const logged_chip& chip) { return chip.layer.has_value(); });
    }

    void count_waiting() {
        SQLite::Statement replays(database_, "select rowid, cable, end, first, last from replays");
        SQLite::Statement late(database_, waiting);
        SQLite::Statement count(database_, "update replays set packets = ? where rowid = ?");
        while (replays.executeStep()) {
            const std::int64_t last = replays.getColumn(4).getInt64();
            SQLite::bind(late, replays.getColumn(1).getInt64(), replays.getColumn(2).getInt64(),
                         replays.getColumn(3).getInt64());
            std::int64_t packets = 0;
            // A packet that the log has not seen come in was there before its window.
            while (late.executeStep() && (late.isColumnNull(0) || late.getColumn(0).getInt64() <= last)) ++packets;
            late.reset();
            SQLite::bind(count, packets, replays.getColumn(0).getInt64());
            count.exec();
            count.reset();
        }
    }

    /// Removes what a killed run has left under this name.
    static const std::filesystem::path& fresh(const std::filesystem::path& file) {
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        return file;
    }

    partial_file file_;
    SQLite::Database database_;
    std::optional<SQLite::Transaction> transaction_;
    std::optional<SQLite::Statement> packet_;
    std::optional<SQLite::Statement> passage_;
    std::optional<SQLite::Statement> replay_, fault_;  ///< of networks with cables
    std::optional<SQLite::Statement> hang_;            ///< from the first hang on
};

template <typename work>
void packet_database::guarded(work&& what) {
    if (error_) return;
    try {
        what();
    } catch (const SQLite::Exception& error) {
        error_ = std::make_exception_ptr(
            hw::input_error(std::string("the packet log cannot be written: ") + error.what(), "is the disk full?"));
    } catch (const hw::input_error&) {
        error_ = std::current_exception();
    }
}

packet_database::packet_database(const std::filesystem::path& file, const logged_network& network) {
    guarded([&] { tables_ = std::make_unique<tables>(file, network); });
    if (error_) std::rethrow_exception(error_);
}

packet_database::~packet_database() = default;

void packet_database::add(const logged_packet& packet) {
    guarded([&] { tables_->add(packet); });
}

void packet_database::add(const passage& passage) {
    guarded([&] { tables_->add(passage); });
}

void packet_database::add(const link_replay& replay) {
    guarded([&] { tables_->add(replay); });
}

void packet_database::add(const logged_fault& fault) {
    guarded([&] { tables_->add(fault); });
}

void packet_database::add(const logged_hang& hang) {
    guarded([&] { tables_->add(hang); });
}

void packet_database::finish(hw::engine::cycle end) {
    guarded([&] { tables_->finish(end); });
    if (error_) std::rethrow_exception(error_);
}

}  // namespace polycast::tlm::trace
