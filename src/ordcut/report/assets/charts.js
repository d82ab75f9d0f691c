// The main chart: the scores of each class at the top, the objective if a threshold moves at the bottom,
// one axis of scores for both, and the thresholds as sliders across.

/**
 * The range of scores on the axis: all of them, unless some are so far out that the others could not
 * be distinguished. It includes the thresholds of results, unless they are as far out.
 */
function axisRange() {
  const at = (share) => {
    const first = belowAll.findIndex((below) => below >= share * weight);
    return positions[Math.min(Math.max(1, first), LAST - 1)];
  };
  let [low, high] = content.extent;
  if (LAST > 2) {
    const reach = 5 * (at(0.75) - at(0.25)) || Infinity;
    const near = [content.start, ...content.objectives.map(({ optimum }) => optimum)]
      .flatMap((result) => (result ? result.at : []))
      .map((p) => positions[p])
      .filter((position) => position > at(0.25) - 2 * reach && position < at(0.75) + 2 * reach);
    low = Math.max(low, Math.min(at(0.001), at(0.25) - 0.6 * reach), at(0.25) - reach);
    high = Math.min(high, Math.max(at(0.999), at(0.75) + 0.6 * reach), at(0.75) + reach);
    low = Math.min(low, ...near);
    high = Math.max(high, ...near);
  }
  const margin = 0.03 * (high - low) || Math.abs(low) || 1;
  return [low - margin, high + margin];
}

/** Positions at nearly equal steps, between which the scores of each class are counted. */
function histogramEdges([low, high]) {
  const [lowest, highest] = content.extent;
  // Scores beyond the axis are not drawn; those on it are, to the last one.
  const edges = new Set([...(lowest >= low ? [0] : []), ...(highest <= high ? [LAST] : [])]);
  const count = Math.round(Math.min(72, Math.max(12, 2 * Math.sqrt(content.rows))));
  for (let i = 0; i <= count && LAST > 1; i++) edges.add(nearestPosition(low + ((high - low) * i) / count));
  return [...edges].sort((a, b) => a - b);
}

class Stage {
  range = axisRange();
  #edges = histogramEdges(this.range);

  constructor(figure, moveTo) {
    this.figure = figure;
    this.sliders = new Sliders(this, moveTo);
    const label = "Thresholds over the scores of each class";
    this.root = svg("svg", { class: "stage", role: "group", "aria-label": label });
    figure.append(this.root);
    new ResizeObserver(oncePerFrame(() => this.layOut())).observe(figure);
  }

  /** Draw what does not move: densities, axes, names. */
  layOut() {
    const width = Math.floor(this.figure.clientWidth);
    if (width === 0 || width === this.width) return;
    this.width = width;
    const isNarrow = width < 560;
    const longest = Math.max(...content.classes.map((name) => name.length));
    this.left = Math.min(isNarrow ? 76 : 150, Math.max(66, 16 + 7.2 * longest));
    this.right = width - (isNarrow ? 12 : 58);
    this.row = Math.max(9, Math.min(54, 380 / K));
    this.strip = [8, 34];
    const top = this.strip[1] + this.row * 0.55 + 6;
    this.bottom = top + this.row * K;
    this.knobs = this.bottom + 26;
    // Where thresholds are close together, their numbers are below each other.
    this.numberLanes = D > 20 ? 1 : Math.min(D - 1, isNarrow ? 4 : 2);
    const risks = this.bottom + 86 + 14 * this.numberLanes;
    this.risks = [risks, risks + 150];
    this.lanes = D > 2 ? Math.min(4, 1 + Math.ceil(D / 6)) : 1;
    const height = this.risks[1] + 26 + 8 * this.lanes + (INTERVALS ? 26 + 8 * this.lanes : 0);
    setAll(this.root, { viewBox: `0 0 ${width} ${height}`, width, height });
    const fixed = svg("g", { "aria-hidden": "true" });
    this.moving = svg("g", { "aria-hidden": "true" });
    this.root.replaceChildren(fixed, this.moving, this.sliders.make());
    this.#drawAxes(fixed);
    this.#drawRidges(fixed);
    if (this.state) this.update(this.state);
  }

  x(position) {
    const [low, high] = this.range;
    const share = Math.min(1, Math.max(0, (position - low) / (high - low)));
    return this.left + share * (this.right - this.left);
  }

  /** The index of the position nearest to a point on the axis; infinite ones are beyond its ends. */
  positionAt(x) {
    if (x < this.left - 6 || LAST < 2) return 0;
    if (x > this.right + 6) return LAST;
    const [low, high] = this.range;
    return nearestPosition(low + ((x - this.left) / (this.right - this.left)) * (high - low));
  }

