// SPDX-License-Identifier: Apache-2.0
#include "tlm/dpi/polycast_dpi.h"

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "hw/input_error.h"
#include "tlm/dpi/model.h"

namespace {

using polycast::hw::input_error;
using polycast::tlm::dpi::bit_vector;

/// What a handle is.
struct handle {
    std::string chip;
    std::string name;
    std::unique_ptr<polycast::tlm::dpi::model> model;
    std::string error;
    std::string text;
};

constexpr const char* no_memory = "there is no memory for a model, or it is none";

handle* of(void* model) {
    return static_cast<handle*>(model);
}

const char* text_or_empty(const char* text) {
    return text == nullptr ? "" : text;
}

/// Keeps what was thrown; no exception leaves this file.
template <class Use>
int guarded(handle* to, Use&& use) noexcept {
    if (to == nullptr) return POLYCAST_DPI_ERROR;
    try {
        try {
            return use();
        } catch (const std::exception& problem) {
            to->error = (to->name.empty() ? to->chip : to->name) + ": " + problem.what();
        }
    } catch (...) {
        to->error.clear();  // not even a text
    }
    return POLYCAST_DPI_ERROR;
}

/// The same for a model that could be made.
template <class Use>
int with_model(void* model, Use&& use) noexcept {
    handle* const to = of(model);
    // Its error stays what it was.
    if (to == nullptr || to->model == nullptr) return POLYCAST_DPI_ERROR;
    return guarded(to, [&] { return use(*to->model); });
}

template <class Use>
const char* text_of(void* model, Use&& use) noexcept {
    handle* const to = of(model);
    if (to == nullptr || to->model == nullptr) return "";
    const int status = guarded(to, [&] {
        to->text = use(*to->model);
        return POLYCAST_DPI_OK;
    });
    return status == POLYCAST_DPI_OK ? to->text.c_str() : "";
}

void check_vector(const char* what, const bit_vector& bits, std::uint32_t width, std::uint32_t first,
                  const void* words) {
    if (width != bits.size())
        throw input_error(
            std::string(what) + " pins have " + std::to_string(bits.size()) + " bits, not " + std::to_string(width),
            "the ports of the chip's top in rtl/ without clock and reset, with the same parameters");
    if (first % 32 != 0 || first >= width)
        throw input_error(std::string(what) + " pins: a part cannot begin at bit " + std::to_string(first));
    if (words == nullptr) throw input_error(std::string(what) + " pins: a null pointer");
}

int put(const char* what, bit_vector& to, std::uint32_t width, std::uint32_t first, const std::uint32_t* bits) {
    check_vector(what, to, width, first, bits);
    to.copy_in(first, POLYCAST_DPI_CHUNK_BITS, bits);
    return POLYCAST_DPI_OK;
}

}  // namespace

int polycast_dpi_version(void) {
    return POLYCAST_DPI_VERSION;
}

void* polycast_dpi_create(const char* chip, const char* name, const char* parameters, const char* tables) {
    handle* const made = new (std::nothrow) handle;
    if (made == nullptr) return nullptr;
    guarded(made, [&] {
        made->chip = text_or_empty(chip);
        made->name = text_or_empty(name);
        made->model = std::make_unique<polycast::tlm::dpi::model>(
            made->chip, made->name.empty() ? made->chip : made->name, text_or_empty(parameters), text_or_empty(tables));
        return POLYCAST_DPI_OK;
    });
    return made;
}

void polycast_dpi_destroy(void* model) {
    delete of(model);
}

const char* polycast_dpi_error(const void* model) {
    if (model == nullptr) return no_memory;
    const auto* const from = static_cast<const handle*>(model);
    return from->model == nullptr && from->error.empty() ? no_memory : from->error.c_str();
}

uint32_t polycast_dpi_input_bits(const void* model) {
    const auto* const from = static_cast<const handle*>(model);
    if (from == nullptr || from->model == nullptr) return 0;
    return static_cast<uint32_t>(from->model->layout().input_bits());
}

uint32_t polycast_dpi_output_bits(const void* model) {
    const auto* const from = static_cast<const handle*>(model);
    if (from == nullptr || from->model == nullptr) return 0;
    return static_cast<uint32_t>(from->model->layout().output_bits());
}

const char* polycast_dpi_pins(void* model) {
    return text_of(model, [](const polycast::tlm::dpi::model& from) {
        std::string text;
        for (const auto* pins : {&from.layout().inputs(), &from.layout().outputs()})
            for (const polycast::tlm::dpi::placed_pin& pin : *pins)
                text.append(pin.name)
                    .append(" ")
                    .append(std::to_string(pin.first))
                    .append(" ")
                    .append(std::to_string(pin.width()) + "\n");
        return text;
    });
}

int polycast_dpi_write(void* model, uint32_t address, uint32_t data) {
    return with_model(model, [&](polycast::tlm::dpi::model& to) {
        to.write(address, data);
        return POLYCAST_DPI_OK;
    });
}

int polycast_dpi_reset(void* model) {
    return with_model(model, [](polycast::tlm::dpi::model& to) {
        to.reset();
        return POLYCAST_DPI_OK;
    });
}

int polycast_dpi_put_inputs(void* model, uint32_t width, uint32_t first, const uint32_t* bits) {
    return with_model(model,
                      [&](polycast::tlm::dpi::model& to) { return put("its input", to.inputs(), width, first, bits); });
}

int polycast_dpi_step(void* model) {
    return with_model(model, [](polycast::tlm::dpi::model& to) {
        to.step();
        return POLYCAST_DPI_OK;
    });
}

int polycast_dpi_get_outputs(void* model, uint32_t width, uint32_t first, uint32_t* bits) {
    return with_model(model, [&](polycast::tlm::dpi::model& from) {
        const bit_vector& outputs = from.outputs();
        check_vector("its output", outputs, width, first, bits);
        outputs.copy_out(first, POLYCAST_DPI_CHUNK_BITS, bits);
        return POLYCAST_DPI_OK;
    });
}

int polycast_dpi_put_device(void* model, uint32_t width, uint32_t first, const uint32_t* bits) {
    return with_model(
        model, [&](polycast::tlm::dpi::model& to) { return put("its output", to.device(), width, first, bits); });
}

int polycast_dpi_compare(void* model, int probes) {
    return with_model(model, [&](polycast::tlm::dpi::model& with) {
        return with.compare(probes != 0) ? POLYCAST_DPI_DIFFERENT : POLYCAST_DPI_OK;
    });
}

const char* polycast_dpi_difference(void* model) {
    return text_of(model, [](const polycast::tlm::dpi::model& from) { return from.difference(); });
}

const char* polycast_dpi_state(void* model) {
    return text_of(model, [](polycast::tlm::dpi::model& from) { return from.state(); });
}

uint64_t polycast_dpi_cycle(const void* model) {
    const auto* const from = static_cast<const handle*>(model);
    return from == nullptr || from->model == nullptr ? 0 : from->model->now();
}
