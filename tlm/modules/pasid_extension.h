// SPDX-License-Identifier: Apache-2.0
/// \file Whose access to host memory a transaction is.
#pragma once

#include <memory>
#include <tlm>

namespace polycast::tlm::modules {

/// On every transaction of an ni_module's socket `memory`, and on its requests for DMI. Ignorable: a memory that lets
/// all processes see everything need not know it.
class pasid_extension final : public ::tlm::tlm_extension<pasid_extension> {
public:
    pasid_extension() = default;
    explicit pasid_extension(unsigned number) : process(number) {}

    /// Process of the host on whose behalf the interface accesses memory: the number of its page (PCI Express: the
    /// PASID). Set by the ni_module; read by targets, which may refuse one process what they allow another. DMI that is
    /// granted is used for the process of its request only. Default: 0.
    unsigned process = 0;

    /// TLM's interface: the payload that the clone is put into owns it.
    ::tlm::tlm_extension_base* clone() const override { return std::make_unique<pasid_extension>(process).release(); }
    void copy_from(const ::tlm::tlm_extension_base& other) override {
        process = static_cast<const pasid_extension&>(other).process;
    }
};

}  // namespace polycast::tlm::modules
