// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/image.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "hw/input_error.h"
#include "hw/riscv/attributes.h"

namespace polycast::hw::riscv {
namespace {

constexpr std::uintmax_t largest_file = 64u << 20;
constexpr const char* how_to_compile = "compile and link it with -march=rv32imc_zicsr -mabi=ilp32 -static";

constexpr std::uint32_t flag_float_abi = 0x0006;
constexpr std::uint32_t flag_rve = 0x0008;
constexpr std::uint32_t section_riscv_attributes = 0x70000003;

struct elf_deleter {
    void operator()(Elf* elf) const { elf_end(elf); }
};

std::string hex(std::uint64_t value) {
    char text[20];
    std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
    return text;
}

/// Bytes [first, end) of the address space.
struct range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;

    bool inside(std::uint64_t base, std::uint64_t size) const { return first >= base && end <= base + size; }
    bool overlaps(const range& other) const { return first < other.end && other.first < end; }
};

class loader {
public:
    loader(const std::string& file, std::span<const std::uint8_t> bytes, memory_sizes sizes)
        : bytes_(bytes.begin(), bytes.end()) {
        result_.file = file;
        result_.sizes = sizes;
    }

    image load() {
        check_sizes();
        open();
        check_header();
        result_.instruction.assign(result_.sizes.instruction, 0);
        result_.data.assign(result_.sizes.data, 0);
        load_segments();
        read_sections();
        finish_functions();
        return std::move(result_);
    }

private:
    [[noreturn]] void refuse(const std::string& message, const std::string& proposal) const {
        throw input_error(result_.file, {}, message, proposal);
    }

    void check_sizes() const {
        for (const std::uint32_t size : {result_.sizes.instruction, result_.sizes.data})
            if (size < 256 || size % 256 != 0 || size > data_base)
                throw input_error("a processor memory of " + std::to_string(size) + " bytes",
                                  "give a multiple of 256 bytes, at most 256 MiB");
    }

    void open() {
        if (bytes_.size() < SELFMAG || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0)
            refuse("this is not an ELF file", "give the firmware's executable, as the linker writes it");
        if (bytes_.size() < sizeof(Elf32_Ehdr)) refuse("the ELF header is cut off", "link it again");
        if (bytes_[EI_CLASS] != ELFCLASS32) refuse("this is not a 32-bit ELF file", how_to_compile);
        if (bytes_[EI_DATA] != ELFDATA2LSB) refuse("this is not a little-endian ELF file", how_to_compile);
        elf_version(EV_CURRENT);
        elf_.reset(elf_memory(reinterpret_cast<char*>(bytes_.data()), bytes_.size()));
        if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF) refuse("the ELF header is damaged", "link it again");
    }

    void check_header() {
        GElf_Ehdr copy;
        const GElf_Ehdr* header = gelf_getehdr(elf_.get(), &copy);
        if (header == nullptr) refuse("the ELF header is damaged", "link it again");
        if (header->e_machine != EM_RISCV)
            refuse("this is a program for machine " + std::to_string(header->e_machine) + ", not RISC-V (243)",
                   how_to_compile);
        if (header->e_type != ET_EXEC)
            refuse("this is not an executable, but an object file or library", how_to_compile);
        if ((header->e_flags & flag_float_abi) != 0)
            refuse("it passes floating-point values in registers that the processor does not have", how_to_compile);
        if ((header->e_flags & flag_rve) != 0) refuse("it is compiled for RV32E", how_to_compile);
        if (header->e_entry != boot_pc)
            refuse("its entry is " + hex(header->e_entry) + ", but the processor starts at " + hex(boot_pc),
                   "place the start code there in the linker script");
    }

    /// The memory that holds all of a range, and its base; nullptr when none does.
    std::vector<std::uint8_t>* memory_of(const range& where, std::uint32_t& base) {
        if (where.inside(instruction_base, result_.sizes.instruction)) {
            base = instruction_base;
            return &result_.instruction;
        }
        if (where.inside(data_base, result_.sizes.data)) {
            base = data_base;
            return &result_.data;
        }
        return nullptr;
    }

