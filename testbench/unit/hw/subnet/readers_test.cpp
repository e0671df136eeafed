// SPDX-License-Identifier: Apache-2.0
/// \file What the readers refuse, with its place; and what they take although it looks odd.
#include <gmock/gmock.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "hw/subnet/fabric_files.h"
#include "testbench/unit/hw/subnet/small_fabric.h"

namespace polycast::hw::subnet {
namespace {

using testbench::unit::exchange;
using testbench::unit::formatted;
using testbench::unit::ring;
using testing::HasSubstr;
using testing::StartsWith;

TEST(fabric_files, are_recognised_by_content) {
    EXPECT_EQ(recognise(ring().list), file_kind::subnet_list);
    EXPECT_EQ(recognise(ring().fdbs), file_kind::fdbs);
    EXPECT_EQ(recognise("\n# x\nosm_ucast_mgr_dump_ucast_routes: Switch 0x1\n"), file_kind::fdbs);
    EXPECT_EQ(recognise("Unicast lids [0-4] of switch Lid 2 guid 0x1 ('a'):\n"), file_kind::lfts);
    EXPECT_EQ(recognise("Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0x1 (a):\n"), file_kind::mfts);
    EXPECT_EQ(recognise("\nSwitch 0x0000000000000001\nLID    : Out Port(s)\n"), file_kind::mcfdbs);
    EXPECT_EQ(recognise("Switch 0x1, base LID 2, \"a\"\n#in out : 0\n#--\n0 1 : 0\n"), file_kind::lanes_dump);
    EXPECT_EQ(recognise("Channel Adapter 0x1, base LID 2\n0x0001 : 3\n"), file_kind::path_records);
    EXPECT_EQ(recognise("0x1 0 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n"), file_kind::slvl);
    EXPECT_EQ(recognise("0x100000 5 2\r\n"), file_kind::psl);
    EXPECT_EQ(recognise("# SL2VL table: Lid 5\n"), file_kind::smpquery_lanes);
    EXPECT_EQ(recognise("# VLArbitration tables: Lid 5 port 1 LowCap 8 HighCap 8\n"), file_kind::arbitration);
    EXPECT_EQ(recognise("# made by ibdiagnet\nSTART_NODES\n"), file_kind::db_csv);
    EXPECT_EQ(recognise("MC Group 0xc001 : mgid=0x1:0x2 mlid=0xc001 sl_flow_hop=0x0\n"), file_kind::members);
    EXPECT_EQ(recognise("#\n# Topology file: generated\n"), file_kind::ibnetdiscover);
    EXPECT_EQ(recognise("Switch 4 \"a\"\n[1] \"b\"[1]\n"), file_kind::ibsim);
    EXPECT_EQ(recognise(" \n\n"), file_kind::empty);
    EXPECT_EQ(recognise("0x0000000000200004\n"), file_kind::unknown);
}

TEST(fabric_files, odd_forms_are_taken) {
    ring one;
    // CRLF, blanks at the ends, comments, descriptions with anything in them.
    std::string list;
    for (const char letter : one.list) list += letter == '\n' ? std::string(" \r\n") : std::string(1, letter);
    one.list = "# comment\n\n" + list;
    while (one.list.find("{node2}") != std::string::npos) exchange(one.list, "{node2}", "{a } LID:1 {'\"# b}");
    while (one.list.find("CA ") != std::string::npos) exchange(one.list, "CA ", "CA-SM ");
    exchange(one.list, " SPD=2.5", "");
    EXPECT_EQ(one.read().network.hosts[2].name, "a } LID:1 {'\"# b");
    exchange(one.fdbs, ": 02   : yes", ": 02   : No 1 hop path possible via port 2!");
    exchange(one.fdbs, ": 03   : yes", ": HOPS UNKNOWN");
    exchange(one.fdbs, "LID    :", "# x\n\nPLFT_NUM: 0\nLID    :");
    EXPECT_EQ(one.check().reached, 12U);
}

TEST(fabric_files, cables_that_are_down_are_none) {
    ring one;
    one.list +=
        testbench::unit::switch_end(0, 4) + " " + testbench::unit::switch_end(2, 4) + " PHY=4x LOG=DWN SPD=2.5\n";
    EXPECT_EQ(one.read().network.links().size(), 4U);
    exchange(one.list, "LOG=DWN", "LOG=ACT");
    EXPECT_THAT(one.refused(), HasSubstr("list:17:1: the cable from 'S-0000000000000200' port 4 to "
                                         "'S-0000000000000202' port 4 is not listed from its other end"));
}

struct change {
    std::string what, by, says;
};

TEST(fabric_files, subnet_lists_that_are_refused) {
    for (const change& one : std::vector<change>{
             {"{ CA Ports:01 SystemGUID:0000000000000102", "{ CX",
              "list:5:3: unknown kind of node 'CX'; known: SW, CA, Rt, **"},
             {"{ CA", "{ **", "list:1:3: a node of unknown kind is cabled"},
             {"PHY=4x", "PHY=3x", "list:1:318: unknown PHY= '3x'; known: 1x, 2x, 4x, 8x, 12x, ??"},
             {"LOG=ACT", "LOG=UP", "unknown LOG= 'UP'"},
             {"SPD=2.5", "SPD=3", "unknown SPD= '3'"},
             {"NodeGUID:0000000000000100", "NodeGUID:0", "list:1:52: a GUID is never 0"},
             {"NodeGUID:0000000000000100", "NodeGUID:00000000000000000", "a GUID has 1 to 16 hexadecimal digits"},
             {"LID:0005", "LID:C000", "list:1:146: LID 0xc000 is out of range; it is 0x0 to 0xbfff"},
             {"Ports:04", "Ports:41", "'S-0000000000000200' has 65 ports; a switch has 1 to 64 ports"},
             {"LID:0005", "LID:0009", "list:2:159: port 1 of 'H-0000000000000100' is told differently in line 1"},
             {"LID:0001", "LID:0009", "list:2:3: 'S-0000000000000200' is told differently in line 1"},
             {" LOG=ACT SPD=2.5\n", "\n", "list:1:320: expected 'LOG=', found the end of the line"}}) {
        ring changed;
        exchange(changed.list, one.what, one.by);
        EXPECT_THAT(changed.refused(), HasSubstr(one.says)) << one.by;
    }
    ring cut;
    cut.list.resize(cut.list.size() - 200);
    EXPECT_THAT(cut.refused(), StartsWith("list:16:"));
    ring twice;
    while (twice.list.find("LID:0006") != std::string::npos) exchange(twice.list, "LID:0006", "LID:0005");
    EXPECT_THAT(twice.refused(), HasSubstr("list:5:1: LID 5 is owned by 'node0' and by 'node1'"));
    ring base;
    base.join.lmc = 1;
    EXPECT_THAT(base.refused(), HasSubstr("list:1:1: base LID 5 of 'node0' is no multiple of 2"));
}

TEST(fabric_files, unicast_tables_that_are_refused) {
    for (const change& one : std::vector<change>{
             {"0x0005 : 001", "0x0005 : 005", "fdbs:7:10: switch 'ring0' has no port 5; its ports are 1 to 4"},
             {"0x0005 : 001", "0x0005 : 255", "fdbs:7:10: port 255 is out of range; it is 0 to 254"},
             {"0x0005 :", "0xC000 :", "fdbs:7:1: LID 0xc000 is out of range; it is 0x1 to 0xbfff"},
             {"0x0005 :", "0x0006 :", "fdbs:8:10: LID 6 of switch 'ring0' has another row at line 7"},
             {"Switch 0x0000000000000201", "Switch 0x0000000000000209",
              "fdbs:11:27: the topology has no switch with the GUID 0x209; give files of one and the same sweep, or "
              "--partial"},
             {"Switch 0x0000000000000201", "Switch 0x0000000000000100",
              "fdbs:11:27: 0x100 is an adapter in the topology, not a switch"},
             {": 00   : yes", ": 00   : ye", "fdbs:3:24: expected 'No', found 'ye'"},
             {"LID    : Port", "PLFT_NUM: 1\nLID    : Port", "fdbs:2:11: private LFTs are not read"},
             {"LID    : Port", "LID    : Pot", "fdbs:2:10: expected 'Port', found 'Pot : Hops : Optimal'"},
             {"dump_ucast_routes", "Dump", "is no file of a fabric"}}) {
        ring changed;
        exchange(changed.fdbs, one.what, one.by);
        EXPECT_THAT(changed.refused(), HasSubstr(one.says)) << one.by;
    }
    ring partial;
    exchange(partial.fdbs, "Switch 0x0000000000000201", "Switch 0x0000000000000209");
    partial.join.partial = true;
    EXPECT_EQ(partial.refused(), "accepted");
    EXPECT_THAT(partial.warnings(), HasSubstr("fdbs:11:27: the topology does not have the GUID 0x209"));
    ring same;
    exchange(same.fdbs, "0x0005 : 001  : 01   : yes\n", "0x0005 : 001  : 01   : yes\n0x0005 : 001  : 01   : yes\n");
    EXPECT_EQ(same.refused(), "accepted");
    ring none;
    none.fdbs.clear();
    EXPECT_THAT(none.refused(), HasSubstr("there are no unicast tables among the files"));
}

std::string lfts(unsigned last, const std::string& row8 = "0x0008 003 # Channel Adapter portguid 0x107: 'node3'\n") {
    return "Unicast lids [0-8] of switch Lid 1 guid 0x0000000000000200 ('ring0 ('x)):\n"
           "0x0001 000 # Switch portguid 0x200: 'ring0'\n"
           "0x0005 001 # Channel Adapter portguid 0x101: 'it's # node0'\n" +
           row8 + std::to_string(last) + " lids dumped\n";
}

TEST(fabric_files, lft_dumps) {
    ring one;
    one.more = lfts(8);
    EXPECT_EQ(one.refused(), "accepted");
    for (const change& each : std::vector<change>{
             {"0x0008 003", "0x0008 002",
              "more:4:8: LID 8 of switch 'ring0' goes to port 2 here, and to port 3 at fdbs line 10"},
             {"0x0008 003", "0x0008 003 x", "more:4:12: expected ':', found 'x # Channel"},
             {"portguid 0x107", "portguid 0x999", "the topology has no adapter's port with the GUID 0x999"},
             {"portguid 0x107", "portguid 0x105", "more:4:1: port 0x105 has LID 8 here, and LID 7 in the topology"},
             {"Channel Adapter portguid 0x101", "Switch portguid 0x101",
              "0x101 is an adapter's port in the topology, not a port of a Switch"},
             {"8 lids dumped", "7 lids dumped", "more:5:1: LIDs to 7 were dumped, but a row has 8; is the file cut?"},
             {"8 lids dumped", "4 valid lids dumped", "more:5:1: 4 rows were dumped, but 3 are here"},
             {"8 lids dumped\n", "", "more:4:53: the table of the last switch has no end, 'N lids dumped'"},
             {"Lid 1 guid", "1 guid", "expected 'Lid N' or 'DR path ...'"},
             {"):", "", "expected the switch's name and '):' at the end"}}) {
        ring changed = one;
        exchange(changed.more, each.what, each.by);
        EXPECT_THAT(changed.refused(), HasSubstr(each.says)) << each.by;
    }
    // The other form, with two LIDs of a port.
    ring two;
    two.more =
        "Unicast lids [0x0-0x8] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000000200 (ring0):\n"
        "  Lid  Out   Destination\n       Port     Info \n"
        "0x0007 003 : (Channel Adapter portguid 0x0000000000000105: 'node2')\n"
        "0x0008 003 : (path #2 out of 2: portguid 0x0000000000000105)\n2 valid lids dumped \n";
    EXPECT_THAT(two.refused(), HasSubstr("base LID 5 of 'node0' is no multiple of 2")) << "LMC 1 by the rows";
}

TEST(fabric_files, multicast_tables_that_are_refused) {
    const std::string good = "Switch 0x0000000000000200\nLID    : Out Port(s)\n0xC000 : 0x000  0x001  0x003 \n";
    ring one;
    one.more = good;
    EXPECT_TRUE(one.read().switches[0].multicast.at(0xc000).self);
    for (const change& each :
         std::vector<change>{{"0xC000", "0xBFFF", "more:3:1: MLID 0xbfff is out of range; it is 0xc000 to 0xfffe"},
                             {"0x003", "0x005", "more:3:24: switch 'ring0' has no port 5"},
                             {"0x001  0x003 \n", "0x001  0x003 \n0xC000 : 0x001\n",
                              "more:4:1: MLID 0xc000 of switch 'ring0' has another row at line 3"},
                             {"0x000  0x001  0x003 ", "", "more:3:10: a row without ports"}}) {
        ring changed = one;
        exchange(changed.more, each.what, each.by);
        EXPECT_THAT(changed.refused(), HasSubstr(each.says)) << each.by;
    }
    const std::string dump =
        "Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x0000000000000200 (a):\n     Ports: 0 1 2 3 4 \n MLid\n"
        "0xc000      x x   x   \n1 valid mlids dumped \n";
    ring mfts;
    mfts.more = dump;
    EXPECT_EQ(mfts.read().switches[0].multicast.at(0xc000).ports, 0b101U);
    EXPECT_TRUE(mfts.read().switches[0].multicast.at(0xc000).self);
    for (const change& each :
         std::vector<change>{{"x x   x  ", "x x    x ", "more:4:20: expected 'x' in a port's column"},
                             {"x x   x  ", "x x         x  ", "more:4:25: switch 'ring0' has no port 6"},
                             {"1 valid", "2 valid", "more:5:1: 2 rows were dumped, but 1 are here"},
                             {"1 valid mlids dumped \n", "", "the table of the last switch has no end"}}) {
        ring changed = mfts;
        exchange(changed.more, each.what, each.by);
        EXPECT_THAT(changed.refused(), HasSubstr(each.says)) << each.by;
    }
}

TEST(fabric_files, tables_of_lanes) {
    ring dump;
    const std::string numbers = "0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  15 ";
    dump.more =
        "Switch 0x0000000000000200, base LID 1, \"ring0\"\n#in out : 0\n#---\n0   1   : " + numbers +
        "\n#---\n\nChannel Adapter 0x0000000000000101, base LID 5, \"node0\"\n#in out\n#---\n0   0   : " + numbers +
        "\n";
    EXPECT_EQ(dump.read().switches[0].lanes.find(0, 1), 0xf654321076543210U);
    EXPECT_EQ(dump.read().hosts[0].lanes, 0xf654321076543210U);
    for (const change& each :
         std::vector<change>{{" 15 ", " 16 ", "more:4:56: VL 16 is out of range; it is 0 to 15"},
                             {"0   1   :", "5   1   :", "more:4:1: switch 'ring0' has no port 5"},
                             {"0   0   :", "1   0   :", "more:10:1: adapters have one row, of ports 0 and 0"},
                             {"0   1   :", "0   1   : " + numbers + "\n0   1   : 1",
                              "more:5:58: unexpected '15 ' at the end of the line"},
                             {"Adapter 0x0000000000000101", "Adapter 0x0000000000000100",
                              "0x100 is an adapter in the topology, not an adapter's port"},
                             {" 15 ", "", "expected a decimal number, the VL; is the line cut short?"}}) {
        ring changed = dump;
        exchange(changed.more, each.what, each.by);
        EXPECT_THAT(changed.refused(), HasSubstr(each.says)) << each.by;
    }
    ring smp;
    smp.more =
        "# SL2VL table: Lid 1\n#  SL: | 0|\nports: in  2, out  3: | 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6|15|\n";
    EXPECT_EQ(smp.read().switches[0].lanes.find(2, 3), 0xf654321076543210U);
    exchange(smp.more, "Lid 1", "Lid 9");
    EXPECT_THAT(smp.refused(), HasSubstr("more:1:20: no port of the topology has the base LID 9"));
    exchange(smp.more, "Lid 9", "DR path slid 0");
    EXPECT_THAT(smp.refused(), HasSubstr("more:1:16: a directed route does not say whose table this is"));
    ring arbitration;
    arbitration.more =
        "# VLArbitration tables: Lid 1 port 2 LowCap 8 HighCap 8\n# Low priority VL Arbitration Table:\n"
        "VL    : |0x0 |0x1 |\nWEIGHT: |0x1 |0x20|\n# High priority VL Arbitration Table:\nVL    : |0x2 |\nWEIGHT: "
        "|0xff|\n";
    const fabric with = arbitration.read();
    EXPECT_EQ(with.switches[0].arbitration.at(2)->low[1], (lane_arbitration::entry{1, 0x20}));
    EXPECT_EQ(with.switches[0].arbitration.at(2)->high.size(), 1U);
    ring twice = arbitration;
    twice.more += arbitration.more;
    EXPECT_EQ(twice.read().switches[0].arbitration.at(2)->low.size(), 2U) << "asked twice";
    twice.more.replace(twice.more.rfind("0x20"), 4, "0x21");
    EXPECT_THAT(twice.refused(), HasSubstr("more:8:25: this port has other tables at line 1; give the tables"));
    exchange(arbitration.more, "WEIGHT: |0xff|\n", "");
    EXPECT_THAT(arbitration.refused(), HasSubstr("the weights of the last line are missing"));
}

TEST(fabric_files, path_sls) {
    ring one;
    one.more = "0x100 6 3\n0x100 6 3\n";
    EXPECT_EQ(one.read().hosts[0].path_sl[6], 3U);
    one.more += "0x100 6 4\n";
    EXPECT_THAT(one.refused(), HasSubstr("more:3:1: this source has already SL 3 to LID 6"));
    one.more = "0x100 6 16\n";
    EXPECT_THAT(one.refused(), HasSubstr("more:1:9: SL 16 is out of range; it is 0 to 15"));
    one.more = "0x999 6 1\n";
    EXPECT_THAT(one.refused(), HasSubstr("more:1:1: the topology has no node with the GUID 0x999"));
    one.more = "Channel Adapter 0x0000000000000101, base LID 5\n0x0006 : 2\n0x0007 : 4 : 5 : 3\n";
    EXPECT_EQ(one.read().hosts[0].path_sl[7], 4U);
}

const std::string database =
    "START_NODES\nNumPorts,NodeDesc,NodeType,NodeGUID,PortGUID\n"
    "4,\"ring0, the "
    "\"first\"\",2,0x200,0x200\n4,\"ring1\",2,0x201,N/"
    "A\n1,\"node0\",1,0x100,0x101\n1,\"node1\",1,0x102,0x103\nEND_NODES\n"
    "START_OTHER\nanything,at all\nEND_OTHER\n"
    "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x200,3,0x201,2\n0x100,1,0x200,1\n0x102,1,0x201,1\nEND_LINKS\n"
    "START_PORTS\nNodeGuid,PortGuid,PortNum,LID,LMC,OpVLs\n0x200,0x200,0,1,0,N/A\n0x200,0x200,3,N/A,N/"
    "A,2\n0x201,0x201,0,2,0,1\n"
    "0x100,0x101,1,4,1,4\n0x102,0x103,1,6,1,4\nEND_PORTS\n";
const std::string two_tables =
    "dump_ucast_routes: Switch 0x200\nLID    : Port : Hops : Optimal\n0x0004 : 001  : 01   : yes\n0x0005 : 001  : 01   "
    ": yes\n"
    "0x0006 : 003  : 02   : yes\n0x0007 : 003  : 02   : yes\n"
    "dump_ucast_routes: Switch 0x201\nLID    : Port : Hops : Optimal\n0x0004 : 002  : 02   : yes\n0x0005 : 002  : 02   "
    ": yes\n"
    "0x0006 : 001  : 01   : yes\n0x0007 : 001  : 01   : yes\n";

TEST(fabric_files, a_database_of_ibdiagnet) {
    const fabric read = read_fabric_texts({{"db", database}, {"fdbs", two_tables}}, {});
    EXPECT_EQ(read.network.switches[0].name, "ring0, the \"first\"");
    EXPECT_EQ(read.hosts[0].self.lid, 4U);
    EXPECT_EQ(read.lmc, 1U);
    EXPECT_EQ(read.switches[0].operational_vls[3], 2U);
    EXPECT_EQ(read.hosts[0].operational_vls, 8U);
    EXPECT_EQ(check(read, {}).reached, 4U);
    for (const change& each : std::vector<change>{
             {"NodeDesc,", "NodeDesk,", "db:2:1: section NODES has no column NodeDesc; did you mean 'NodeDesk'?"},
             {"0x200,3,0x201,2", "0x200,3,0x209,2", "db:13:1: section NODES has no node 0x209"},
             {"0x200,3,0x201,2", "0x200,5,0x201,2", "db:13:1: 'S-0000000000000200' has no port 5"},
             {"4,\"ring1\",2", "4,\"ring1\",4", "db:4:11: NodeType '4' is no number from 1 to 3"},
             {"0x102,0x103,1,6,1,4", "0x102,0x103", "db:23:12: the line has no PortNum"},
             {"END_PORTS\n", "", "db:17:12: section PORTS has no END_PORTS; is the file cut short?"}}) {
        std::string changed = database;
        exchange(changed, each.what, each.by);
        EXPECT_THAT(testbench::unit::refusal([&] {
                        read_fabric_texts({{"db", changed}, {"fdbs", two_tables}}, {});
                    }),
                    HasSubstr(each.says))
            << each.by;
    }
}

TEST(fabric_files, a_database_with_blanks_around_its_fields) {
    const std::string nodes =
        "START_NODES\nNumPorts,NodeType,NodeGUID,PortGUID,NodeDesc \t\n4,2,0x200,0x200,\"ring0, the \"first\"\" \t \n"
        "4 , 2\t,\t0x201,N/A , \"ring1\" \r\n1,1,0x100,0x101,\"node0\"\n1,1,0x102,0x103,\"a \" \" \n";
    std::string spaced = database;
    spaced.replace(0, spaced.find("END_NODES"), nodes);
    const fabric read = read_fabric_texts({{"db", spaced}, {"fdbs", two_tables}}, {});
    EXPECT_EQ(read.network.switches[0].name, "ring0, the \"first\"");
    EXPECT_EQ(read.network.switches[1].name, "ring1");
    EXPECT_EQ(read.network.hosts[1].name, "a \" ");
    exchange(spaced, "\"node0\"\n", "\"node0 \n");
    EXPECT_THAT(testbench::unit::refusal([&] {
                    read_fabric_texts({{"db", spaced}, {"fdbs", two_tables}}, {});
                }),
                HasSubstr("db:5:17: the closing \" is missing; is the line cut short?"));
    exchange(spaced, "4 , 2\t", "4 , 5\t");
    EXPECT_THAT(testbench::unit::refusal([&] {
                    read_fabric_texts({{"db", spaced}, {"fdbs", two_tables}}, {});
                }),
                HasSubstr("db:4:5: NodeType '5' is no number from 1 to 3"));
}

TEST(fabric_files, topologies_must_agree) {
    const std::string place = std::string(POLYCAST_DATA_DIR) + "/fabric/";
    EXPECT_THAT(testbench::unit::refusal([&] {
                    read_fabric({place + "irr8s1.minhop", place + "irr8s3.updn.mcast/net.ibnetdiscover"}, {});
                }),
                HasSubstr("net.ibnetdiscover:"));
    ring one;
    one.more = "Switch 4 \"a\"\n[1] \"b\"[1]\n\nHca 1 \"b\"\n[1] \"a\"[1]\n";
    EXPECT_THAT(one.refused(), HasSubstr("more: a net file of ibsim has no LIDs"));
}

TEST(fabric_files, packed_files_and_folders) {
    namespace fs = std::filesystem;
    const fs::path place = fs::path(testing::TempDir()) / ("subnet_" + std::to_string(::getpid()));
    fs::create_directories(place);
    const ring one;
    std::ofstream(place / "zz.lst") << one.list;
    std::ofstream(place / "notes.txt") << "nothing of a fabric\n";
    std::ofstream(place / "opensm.mcfdbs");
    const gzFile packed = ::gzopen((place / "a.gz").c_str(), "wb");
    ::gzwrite(packed, one.fdbs.data(), static_cast<unsigned>(one.fdbs.size()));
    ::gzclose(packed);
    const fabric read = read_fabric({place.string()}, {});
    EXPECT_EQ(check(read, {}).reached, 12U);
    EXPECT_THAT(read.skipped, testing::ElementsAre(HasSubstr("notes.txt")));
    EXPECT_THAT(testbench::unit::refusal([&] { read_fabric({(place / "notes.txt").string()}, {}); }),
                HasSubstr("notes.txt: is no file of a fabric that is known here"));
    fs::resize_file(place / "a.gz", fs::file_size(place / "a.gz") - 12);
    EXPECT_THAT(testbench::unit::refusal([&] { read_fabric({place.string()}, {}); }), HasSubstr("a.gz"));
    EXPECT_THAT(testbench::unit::refusal([&] { read_fabric({(place / "none").string()}, {}); }),
                HasSubstr("none: cannot be read: No such file"));
    fs::remove_all(place);
}

TEST(fabric_files, a_line_is_not_endless) {
    ring one;
    one.fdbs += std::string(std::size_t{3} << 20, ' ');
    EXPECT_THAT(one.refused(), HasSubstr("fdbs:41:1: a line of more than 1 MiB; is this a text file?"));
}

}  // namespace
}  // namespace polycast::hw::subnet
