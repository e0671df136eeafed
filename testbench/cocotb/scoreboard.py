# SPDX-License-Identifier: Apache-2.0
"""What must come out where: filled by a reference, asked by the sinks. It knows nothing of the chip's state."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Verdict:
    """What a chip must make of a packet."""

    #: Copies by output: each of them must come out.
    copies: dict[int, bytes] = field(default_factory=dict)
    #: One more comes out at one of these outputs, in place of the copy there.
    one_of: dict[int, bytes] = field(default_factory=dict)
    #: Virtual channels that a copy may come out on, where that matters.
    channels: dict[int, set[int]] = field(default_factory=dict)
    #: Names of errors that the input must report.
    errors: list[str] = field(default_factory=list)


@dataclass
class Waiting:
    number: int
    text: str
    verdict: Verdict

    @property
    def done(self) -> bool:
        return not self.verdict.copies and not self.verdict.one_of


class Scoreboard:
    """Packets of a flow, an input or a virtual channel of it, must leave every output in the order they came in."""

    def __init__(self) -> None:
        self.waiting: dict[object, list[Waiting]] = defaultdict(list)
        self.newest: dict[tuple[object, int], int] = {}
        self.errors: Counter[tuple[int, str]] = Counter()
        self.sent = self.seen = 0

    def expect(self, port: int, flow: object, text: str, verdict: Verdict) -> None:
        for error in verdict.errors:
            self.errors[port, error] += 1
        packet = Waiting(self.sent, text, verdict)
        self.sent += 1
        if not packet.done:
            self.waiting[flow].append(packet)

    def arrived(self, output: int, channel: int, data: bytes) -> None:
        """\\raises AssertionError for a packet that must not be here, or not yet"""
        self.seen += 1
        for flow, packets in self.waiting.items():
            for packet in packets:
                verdict = packet.verdict
                if verdict.one_of.get(output) == data:
                    verdict.one_of = {}
                    verdict.copies.pop(output, None)
                elif verdict.copies.get(output) == data:
                    del verdict.copies[output]
                else:
                    continue
                allowed = verdict.channels.get(output)
                assert allowed is None or channel in allowed, (
                    f"output {output}: {packet.text} came on channel {channel}; it may take {sorted(allowed)}"
                )
                newest = self.newest.get((flow, output), -1)
                assert packet.number > newest, f"output {output}: {packet.text} was overtaken by number {newest}"
                self.newest[flow, output] = packet.number
                if packet.done:
                    packets.remove(packet)
                return
        raise AssertionError(f"output {output}: nobody sent {data.hex()} here, or it came twice")

    def error(self, port: int, name: str) -> None:
        self.errors[port, name] -= 1
        assert self.errors[port, name] >= 0, f"port {port} reports {name} without a reason"

    def check_empty(self) -> None:
        left = [packet for packets in self.waiting.values() for packet in packets]
        texts = [f"{p.text}: outputs {sorted(p.verdict.copies) + sorted(p.verdict.one_of)}" for p in left[:5]]
        assert not left, f"{len(left)} packets did not come out: {'; '.join(texts)}"
        silent = [f"{name} at port {port}" for (port, name), count in sorted(self.errors.items()) if count]
        assert not silent, f"not reported: {', '.join(silent)}"