    void load_segments() {
        std::size_t count = 0;
        if (elf_getphdrnum(elf_.get(), &count) != 0) refuse("its table of segments is damaged", "link it again");
        for (std::size_t i = 0; i < count; ++i) {
            GElf_Phdr header;
            if (gelf_getphdr(elf_.get(), static_cast<int>(i), &header) == nullptr)
                refuse("its table of segments is damaged", "link it again");
            if (header.p_type == PT_DYNAMIC || header.p_type == PT_INTERP)
                refuse("it is dynamically linked", how_to_compile);
            if (header.p_type == PT_LOAD && header.p_memsz != 0) load_segment(header);
        }
        if (!any_segment_) refuse("it has no segment to load", "link it with the firmware's linker script");
    }

    void load_segment(const GElf_Phdr& header) {
        if (header.p_filesz > header.p_memsz) refuse("a segment is larger in the file than in memory", "link it again");
        if (header.p_offset > bytes_.size() || header.p_filesz > bytes_.size() - header.p_offset)
            refuse("the file ends inside a segment", "it is cut off; link or copy it again");
        const range content{header.p_paddr, header.p_paddr + header.p_filesz};
        const range place{header.p_vaddr, header.p_vaddr + header.p_memsz};
        std::uint32_t base = 0;
        check_inside(place, memory_of(place, base) != nullptr);
        if (base == data_base)
            result_.data_bytes = std::max(result_.data_bytes, static_cast<std::uint32_t>(place.end) - base);
        claim(placed_, place);
        any_segment_ = true;
        if (header.p_filesz == 0) return;
        std::vector<std::uint8_t>* memory = memory_of(content, base);
        check_inside(content, memory != nullptr);
        claim(loaded_, content);
        std::memcpy(memory->data() + (header.p_paddr - base), bytes_.data() + header.p_offset, header.p_filesz);
        const auto end = static_cast<std::uint32_t>(content.end - base);
        std::uint32_t& used = base == data_base ? result_.data_bytes : result_.instruction_bytes;
        used = std::max(used, end);
    }

    void check_inside(const range& where, bool inside) const {
        if (inside) return;
        refuse("a segment at " + hex(where.first) + ".." + hex(where.end - 1) + " is in no memory of the processor",
               "instruction memory is " + hex(instruction_base) + " with " + std::to_string(result_.sizes.instruction) +
                   " bytes, data memory " + hex(data_base) + " with " + std::to_string(result_.sizes.data) + " bytes");
    }

    void claim(std::vector<range>& taken, const range& where) const {
        for (const range& other : taken)
            if (where.overlaps(other))
                refuse("two segments overlap at " + hex(std::max(where.first, other.first)), "mend the linker script");
        taken.push_back(where);
    }

    /// The bytes of a section in the file; nothing when they are not all there.
    std::optional<std::span<const std::uint8_t>> content_of(const GElf_Shdr& header) const {
        if (header.sh_type == SHT_NOBITS || header.sh_offset > bytes_.size() ||
            header.sh_size > bytes_.size() - header.sh_offset)
            return std::nullopt;
        return std::span(bytes_).subspan(header.sh_offset, header.sh_size);
    }

