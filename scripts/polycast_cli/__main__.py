# SPDX-License-Identifier: Apache-2.0
from polycast_cli.main import main

main()
