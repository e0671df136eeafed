// SPDX-License-Identifier: Apache-2.0
// The Gantt chart of ranks: bars on a canvas, the critical path over them. `view` is what is seen of cycles and ranks.
// A row is a rank, or a band of them (rank_bands.js).
(() => {
  const NARROW = 48, RIGHT = 8, FOOT = 22, ROW = 18, ROWS = 32;
  // In the row of a band, from its bottom: the strip of posted receives, the stack of what processors do, a gap.
  const STRIP = 3 / ROW, STACK = 13 / ROW;
  const KINDS = ["--c0", "--c1", "--c2", "--c3"], POSTED = "--soft", PATH = "--c4";
  const count = (value) => Math.round(value).toLocaleString("en");
  const inflated = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  // A round number of cycles between two marks.
  const apart = (cycles, marks) => {
    const least = Math.max(1, cycles / marks), power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((i) => i * power).find((step) => step >= least);
  };

  const start = async (figure) => {
    const data = await inflated(JSON.parse(figure.querySelector("script.operations").textContent));
    const canvas = figure.querySelector("canvas"), pen = canvas.getContext("2d");
    const range = figure.querySelector("output.range"), opened = figure.querySelector("output.opened");
    const bars = data.bars;
    const ranks = Math.max(...bars.map((bar) => bar[0])) + 1, finish = Math.max(...bars.map((bar) => bar[3]), 1);
    const pieces = ranks > ROWS ? rankBands.piecesOf(bars, ranks) : [];
    // Where all rows end: the last band may have fewer ranks.
    const widest = rankBands.size(ranks, ROWS), all = Math.ceil(ranks / widest) * widest;
    const view = { from: 0, to: finish, first: 0, last: all };
    let chosen = -1, wide = 0, tall = 0, LEFT = NARROW;

    const x = (cycle) => LEFT + ((cycle - view.from) / (view.to - view.from)) * (wide - LEFT - RIGHT);
    const y = (rank) => ((rank - view.first) / (view.last - view.first)) * (tall - FOOT);
    const cycle = (at) => view.from + ((at - LEFT) / (wide - LEFT - RIGHT)) * (view.to - view.from);
    const rank = (at) => view.first + (at / (tall - FOOT)) * (view.last - view.first);
    // Ranks in a row.
    const size = () => rankBands.size(view.last - view.first, ROWS);
    const named = (first, last) => (last - first > 1 ? `${first}–${last - 1}` : `${first}`);

    const box = (from, to, at, share) => {
      const top = y(at), high = Math.max(1, (y(at + 1) - top) * share);
      const left = Math.max(LEFT, x(from)), right = Math.min(wide - RIGHT, x(to));
      if (right < LEFT || left > wide - RIGHT) return;
      pen.fillRect(left, top + (y(at + 1) - top) * (1 - share), Math.max(right - left, 0.7), high);
    };
    const seen = (bar) =>
      bar[3] >= view.from && bar[2] <= view.to && bar[0] + 1 > view.first && bar[0] < view.last;
    // Boxes on top of each other in each column of a row; what there is at all is a pixel high. Equal neighbours are
    // one box.
    const stack = (shares, kinds, bottom, most, fill) => {
      const columns = shares[0].length, base = new Float64Array(columns);
      const high = new Float64Array(columns);
      for (const kind of kinds) {
        for (let column = 0; column < columns; column += 1) {
          const share = shares[kind][column];
          high[column] = share > 0 ? Math.min(most - base[column], Math.max(1, share * most)) : 0;
        }
        fill(kind);
        for (let from = 0, to = 0; from < columns; from = to) {
          for (to = from + 1; to < columns && high[to] === high[from] && base[to] === base[from];) to += 1;
          if (high[from] > 0) pen.fillRect(LEFT + from, bottom - base[from] - high[from], to - from, high[from]);
        }
        for (let column = 0; column < columns; column += 1) base[column] += high[column];
      }
    };
    const bands = (each, colour) => {
      const columns = Math.max(1, Math.floor(wide - LEFT - RIGHT));
      for (let first = Math.floor(view.first / each) * each; first < Math.min(view.last, ranks); first += each) {
        const last = Math.min(first + each, ranks), bottom = y(first + each), high = bottom - y(first);
        pen.fillStyle = colour("--wash");
        pen.fillRect(LEFT, bottom - high * (STRIP + STACK), columns, high * (STRIP + STACK));
        const shares = rankBands.shares(pieces, first, last, view.from, view.to, columns);
        pen.globalAlpha = 0.5;
        stack(shares, [rankBands.POSTED], bottom, high * STRIP, () => { pen.fillStyle = colour(POSTED); });
        pen.globalAlpha = 1;
        stack(shares, [0, 1, 2, 3], bottom - high * STRIP, high * STACK,
          (kind) => { pen.fillStyle = colour(KINDS[kind]); });
      }
      if (chosen < 0 || !seen(bars[chosen])) return;
      const [at, , begin, end] = bars[chosen], left = Math.max(LEFT, x(begin)), right = Math.min(wide - RIGHT, x(end));
      pen.fillStyle = colour("--ink");
      pen.fillRect(left, Math.round(y(at)), Math.max(2, right - left), Math.max(2, y(at + 1) - y(at)));
    };
    const single = (colour) => {
      // Receives wait for long: a strip, below what the processor does.
      for (const bar of bars)
        if (bar[1] === 2 && seen(bar)) {
          pen.fillStyle = colour(POSTED);
          pen.globalAlpha = 0.5;
          box(bar[2], bar[3], bar[0], 0.2);
          pen.globalAlpha = 1;
        }
      bars.forEach((bar, index) => {
        if (bar[1] < 0 || !seen(bar)) return;
        pen.fillStyle = colour(index === chosen ? "--ink" : KINDS[bar[1]]);
        if (bar[1] === 2) box(bar[4], bar[5], bar[0], 0.8);
        else box(bar[2], bar[3], bar[0], 0.8);
        if (index === chosen && bar[1] === 2) box(bar[2], bar[3], bar[0], 0.2);
      });
    };
    // The critical path; a rim sets it off from bands, which it crosses anywhere.
    const path = (colour, each) => {
      pen.beginPath();
      data.path.forEach(([from, to, at], index) => {
        if (index === 0) pen.moveTo(x(from), y(at + 0.5));
        else pen.lineTo(x(from), y(at + 0.5));
        pen.lineTo(x(to), y(at + 0.5));
      });
      pen.lineJoin = "round";
      for (const [name, width] of each > 1 ? [["--card", 4.5], [PATH, 2]] : [[PATH, 2]]) {
        pen.strokeStyle = colour(name);
        pen.lineWidth = width;
        pen.stroke();
      }
    };
    const axes = (each) => {
      const step = apart(view.to - view.from, wide / 110);
      pen.textAlign = "center";
      for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
        pen.globalAlpha = 0.15;
        pen.fillRect(x(at), 0, 1, tall - FOOT);
        pen.globalAlpha = 1;
        pen.fillText(count(at), Math.min(Math.max(x(at), LEFT), wide - 30), tall - 6);
      }
      pen.textAlign = "right";
      for (let at = Math.floor(view.first / each) * each; at < Math.min(view.last, ranks); at += each) {
        const last = Math.min(at + each, ranks), down = y(at) + Math.min(14, Math.max(10, y(at + each) - y(at) - 4));
        if (down > 8 && down < tall - FOOT + 4) pen.fillText(named(at, last), LEFT - 6, down);
      }
    };
    const draw = () => {
      const style = getComputedStyle(figure), colour = (name) => style.getPropertyValue(name).trim();
      const scale = devicePixelRatio || 1, each = size();
      wide = canvas.clientWidth;
      tall = Math.min(ROWS, Math.max(6, ranks)) * ROW + FOOT;
      canvas.style.height = `${tall}px`;
      canvas.width = Math.round(wide * scale);
      canvas.height = Math.round(tall * scale);
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, wide, tall);
      pen.font = "12px system-ui, sans-serif";
      LEFT = Math.max(NARROW, Math.ceil(pen.measureText(named(ranks, ranks + each)).width) + 12);
      pen.fillStyle = style.color;
      axes(each);
      pen.save();
      pen.beginPath();
      pen.rect(LEFT, 0, wide - LEFT - RIGHT, tall - FOOT);
      pen.clip();
      if (each > 1) bands(each, colour);
      else single(colour);
      path(colour, each);
      pen.restore();
      range.textContent =
        `cycles ${count(view.from)} to ${count(view.to)}, ` +
        `ranks ${Math.floor(view.first)} to ${Math.min(Math.ceil(view.last), ranks) - 1}` +
        (each > 1 ? `, ${each} in a row` : "");
    };

    // Never beyond the run, and never closer than a few cycles or one rank.
    const show = (from, to, first, last) => {
      const cycles = Math.min(finish, Math.max(4, to - from)), rows = Math.min(all, Math.max(1, last - first));
      view.from = Math.min(Math.max(0, from), finish - cycles);
      view.to = view.from + cycles;
      view.first = Math.min(Math.max(0, first), all - rows);
      view.last = view.first + rows;
      draw();
    };
    const zoom = (factor, at, row) => {
      if (row === undefined)
        show(at - (at - view.from) * factor, at + (view.to - at) * factor, view.first, view.last);
      else show(view.from, view.to, row - (row - view.first) * factor, row + (view.last - row) * factor);
    };
    const move = (cycles, rows) => show(view.from + cycles, view.to + cycles, view.first + rows, view.last + rows);

    // A band becomes rows of its own; time stays. More ranks are shown where a band has fewer than there are rows.
    const openBand = (row, each) => {
      const first = Math.floor(row / each) * each, last = Math.min(first + each, ranks);
      if (first >= ranks) return;
      const shares = rankBands.shares(pieces, first, last, view.from, view.to, 1);
      const words = data.kinds.map((name, kind) => `${name} ${(shares[kind][0] * 100).toFixed(1)} %`);
      opened.textContent =
        `Ranks ${first} to ${last - 1} in cycles ${count(view.from)} to ${count(view.to)}: ${words.join(", ")}.\n` +
        "A click on a rank opens its operation.";
      const rows = Math.max(ROWS, last - first), top = Math.min(first - (rows - last + first) / 2, ranks - rows);
      show(view.from, view.to, top, top + rows);
    };
    const open = (at, row) => {
      if (size() > 1) return openBand(row, size());
      const near = ((view.to - view.from) / wide) * 3;
      let best = -1, shortest = Infinity;
      bars.forEach((bar, index) => {
        if (bar[0] !== Math.floor(row) || at < bar[2] - near || at > bar[3] + near) return;
        const paid = bar[1] === 2 && at >= bar[4] - near && at <= bar[5] + near;
        const long = paid ? bar[5] - bar[4] : bar[3] - bar[2];
        if (long < shortest) [best, shortest] = [index, long];
      });
      chosen = best;
      if (best < 0) {
        opened.textContent = "No operation is there.";
        return draw();
      }
      const bar = bars[best], source = data.source[bar[8]];
      const on = data.path.filter(([, , of, number]) => of === bar[0] && number === bar[7]);
      const cycles = on.reduce((sum, [from, to]) => sum + to - from, 0);
      opened.textContent =
        `${data.names[best]}: cycles ${count(bar[2])} to ${count(bar[3])}, ${count(bar[3] - bar[2])} in all` +
        (on.length ? `; ${count(cycles)} of the critical path: ${[...new Set(on.map((s) => s[4]))].join(", ")}` : "") +
        (source ? `\nline ${bar[8]}: ${source}` : "");
      draw();
    };

    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const factor = (event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8;
      zoom(factor, cycle(event.offsetX), event.shiftKey ? rank(event.offsetY) : undefined);
    }, { passive: false });
    let held;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, y: event.offsetY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held || Math.abs(event.offsetX - held.x) + Math.abs(event.offsetY - held.y) < (held.moved ? 1 : 4)) return;
      move(cycle(held.x) - cycle(event.offsetX), rank(held.y) - rank(event.offsetY));
      held = { x: event.offsetX, y: event.offsetY, moved: true };
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held && !held.moved) open(cycle(event.offsetX), rank(event.offsetY));
      held = undefined;
    });
    const middle = () => [(view.from + view.to) / 2, (view.first + view.last) / 2];
    canvas.addEventListener("keydown", (event) => {
      const cycles = (view.to - view.from) / 8, rows = (view.last - view.first) / 8, [at, row] = middle();
      const done = {
        ArrowLeft: () => move(-cycles, 0), ArrowRight: () => move(cycles, 0),
        ArrowUp: () => move(0, -rows), ArrowDown: () => move(0, rows),
        "+": () => zoom(0.5, at), "-": () => zoom(2, at), Home: () => show(0, finish, 0, all),
        Escape: () => show(view.from, view.to, 0, all),
        Enter: () => open(at, row),
      }[event.key];
      if (!done) return;
      event.preventDefault();
      done();
    });
    for (const button of figure.querySelectorAll("button[data-zoom]"))
      button.addEventListener("click", () => {
        const how = button.dataset.zoom;
        if (how === "all") show(0, finish, 0, all);
        else if (how === "ranks") show(view.from, view.to, 0, all);
        else zoom(how === "in" ? 0.5 : 2, middle()[0]);
      });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    // Hidden pictures have no width before they are chosen.
    new ResizeObserver(() => { if (canvas.clientWidth !== wide) draw(); }).observe(canvas);
    draw();
  };
  document.querySelectorAll(".ranks").forEach((figure) => {
    start(figure).catch(() => {
      figure.querySelector(".opened").textContent = "This browser cannot draw the chart; the numbers are in the table.";
    });
  });
})();
