// SPDX-License-Identifier: Apache-2.0
// Choosers, copies of commands, and what can be saved: a picture as SVG, a table as CSV, both made from the page.
(() => {
  const root = document.documentElement;

  for (const select of document.querySelectorAll("select[data-shows]")) {
    const pictures = document.querySelectorAll(`.picture[data-of="${select.dataset.shows}"]`);
    const show = () => pictures.forEach((one) => one.classList.toggle("shown", one.id === select.value));
    select.addEventListener("change", show);
    show();
  }

  // Only what can be scrolled is a stop of the tabulator key.
  const reachable = () => {
    for (const box of document.querySelectorAll(".scroll, pre")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  new ResizeObserver(reachable).observe(document.body);
  document.addEventListener("toggle", reachable, true);
  document.addEventListener("change", reachable);

  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      } catch {
        // A browser that does not let pages copy: the text is marked for the keyboard.
        getSelection().selectAllChildren(code);
      }
    });
  }

  // "1,234" is 1234, "12.5 %" is 0.125, a dash is nothing: what programs read.
  const plain = (cell) => {
    const text = cell.textContent.replace(/\s+/g, " ").trim();
    if (text === "–") return "";
    const found = !cell.closest("thead") && /^\+?(-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)( %)?$/.exec(text);
    if (!found) return text;
    const number = found[1].replaceAll(",", "");
    return found[2] ? String(Number((Number(number) / 100).toPrecision(12))) : number;
  };
  const csv = (table) =>
    Array.from(table.rows, (row) =>
      Array.from(row.cells, (cell) => {
        const text = plain(cell);
        return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      }).join(","),
    ).join("\n") + "\n";

  const PROPERTIES = [
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family",
    "font-size", "font-weight", "text-anchor", "dominant-baseline", "display",
  ];
  const element = (name, attributes, text = "") => {
    const made = document.createElementNS(document.querySelector("svg").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  // The legend below the picture, in lines as wide as it.
  const withLegend = (svg, items, [left, top, width, height]) => {
    const font = Math.max(9, Math.min(width / 40, 16));
    let x = left + 2, y = top + height + 1.6 * font;
    for (const item of items) {
      const text = item.textContent.trim(), wide = font * (0.58 * text.length + 3.2);
      if (x > left + 2 && x + wide > left + width) [x, y] = [left + 2, y + 1.6 * font];
      const swatch = item.querySelector("i");
      if (swatch) {
        const fill = getComputedStyle(swatch).backgroundColor;
        svg.append(element("rect", { x, y: y - 0.6 * font, width: 1.4 * font, height: 0.5 * font, fill }));
      }
      const at = { x: x + (swatch ? 1.8 * font : 0), y, "font-family": "sans-serif", "font-size": font, fill: "#1d2126" };
      svg.append(element("text", at, text));
      x += wide;
    }
    return items.length ? y + 0.8 * font - top : height;
  };
  // Always in the light colours, on white, with every style as an attribute: slides and editors know no style sheet.
  const standalone = (shown, legend) => {
    const svg = shown.cloneNode(true);
    root.classList.add("light");
    const from = [shown, ...shown.querySelectorAll("*")], to = [svg, ...svg.querySelectorAll("*")];
    from.forEach((one, index) => {
      if (["title", "desc"].includes(one.tagName)) return;
      const style = getComputedStyle(one);
      for (const property of PROPERTIES) {
        const value = style.getPropertyValue(property);
        if (value && value !== (one.parentElement && getComputedStyle(one.parentElement).getPropertyValue(property)))
          to[index].setAttribute(property, value);
      }
      to[index].removeAttribute("class");
      to[index].removeAttribute("style");
    });
    const box = shown.getAttribute("viewBox").split(" ").map(Number);
    box[3] = withLegend(svg, legend, box);
    root.classList.remove("light");
    const margin = 0.02 * box[2];
    for (const [index, change] of [-1, -1, 2, 2].entries()) box[index] += change * margin;
    const [x, y, width, height] = box;
    svg.insertBefore(element("rect", { x, y, width, height, fill: "#fff" }), svg.querySelector(":scope > :not(title, desc)"));
    svg.removeAttribute("display");
    for (const [key, value] of Object.entries({ viewBox: box.join(" "), width, height })) svg.setAttribute(key, value);
    return new XMLSerializer().serializeToString(svg) + "\n";
  };

  const make = {
    csv: (link) => new Blob([csv((link.closest(".table") ?? link.closest("figure")).querySelector("table"))], { type: "text/csv" }),
    svg: (link) => {
      const figure = link.closest("figure"), legend = ".legend li";
      const items = [figure, figure.closest("section")].map((one) => one?.querySelectorAll(`:scope > ${legend}`) ?? []);
      const text = standalone(figure.querySelector("svg"), [...(items[0].length ? items[0] : items[1])]);
      return new Blob([text], { type: "image/svg+xml" });
    },
  };
  for (const link of document.querySelectorAll("a.save")) {
    link.href ||= "#content";
    link.addEventListener("click", () => {
      link.href = URL.createObjectURL(make[link.dataset.save](link));
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
  }
})();