  #drawAxes(group) {
    const y = this.bottom + 20;
    for (const [value, text] of ticksAcross(...this.range, this.right - this.left)) {
      const x = this.x(value);
      group.append(
        svg("line", { class: "grid", x1: x, x2: x, y1: this.strip[1] + 6, y2: this.bottom + 4 }),
        svg("text", { class: "tick", x, y, "text-anchor": "middle" }, text)
      );
    }
    const [low, high] = this.range, [before, after] = [belowAll[nearestPosition(low)], belowAll[nearestPosition(high)]];
    const beyond = [
      [content.extent[0] < low ? before / weight : 0, "\u2039 ", "", this.left, "start"],
      [content.extent[1] > high ? 1 - after / weight : 0, "", " \u203a", this.right, "end"],
    ];
    for (const [share, open, close, x, anchor] of beyond) {
      const text = `${open}${shownShare(share)} beyond${close}`;
      if (share >= 0.005) group.append(svg("text", { class: "tick", x, y: this.bottom + 36, "text-anchor": anchor }, text));
    }
    const end = { x: this.left - 10, "text-anchor": "end" };
    const lines = inTwoLines(content.score, Math.max(9, Math.floor(this.left / 6.6) - 2));
    group.append(
      ...lines.map((line, i) => svg("text", { class: "axis", y: y + 14 * i, ...end }, line)),
      svg("text", { class: "tick", y: this.strip[1] - 8, ...end }, isOtherwise ? "decided" : "predicted")
    );
  }

  #drawRidges(group) {
    this.clips = [];
    this.recalls = [];
    const size = Math.max(8, Math.min(13, this.row * 0.8));
    const every = Math.ceil(10 / this.row);
    const fits = Math.floor((this.left - 14) / (size * 0.55));
    const hasSpace = haveOwn && this.right + 50 <= this.width;
    document.getElementById("recall-note").hidden = !hasSpace;
    content.classes.forEach((name, k) => {
      const base = this.bottom - k * this.row, d = this.#outline(k, base);
      const colour = { "--c": classColour(k) };
      const clip = svg("rect", { x: 0, width: 0, y: 0, height: this.bottom + 2 });
      const recall = svg("text", { class: "tick", x: this.right + 10, y: base - 2, "font-size": Math.min(size, 12) });
      this.clips.push(clip);
      this.recalls.push(recall);
      group.append(
        svg("clipPath", { id: `own-${k}` }, clip),
        svg("line", { class: "base", x1: this.left, x2: this.right, y1: base, y2: base }),
        svg("path", { class: "ridge", d, ...colour }),
        svg("path", { class: "ridge own", d, "clip-path": `url(#own-${k})`, ...colour })
      );
      if (k % every) return;
      const at = { x: this.left - 10, y: base - 2, "text-anchor": "end", "font-size": size };
      group.append(svg("text", { class: "name", ...at }, shortened(name, fits)));
      if (hasSpace) group.append(recall);
    });
    if (hasSpace) group.append(svg("text", { class: "tick", x: this.right + 10, y: this.strip[1] - 8 }, "recall"));
  }

  /** The density of a class as a polygon through the middles of its bins. */
  #outline(k, base) {
    const edges = this.#edges, middles = [], densities = [];
    const [low, high] = this.range;
    const on = (p) => Math.min(high, Math.max(low, positions[p]));
    for (let i = 0; i + 1 < edges.length; i++) {
      const [first, last] = [edges[i], edges[i + 1]];
      if (on(first) === on(last)) continue;
      middles.push((on(first) + on(last)) / 2);
      densities.push((below[last * K + k] - below[first * K + k]) / (on(last) - on(first)));
    }
    if (densities.length === 0) return `M${this.left},${base}`;
    const smooth = densities.map((d, i) => ((densities[i - 1] ?? d) + 2 * d + (densities[i + 1] ?? d)) / 4);
    const scale = (this.row * 1.35) / Math.max(...smooth, 1e-300);
    const points = middles.map((position, i) => `${this.x(position).toFixed(1)},${(base - scale * smooth[i]).toFixed(1)}`);
    const [start, end] = [edges[0], edges.at(-1)].map((p) => `${this.x(positions[p]).toFixed(1)},${base}`);
    return `M${start}L${points.join("L")}L${end}Z`;
  }

  /** Draw what depends on the thresholds. */
  update(state) {
    this.state = state;
    if (!this.width) return;
    const edges = [this.left, ...state.at.map((p) => this.x(positions[p])), this.right];
    const [top, bottom] = this.strip;
    const drawn = [];
    const segment = (d) => ({ x: edges[d] ?? 0, width: Math.max(0, edges[d + 1] - edges[d]) || 0 });
    state.classes.forEach(({ recall }, k) => {
      setAll(this.clips[k], haveOwn ? segment(decisionOf[k]) : { x: this.left, width: this.right - this.left });
      this.recalls[k].textContent = shownShare(recall, 0);
    });
    decisions.forEach((name, d) => {
      const { x, width } = segment(d);
      if (width < 0.5) return;
      drawn.push(svg("rect", { class: "label", x, width, y: top, height: bottom - top, "--c": decisionColour(d) }));
      const fits = Math.floor((width - 8) / 7);
      if (fits < Math.min(3, name.length)) return;
      const at = { x: x + width / 2, y: (top + bottom) / 2 + 4, "text-anchor": "middle" };
      const isLight = d / (D - 1) > 0.55 ? "yes" : "no";
      drawn.push(svg("text", { class: "predicted", "data-light": isLight, ...at }, shortened(name, fits)));
    });
    this.moving.replaceChildren(...drawn, ...drawRisks(this, state));
    this.sliders.update(state);
  }
}
