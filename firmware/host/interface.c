/* SPDX-License-Identifier: Apache-2.0 */
/* What the shared library with the host build exports. */
#include "ni_firmware.h"

extern const struct ni_firmware_interface polycast_firmware;

const struct ni_firmware_interface polycast_firmware = {
    .version = NI_FIRMWARE_VERSION,
    .size = ni_firmware_size,
    .start = ni_firmware_start,
    .step = ni_firmware_step,
};
