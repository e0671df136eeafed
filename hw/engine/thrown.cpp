// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/thrown.h"

#include <new>
#include <stdexcept>

#include "hw/engine/packing.h"
#include "hw/engine/pin_difference.h"
#include "hw/input_error.h"

namespace polycast::hw::engine {

// A letter for the kind, then the words.
std::string packed_exception(const std::exception_ptr& what) {
    try {
        std::rethrow_exception(what);
    } catch (const input_error& bad) {
        return std::string("i") + bad.what();
    } catch (const comparison_error& differs) {
        return "c" + packed(differs.chip(), differs.when(), differs.difference());
    } catch (const std::logic_error& bad) {
        return std::string("l") + bad.what();
    } catch (const std::bad_alloc&) {
        return "m";
    } catch (const std::exception& bad) {
        return std::string("o") + bad.what();
    }
}

void throw_packed(const std::string& bytes) {
    const std::string words = bytes.substr(1);
    switch (bytes.front()) {
        case 'c': {
            std::string chip, difference;
            cycle when = 0;
            unpack(words, chip, when, difference);
            throw comparison_error(chip, when, difference);
        }
        case 'i': throw input_error(words);
        case 'l': throw std::logic_error(words);
        case 'm': throw std::bad_alloc();
        default: throw std::runtime_error(words);
    }
}

}  // namespace polycast::hw::engine
