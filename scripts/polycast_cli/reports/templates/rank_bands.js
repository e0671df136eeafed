// SPDX-License-Identifier: Apache-2.0
// Bands of the Gantt chart of ranks: where there are more ranks than rows, a row is a band of consecutive ranks and
// shows for each column of time the share of each kind of activity. Nothing is stored for them: they come from the
// bars.
const rankBands = (() => {
  const POSTED = 4, KINDS = 5;

  // What one rank's row shows, as pieces [from, to, kind] that do not overlap: of bars at the same time the last one
  // is on top, as it is drawn.
  const seenOf = (bars) => {
    const bounds = bars.flatMap(([from, to], index) => (to > from ? [[from, index], [to, index]] : []));
    bounds.sort(([a], [b]) => a - b);
    const found = [], under = [], open = new Set();
    let since = 0;
    for (const [at, index] of bounds) {
      while (under.length && !open.has(under.at(-1))) under.pop();
      if (under.length && at > since) {
        const kind = bars[under.at(-1)][2], last = found.at(-1);
        if (last && last[1] === since && last[2] === kind) last[1] = at;
        else found.push([since, at, kind]);
      }
      since = at;
      if (open.delete(index)) continue;
      open.add(index);
      let place = under.length;
      while (place && under[place - 1] > index) place -= 1;
      under.splice(place, 0, index);
    }
    return found;
  };

  // Pieces of all ranks, those of posted receives by themselves: they last while the processor does something else.
  const piecesOf = (bars, ranks) => {
    const work = Array.from({ length: ranks }, () => []), posted = Array.from({ length: ranks }, () => []);
    for (const [rank, kind, begin, end, payBegin, paid] of bars) {
      if (kind === 2) {
        work[rank].push([payBegin, paid, kind]);
        posted[rank].push([begin, end, POSTED]);
      } else if (kind >= 0) work[rank].push([begin, end, kind]);
    }
    return work.map((own, rank) => [...seenOf(own), ...seenOf(posted[rank])]);
  };

  // For each kind the share of the time of ranks `first` up to `last` in each of the columns of `from` to `to`.
  const shares = (pieces, first, last, from, to, columns) => {
    const found = Array.from({ length: KINDS }, () => new Float64Array(columns));
    const whole = Array.from({ length: KINDS }, () => new Float64Array(columns + 1));
    const scale = columns / (to - from);
    for (let rank = first; rank < last; rank += 1)
      for (const [begin, end, kind] of pieces[rank]) {
        if (end <= from || begin >= to) continue;
        const left = Math.max(0, (begin - from) * scale), right = Math.min(columns, (end - from) * scale);
        const a = Math.min(columns - 1, Math.floor(left)), b = Math.min(columns - 1, Math.floor(right));
        if (a === b) {
          found[kind][a] += right - left;
          continue;
        }
        found[kind][a] += a + 1 - left;
        found[kind][b] += right - b;
        whole[kind][a + 1] += 1;
        whole[kind][b] -= 1;
      }
    found.forEach((of, kind) => {
      let sum = 0;
      for (let column = 0; column < columns; column += 1) {
        sum += whole[kind][column];
        of[column] = (of[column] + sum) / (last - first);
      }
    });
    return found;
  };

  // Consecutive ranks in a row, a power of two, so that `ranks` fit into `rows`.
  const size = (ranks, rows) => {
    let found = 1;
    while (ranks / found > rows) found *= 2;
    return found;
  };

  return { POSTED, piecesOf, shares, size };
})();
