// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/infiniband_records.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "hw/topology/infiniband_text.h"
#include "hw/topology/nearest_name.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::topology {
namespace {

const std::array<std::string, 4> record_words{"Switch", "Ca", "Hca", "Rt"};
const std::array<std::string, 3> refused_words{"include", "do", "module"};
const std::array<std::string, 14> skipped_words{"vendid",   "devid",   "sysimgguid",  "switchguid", "caguid",
                                                "hcaguids", "hcaguid", "rtguid",      "width",      "speed",
                                                "pdebug",   "Chassis", "Non-Chassis", "Hostname:"};

using cable = infiniband_cable;
using node = infiniband_node;

class infiniband_reader {
public:
    infiniband_reader(const std::string& file, std::string_view text, bool print_out)
        : cursor_(file, text), print_out_(print_out) {}

    infiniband_records read() {
        while (cursor_.next_line()) {
            cursor_.skip_blanks();
            if (cursor_.peek() == '#') continue;  // also between the ports of a node
            if (cursor_.peek() == '[') {
                read_port();
                continue;
            }
            current_ = nullptr;
            if (!cursor_.at_end()) read_head();
        }
        infiniband_records records;
        records.files.push_back(cursor_.file());
        records.nodes = std::move(nodes_);
        check_cables(records);
        return records;
    }

private:
    void read_head() {
        const text_position at = cursor_.position();
        if (cursor_.peek() == '@') cursor_.fail("port aliases are not supported", "name the other node and its port");
        const std::string word(cursor_.take_until(" \t=+#\""));
        const auto is = [&](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
        if (is(record_words)) {
            read_record(word, at);
        } else if (word == "switchguid") {
            switch_guid_ = take_guid();
            if (cursor_.take("(")) switch_port_guid_ = cursor_.take_number<std::uint64_t>(16).value_or(0);
        } else if (word == "caguid" || word == "hcaguids" || word == "rtguid") {
            adapter_guid_ = take_guid();
        } else if (is(refused_words)) {
            cursor_.fail_at(at, "ibsim's '" + word + "' is not supported", "write the network into one file");
        } else if (!is(skipped_words)) {
            std::vector<std::string> known(record_words.begin(), record_words.end());
            known.insert(known.end(), skipped_words.begin(), skipped_words.end());
            cursor_.fail_at(at, "unknown line " + excerpt(cursor_.line().substr(at.column - 1)),
                            propose_name(word, known));
        }
    }

    std::uint64_t take_guid() {
        const text_position at = cursor_.position();
        if (cursor_.take("=")) {
            const int base = cursor_.take("0x") ? 16 : 10;
            if (const auto guid = cursor_.take_number<std::uint64_t>(base)) return *guid;
        }
        cursor_.fail_at(at, "expected a GUID like =0x200005");
    }

    std::string take_id() {
        cursor_.skip_blanks();
        if (!cursor_.take("\"")) cursor_.fail("expected a node's id in quotes");
        std::string id(cursor_.take_until("\""));
        if (!cursor_.take("\"")) cursor_.fail("the closing \" of a node's id is missing");
        if (id.empty()) cursor_.fail("a node's id is empty");
        return id;
    }

    void read_record(const std::string& word, text_position at) {
        cursor_.skip_blanks();
        const text_position ports_at = cursor_.position();
        const auto ports = cursor_.take_number<unsigned>();
        if (!ports) cursor_.fail_at(ports_at, "expected the number of ports of this " + word);
        node fresh;
        fresh.is_switch = word == "Switch";
        fresh.is_router = word == "Rt";
        fresh.ports = *ports;
        fresh.at = at;
        fresh.id = take_id();
        const unsigned most = fresh.is_switch ? max_switch_ports : 255;
        if (*ports < 1 || *ports > most)
            cursor_.fail_at(
                ports_at, "'" + fresh.id + "' has " + std::to_string(*ports) + " ports",
                (fresh.is_switch ? "a switch has 1 to " : "an adapter has 1 to ") + std::to_string(most) + " ports");
        cursor_.skip_blanks();
        if (!cursor_.at_end() && cursor_.peek() != '#')
            cursor_.fail("unexpected " + excerpt(cursor_.left()) + " after a node's id");
        fresh.description = description_of(cursor_.left());
        if (fresh.is_switch) {
            const std::string_view told =
                cursor_.left().substr(std::min(cursor_.left().rfind('"') + 1, cursor_.left().size()));
            fresh.lid = number_behind(told, " lid ");
            fresh.lmc = number_behind(told, " lmc ");
            fresh.port_guid = std::exchange(switch_port_guid_, 0);
        }
        std::uint64_t& told = fresh.is_switch ? switch_guid_ : adapter_guid_;
        fresh.guid = guid_of(fresh.id).value_or(told);
        told = 0;
        const auto [known, is_new] = numbers_.try_emplace(fresh.id, nodes_.size());
        if (is_new) {
            nodes_.push_back(std::move(fresh));
        } else {
            // ibnetdiscover -g prints some nodes of a chassis twice.
            const node& first = nodes_[known->second];
            if (!print_out_ || first.is_switch != fresh.is_switch || first.ports != fresh.ports)
                cursor_.fail_at(
                    at, "there is already a node '" + fresh.id + "' (line " + std::to_string(first.at.line) + ")");
        }
        current_ = &nodes_[known->second];
    }

    void skip_extras(std::uint64_t* guid) {
        if (cursor_.take("[ext ")) {  // number on the outside of a chassis
            cursor_.take_until("]");
            if (!cursor_.take("]")) cursor_.fail("the closing ] is missing");
        }
        std::size_t blanks = 0;
        while (blanks < cursor_.left().size() && cursor_.left()[blanks] == ' ') ++blanks;
        if (!cursor_.left().substr(blanks).starts_with('(')) return;
        cursor_.advance(blanks + 1);
        const auto value = cursor_.take_number<std::uint64_t>(16);
        if (!value || !cursor_.take(")")) cursor_.fail("expected a port GUID and a closing )");
        if (guid != nullptr) *guid = *value;
    }

    unsigned take_port(const std::string& id, unsigned ports) {
        const text_position at = cursor_.position();
        const auto port = cursor_.take_number<unsigned>();
        if (!port || !cursor_.take("]")) cursor_.fail("expected a port number and a closing ]");
        if (*port < 1 || *port > ports)
            cursor_.fail_at(at, "'" + id + "' has no port " + std::to_string(*port),
                            "its ports are 1 to " + std::to_string(ports));
        return *port;
    }

    void read_port() {
        if (current_ == nullptr)
            cursor_.fail("a port line outside of a node's record", "records start with Switch, Ca, Hca or Rt");
        cable one;
        one.at = cursor_.position();
        cursor_.advance(1);
        const unsigned port = take_port(current_->id, current_->ports);
        skip_extras(&one.port_guid);
        one.remote = take_id();
        one.remote_port = cursor_.take("[") ? take_port(one.remote, 255) : 1;
        skip_extras(nullptr);
        cursor_.skip_blanks();
        while (!cursor_.at_end() && cursor_.peek() != '#') read_option();
        if (!current_->is_switch) {
            // Of this end; what is told behind the other end's description is the other end's.
            const std::string_view told = cursor_.left().substr(0, cursor_.left().find('"'));
            one.lid = number_behind(told, " lid ");
            one.lmc = number_behind(told, " lmc ");
        }
        const auto [known, is_new] = current_->cables.try_emplace(port, one);
        if (!is_new && (!print_out_ || !known->second.same_as(one)))
            cursor_.fail_at(one.at, "port " + std::to_string(port) + " of '" + current_->id +
                                        "' is cabled twice (line " + std::to_string(known->second.at.line) + ")");
    }

    /// ibsim's width and speed of a port: w=4 s=1.
    void read_option() {
        const text_position at = cursor_.position();
        if ((!cursor_.take("w=") && !cursor_.take("s=")) || !cursor_.take_number<unsigned>())
            cursor_.fail_at(at, "unexpected " + excerpt(cursor_.left()) + " after a cable");
        cursor_.skip_blanks();
    }

    text_cursor cursor_;
    bool print_out_;
    std::vector<node> nodes_;
    std::unordered_map<std::string, std::size_t> numbers_;  ///< by id
    node* current_ = nullptr;
    std::uint64_t switch_guid_ = 0, switch_port_guid_ = 0, adapter_guid_ = 0;  ///< told before the record
};

}  // namespace

infiniband_records read_infiniband_records(const std::string& file, std::string_view text, bool print_out) {
    return infiniband_reader(file, text, print_out).read();
}

}  // namespace polycast::hw::topology