    void read_sections() {
        std::size_t count = 0;
        if (elf_getshdrnum(elf_.get(), &count) != 0) refuse("its table of sections is damaged", "link it again");
        for (Elf_Scn* section = elf_nextscn(elf_.get(), nullptr); section != nullptr;
             section = elf_nextscn(elf_.get(), section)) {
            // libelf's own headers may lie at odd addresses; gelf copies.
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) == nullptr) refuse("its table of sections is damaged", "link it again");
            if (header.sh_type == section_riscv_attributes) check_attributes(header);
            if (header.sh_type == SHT_SYMTAB) read_symbols(header);
        }
    }

    void check_attributes(const GElf_Shdr& header) const {
        const auto content = content_of(header);
        if (!content) refuse("its section .riscv.attributes is cut off", "link it again");
        const std::optional<std::string> architecture = architecture_of(*content);
        if (!architecture) return;
        const std::string extension = unsupported_extension(*architecture);
        if (!extension.empty())
            refuse("it is compiled for " + printable(*architecture) +
                       ", but the processor is RV32IMC with Zicsr, without " + printable(extension),
                   how_to_compile);
    }

    static std::string printable(std::string text) {
        for (char& c : text)
            if (c < 0x20 || c > 0x7e) c = '?';
        return text;
    }

    /// Symbols only give names: a damaged table costs names, not the image.
    void read_symbols(const GElf_Shdr& header) {
        const auto content = content_of(header);
        if (!content || header.sh_entsize != sizeof(Elf32_Sym)) return;
        for (std::size_t at = 0; at + sizeof(Elf32_Sym) <= content->size(); at += sizeof(Elf32_Sym)) {
            Elf32_Sym symbol;
            std::memcpy(&symbol, content->data() + at, sizeof symbol);
            if (symbol.st_shndx == SHN_UNDEF || !is_function(symbol)) continue;
            const range where{symbol.st_value, std::uint64_t{symbol.st_value} + symbol.st_size};
            if (!where.inside(instruction_base, result_.sizes.instruction)) continue;
            const char* name = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
            if (name == nullptr || *name == '\0') continue;
            result_.functions.push_back({printable(name), symbol.st_value, symbol.st_size});
        }
    }

    /// Start code in assembler often does not say that its label is a function.
    bool is_function(const Elf32_Sym& symbol) const {
        const auto type = ELF32_ST_TYPE(symbol.st_info);
        return type == STT_FUNC ||
               (type == STT_NOTYPE && ELF32_ST_BIND(symbol.st_info) == STB_GLOBAL && symbol.st_value == result_.entry);
    }

    void finish_functions() {
        std::vector<function_symbol>& all = result_.functions;
        // Of several names for one address the sized and then the alphabetically first one stays.
        std::sort(all.begin(), all.end(), [](const function_symbol& a, const function_symbol& b) {
            if (a.address != b.address) return a.address < b.address;
            if ((a.size == 0) != (b.size == 0)) return a.size != 0;
            return a.name < b.name;
        });
        all.erase(
            std::unique(all.begin(), all.end(),
                        [](const function_symbol& a, const function_symbol& b) { return a.address == b.address; }),
            all.end());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::uint32_t next = i + 1 < all.size() ? all[i + 1].address : result_.instruction_bytes;
            if (all[i].size == 0 && next > all[i].address) all[i].size = next - all[i].address;
        }
    }

    std::vector<std::uint8_t> bytes_;
    std::unique_ptr<Elf, elf_deleter> elf_;
    image result_;
    bool any_segment_ = false;
    std::vector<range> loaded_;  ///< what was written, by physical address
    std::vector<range> placed_;  ///< what the program sees, by virtual address
};

}  // namespace

const function_symbol* image::function_at(std::uint32_t pc) const {
    auto after = std::upper_bound(functions.begin(), functions.end(), pc,
                                  [](std::uint32_t value, const function_symbol& f) { return value < f.address; });
    if (after == functions.begin()) return nullptr;
    const function_symbol& found = *std::prev(after);
    return pc - found.address < found.size ? &found : nullptr;
}

image parse_image(const std::string& file, std::span<const std::uint8_t> bytes, memory_sizes sizes) {
    return loader(file, bytes, sizes).load();
}

image read_image(const std::string& path, memory_sizes sizes) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) throw input_error(path, {}, "the file cannot be read", "check the path and its permissions");
    const std::streamoff size = in.tellg();
    if (size < 0) throw input_error(path, {}, "the file cannot be read", "give a file, not a folder or a device");
    if (static_cast<std::uintmax_t>(size) > largest_file)
        throw input_error(path, {}, "the file is larger than 64 MiB", "strip its debugging information");
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(bytes.data()), size);
    if (!in) throw input_error(path, {}, "the file cannot be read", "give a file, not a folder or a device");
    return parse_image(path, bytes, sizes);
}

}  // namespace polycast::hw::riscv
