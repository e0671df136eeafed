// SPDX-License-Identifier: Apache-2.0
// Plays the waves of broadcasts: a canvas with a square per cell, and how many nodes hold how many packets.
(() => {
  const stops = () => {
    const style = getComputedStyle(document.documentElement);
    return [0, 1, 2, 3, 4].map((i) => {
      const hex = style.getPropertyValue(`--w${i}`).trim().slice(1);
      return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
    });
  };
  const ramp = () => {
    const marks = stops();
    return Array.from({ length: 256 }, (_, value) => {
      const at = Math.min(3.9999, (value / 255) * 4), low = Math.floor(at);
      return `rgb(${marks[low].map((c, i) => Math.round(c + (marks[low + 1][i] - c) * (at - low))).join(",")})`;
    });
  };
  const inflated = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };
  const count = (value) => value.toLocaleString("en");

  // Rings have no ends: the source is drawn in the middle.
  const place = (wave, cell) => {
    const at = wave.source.map((source, i) => {
      const here = Math.floor(cell / wave.side ** i) % wave.side;
      return (here - source + Math.floor(wave.side / 2) + wave.side) % wave.side;
    });
    if (wave.dimensions === 1) return [at[0] % wave.columns, Math.floor(at[0] / wave.columns)];
    const plane = (at[2] ?? 0) + (at[3] ?? 0) * wave.side, step = wave.side + 1;
    return [(plane % wave.columns) * step + at[0], Math.floor(plane / wave.columns) * step + at[1]];
  };

  const bars = (svg, holders, packets) => {
    const most = Math.max(...holders), wide = 300 / (packets + 1), parts = [];
    holders.forEach((nodes, held) => {
      const tall = nodes ? Math.max(1, (104 * nodes) / most) : 0;
      parts.push(
        `<rect class="bar${held === packets ? " all" : ""}" x="${10 + held * wide}" y="${126 - tall}"` +
          ` width="${Math.max(wide - 1, 0.6)}" height="${tall}"><title>${count(nodes)} nodes hold ${held}</title></rect>`,
      );
    });
    svg.innerHTML =
      "<title>Nodes by the number of packets that they hold</title>" +
      `<text x="10" y="14">nodes, at most ${count(most)}</text>` +
      `<g class="axis"><text x="10" y="144">0</text><text x="310" y="144" text-anchor="end">${packets} packets held</text></g>` +
      parts.join("");
  };

  const start = async (figure) => {
    const wave = JSON.parse(figure.querySelector("script.wave").textContent);
    const canvas = figure.querySelector("canvas"), slider = figure.querySelector("input");
    const button = figure.querySelector("button"), told = figure.querySelector("output");
    const svg = figure.querySelector("svg.holders");
    const cells = wave.side ** wave.dimensions, frames = wave.times.length;
    const values = await inflated(wave.frames);
    for (let i = cells; i < values.length; ++i) values[i] += values[i - cells];
    const size = Math.max(2, Math.floor(960 / wave.width)), gap = size > 11 ? 1 : 0;
    const tall = wave.dimensions === 1 ? Math.max(size, 48) : size;
    canvas.width = wave.width * size;
    canvas.height = wave.height * tall;
    slider.max = frames - 1;
    const pen = canvas.getContext("2d");
    const places = Array.from({ length: cells }, (_, cell) => place(wave, cell));
    let colours = ramp(), timer = 0;

    const words = (frame) => {
      const holders = wave.holders[frame];
      const held = holders.reduce((sum, nodes, packets) => sum + nodes * packets, 0) / wave.nodes;
      return (
        `${wave.unit} ${count(wave.times[frame])} of ${count(wave.times[frames - 1])}: ${held.toFixed(1)} packets held on` +
        ` average, ${count(holders[wave.packets])} of ${count(wave.nodes)} nodes have all,` +
        ` ${(100 * wave.busy[frame]).toFixed(1)} % of the links busy`
      );
    };
    const draw = () => {
      const frame = Number(slider.value);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (let cell = 0; cell < cells; ++cell) {
        const [x, y] = places[cell];
        pen.fillStyle = colours[values[frame * cells + cell]];
        pen.fillRect(x * size, y * tall, size - gap, tall - gap);
      }
      bars(svg, wave.holders[frame], wave.packets);
      told.textContent = words(frame);
      slider.setAttribute("aria-valuetext", words(frame));
    };
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      button.textContent = "Play";
    };
    const play = () => {
      if (Number(slider.value) === frames - 1) slider.value = 0;
      button.textContent = "Pause";
      timer = setInterval(() => {
        if (Number(slider.value) === frames - 1) return stop();
        slider.value = Number(slider.value) + 1;
        draw();
      }, Math.min(400, Math.max(60, 9000 / frames)));
      draw();
    };
    button.addEventListener("click", () => (timer ? stop() : play()));
    slider.addEventListener("input", () => {
      stop();
      draw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      colours = ramp();
      draw();
    });
    // The middle of the wave says more than its beginning.
    slider.value = Math.floor((frames - 1) / 2);
    draw();
  };
  document.querySelectorAll('.picture[data-of="film"]').forEach((figure) => {
    start(figure).catch(() => {
      figure.querySelector(".film").remove();
      figure.querySelector(".player").textContent = "This browser cannot play the wave; the numbers are in the table.";
    });
  });
})();
