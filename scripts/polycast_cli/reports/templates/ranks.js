// SPDX-License-Identifier: Apache-2.0
// The Gantt chart of ranks: bars on a canvas, the critical path over them. `view` is what is seen of cycles and ranks.
(() => {
  const LEFT = 48, FOOT = 22, TALLEST = 560, ROW = 18;
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
    const view = { from: 0, to: finish, first: 0, last: ranks };
    let chosen = -1, wide = 0, tall = 0;

    const x = (cycle) => LEFT + ((cycle - view.from) / (view.to - view.from)) * (wide - LEFT - 8);
    const y = (rank) => ((rank - view.first) / (view.last - view.first)) * (tall - FOOT);
    const cycle = (at) => view.from + ((at - LEFT) / (wide - LEFT - 8)) * (view.to - view.from);
    const rank = (at) => view.first + (at / (tall - FOOT)) * (view.last - view.first);

    const box = (from, to, at, share) => {
      const top = y(at), high = Math.max(1, (y(at + 1) - top) * share);
      const left = Math.max(LEFT, x(from)), right = Math.min(wide - 8, x(to));
      if (right < LEFT || left > wide - 8) return;
      pen.fillRect(left, top + (y(at + 1) - top) * (1 - share), Math.max(right - left, 0.7), high);
    };
    const seen = (bar) =>
      bar[3] >= view.from && bar[2] <= view.to && bar[0] + 1 > view.first && bar[0] < view.last;
    const draw = () => {
      const style = getComputedStyle(figure), colour = (name) => style.getPropertyValue(name).trim();
      const scale = devicePixelRatio || 1;
      wide = canvas.clientWidth;
      tall = Math.min(TALLEST, Math.max(6, ranks) * ROW) + FOOT;
      canvas.style.height = `${tall}px`;
      canvas.width = Math.round(wide * scale);
      canvas.height = Math.round(tall * scale);
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, wide, tall);
      pen.font = "12px system-ui, sans-serif";
      const step = apart(view.to - view.from, wide / 110);
      pen.fillStyle = style.color;
      for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
        pen.globalAlpha = 0.15;
        pen.fillRect(x(at), 0, 1, tall - FOOT);
        pen.globalAlpha = 1;
        pen.textAlign = "center";
        pen.fillText(count(at), Math.min(Math.max(x(at), LEFT), wide - 30), tall - 6);
      }
      const each = Math.max(1, Math.ceil((view.last - view.first) / ((tall - FOOT) / 14)));
      pen.textAlign = "right";
      for (let at = Math.ceil(view.first / each) * each; at < view.last; at += each)
        pen.fillText(at, LEFT - 6, Math.min(y(at) + Math.min(14, Math.max(10, y(at + 1) - y(at) - 4)), tall - FOOT));
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
        pen.fillStyle = index === chosen ? style.color : colour(KINDS[bar[1]]);
        if (bar[1] === 2) box(bar[4], bar[5], bar[0], 0.8);
        else box(bar[2], bar[3], bar[0], 0.8);
        if (index === chosen && bar[1] === 2) box(bar[2], bar[3], bar[0], 0.2);
      });
      pen.strokeStyle = colour(PATH);
      pen.lineWidth = 2;
      pen.save();
      pen.beginPath();
      pen.rect(LEFT, 0, wide - LEFT - 8, tall - FOOT);
      pen.clip();
      pen.beginPath();
      data.path.forEach(([from, to, at], index) => {
        if (index === 0) pen.moveTo(x(from), y(at + 0.5));
        else pen.lineTo(x(from), y(at + 0.5));
        pen.lineTo(x(to), y(at + 0.5));
      });
      pen.stroke();
      pen.restore();
      range.textContent =
        `cycles ${count(view.from)} to ${count(view.to)}, ranks ${Math.floor(view.first)} to ${Math.ceil(view.last) - 1}`;
    };

    // Never beyond the run, and never closer than a few cycles or one rank.
    const show = (from, to, first, last) => {
      const cycles = Math.min(finish, Math.max(4, to - from)), rows = Math.min(ranks, Math.max(1, last - first));
      view.from = Math.min(Math.max(0, from), finish - cycles);
      view.to = view.from + cycles;
      view.first = Math.min(Math.max(0, first), ranks - rows);
      view.last = view.first + rows;
      draw();
    };
    const zoom = (factor, at, row) => {
      if (row === undefined)
        show(at - (at - view.from) * factor, at + (view.to - at) * factor, view.first, view.last);
      else show(view.from, view.to, row - (row - view.first) * factor, row + (view.last - row) * factor);
    };
    const move = (cycles, rows) => show(view.from + cycles, view.to + cycles, view.first + rows, view.last + rows);

    const open = (at, row) => {
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
        "+": () => zoom(0.5, at), "-": () => zoom(2, at), Home: () => show(0, finish, 0, ranks),
        Enter: () => open(at, row),
      }[event.key];
      if (!done) return;
      event.preventDefault();
      done();
    });
    for (const button of figure.querySelectorAll("button[data-zoom]"))
      button.addEventListener("click", () => {
        const how = button.dataset.zoom;
        if (how === "all") show(0, finish, 0, ranks);
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
