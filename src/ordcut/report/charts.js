// The stage: scores of each class above, the risk of moving each threshold below, one axis of
// scores, and the thresholds as sliders across both.

const FLAT_SHARE = 0.01;

/** The scores that the axis shows: nearly all of them, and the thresholds found unless far out. */
function axisRange() {
  const at = (share) => places[Math.min(Math.max(1, belowAll.findIndex((w) => w >= share * weight)), LAST - 1)];
  if (LAST < 2) return [-1, 1];
  let low = at(0.001), high = at(0.999);
  const span = high - low || Math.abs(low) || 1;
  const wanted = [facts.start, ...facts.objectives.map((one) => one.optimum)]
    .flatMap((found) => (found ? found.at : []))
    .map((p) => places[p])
    .filter((place) => place > low - span / 2 && place < high + span / 2);
  low = Math.min(low, ...wanted);
  high = Math.max(high, ...wanted);
  const margin = 0.03 * (high - low || span);
  return [low - margin, high + margin];
}

/** Places at nearly equal steps, between which the scores of each class are counted. */
function histogramEdges([low, high]) {
  const count = Math.round(Math.min(72, Math.max(12, 2 * Math.sqrt(facts.rows))));
  const edges = new Set();
  for (let i = 0; i <= count; i++) edges.add(nearestPlace(low + ((high - low) * i) / count));
  return [...edges].filter((p) => p > 0 && p < LAST).sort((a, b) => a - b);
}

class Stage {
  #range = axisRange();
  #edges = histogramEdges(this.#range);

  constructor(figure, moveTo) {
    this.figure = figure;
    this.moveTo = moveTo;
    this.root = svg("svg", { class: "stage", role: "group", "aria-label": "Thresholds over the scores of each class" });
    figure.append(this.root);
    new ResizeObserver(oncePerFrame(() => this.layOut())).observe(figure);
  }

  /** Draw what does not move: densities, axes, names. */
  layOut() {
    const width = Math.floor(this.figure.clientWidth);
    if (width === 0 || width === this.width) return;
    this.width = width;
    const isNarrow = width < 560;
    const longest = Math.max(...facts.classes.map((name) => name.length));
    this.left = Math.min(isNarrow ? 76 : 150, Math.max(66, 16 + 7.2 * longest));
    this.right = width - (isNarrow ? 12 : 58);
    this.row = Math.max(9, Math.min(54, 380 / K));
    this.strip = [8, 34];
    this.ridges = [this.strip[1] + this.row * 0.55 + 6, 0];
    this.ridges[1] = this.ridges[0] + this.row * K;
    this.knobs = this.ridges[1] + 26;
    this.risks = [this.ridges[1] + 100, this.ridges[1] + 100 + 150];
    this.lanes = Math.min(4, Math.ceil(K / 6));
    const height = this.risks[1] + 26 + 8 * this.lanes;
    setAll(this.root, { viewBox: `0 0 ${width} ${height}`, width, height });
    const fixed = svg("g", { "aria-hidden": "true" });
    this.moving = svg("g", { "aria-hidden": "true" });
    const sliders = svg("g");
    this.root.replaceChildren(fixed, this.moving, sliders);
    this.#drawAxes(fixed);
    this.#drawRidges(fixed);
    this.#makeSliders(sliders);
    if (this.state) this.update(this.state);
  }

  x(place) {
    const [low, high] = this.#range;
    const share = Math.min(1, Math.max(0, (place - low) / (high - low)));
    return this.left + share * (this.right - this.left);
  }

  #scoreAt(x) {
    const [low, high] = this.#range;
    return low + ((x - this.left) / (this.right - this.left)) * (high - low);
  }

  #drawAxes(group) {
    const [low, high] = this.#range;
    for (const [value, text] of ticks(low, high, (this.right - this.left) / 90)) {
      const x = this.x(value);
      group.append(
        svg("line", { class: "grid", x1: x, x2: x, y1: this.strip[1] + 6, y2: this.ridges[1] + 4 }),
        svg("text", { class: "tick", x, y: this.ridges[1] + 20, "text-anchor": "middle" }, text)
      );
    }
    group.append(
      svg("text", { class: "axis", x: this.left - 10, y: this.ridges[1] + 20, "text-anchor": "end" }, shortened(facts.score, Math.floor(this.left / 6.6) - 2)),
      svg("text", { class: "tick", x: this.left - 10, y: this.strip[1] - 8, "text-anchor": "end" }, "labelled")
    );
  }

  #drawRidges(group) {
    this.clips = [];
    this.recalls = [];
    const size = Math.max(8, Math.min(13, this.row * 0.8));
    const every = Math.ceil(10 / this.row);
    facts.classes.forEach((name, k) => {
      const base = this.ridges[1] - k * this.row;
      const outline = this.#outline(k, base);
      const clip = svg("rect", { x: 0, width: 0, y: 0, height: this.ridges[1] + 2 });
      const colour = { "--c": classColour(k) };
      group.append(
        svg("clipPath", { id: `own-${k}` }, clip),
        svg("line", { class: "base", x1: this.left, x2: this.right, y1: base, y2: base }),
        svg("path", { class: "ridge", d: outline, ...colour }),
        svg("path", { class: "ridge own", d: outline, "clip-path": `url(#own-${k})`, ...colour })
      );
      this.clips.push(clip);
      if (k % every === 0) {
        group.append(
          svg("text", { class: "name", x: this.left - 10, y: base - 2, "text-anchor": "end", "font-size": size },
            shortened(name, Math.floor((this.left - 14) / (size * 0.55))))
        );
      }
      const recall = svg("text", { class: "tick", x: this.right + 10, y: base - 2, "font-size": Math.min(size, 12) });
      this.recalls.push(recall);
      if (this.right + 50 <= this.width && k % every === 0) group.append(recall);
    });
    if (this.right + 50 <= this.width) {
      group.append(svg("text", { class: "tick", x: this.right + 10, y: this.strip[1] - 8 }, "right"));
    }
  }

  /** The density of a class as a polygon through the middles of its bins. */
  #outline(k, base) {
    const edges = this.#edges, middles = [], densities = [];
    for (let i = 0; i + 1 < edges.length; i++) {
      const [first, last] = [edges[i], edges[i + 1]];
      middles.push((places[first] + places[last]) / 2);
      densities.push((below[last * K + k] - below[first * K + k]) / (places[last] - places[first]));
    }
    const smooth = densities.map((d, i) => ((densities[i - 1] ?? d) + 2 * d + (densities[i + 1] ?? d)) / 4);
    const most = Math.max(...smooth, 1e-300), height = this.row * 1.35;
    const points = middles.map((place, i) => `${this.x(place).toFixed(1)},${(base - (height * smooth[i]) / most).toFixed(1)}`);
    if (points.length === 0) return `M${this.left},${base}`;
    const ends = [this.x(places[edges[0]]), this.x(places[edges.at(-1)])];
    return `M${ends[0].toFixed(1)},${base}L${points.join("L")}L${ends[1].toFixed(1)},${base}Z`;
  }

  #makeSliders(group) {
    const [low, high] = this.#range;
    const half = K > 20 ? 3 : 7;
    group.setAttribute("class", K > 20 ? "many" : "few");
    group.addEventListener("pointerdown", (event) => this.#drag(event));
    this.sliders = facts.classes.slice(1).map((upper, k) => {
      const slider = svg("g", {
        class: "slider", role: "slider", tabindex: 0, "aria-orientation": "horizontal",
        "aria-label": `Threshold ${k + 1}, between ${facts.classes[k]} and ${upper}`,
        "data-number": k,
        "aria-valuemin": low, "aria-valuemax": high, "--c": classColour(k + 0.5),
      });
      slider.append(
        svg("rect", { class: "hit", x: -14, width: 28, y: this.strip[0], height: this.risks[1] - this.strip[0] }),
        svg("line", { class: "cut", y1: this.strip[0], y2: this.risks[1] }),
        svg("rect", { class: "knob", x: -half, width: 2 * half, y: this.knobs, height: 26, rx: half }),
        svg("text", { class: "place", "text-anchor": "middle", y: this.knobs + 41 })
      );
      slider.addEventListener("keydown", (event) => this.#onKey(event, k));
      group.append(slider);
      return slider;
    });
  }

  /**
   * Follow a pointer with the threshold nearest to it. Of thresholds at one place, the first move
   * decides which of them it is.
   */
  #drag(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const start = event.clientX, x = start - this.root.getBoundingClientRect().left;
    const away = this.state.at.map((p) => Math.abs(this.x(places[p]) - x));
    const k = away.indexOf(Math.min(...away)), slider = this.sliders[k];
    const here = this.state.at[k], offset = this.x(places[here]) - x;
    let chosen = null;
    slider.setPointerCapture(event.pointerId);
    slider.focus({ preventScroll: true });
    const move = ({ clientX }) => {
      if (chosen === null) {
        if (Math.abs(clientX - start) < 2) return;
        const together = this.state.at.flatMap((p, j) => (p === here ? [j] : []));
        chosen = clientX > start ? together.at(-1) : together[0];
      }
      const x = clientX - this.root.getBoundingClientRect().left + offset;
      this.moveTo(chosen, this.#placeAt(x));
    };
    const end = () => {
      slider.removeEventListener("pointermove", move);
      if (chosen !== null && chosen !== k) this.sliders[chosen].focus({ preventScroll: true });
    };
    slider.addEventListener("pointermove", move);
    slider.addEventListener("lostpointercapture", end, { once: true });
  }

  /** The place nearest to a point on the axis; beyond its ends, no score is left. */
  #placeAt(x) {
    if (x < this.left - 6) return 0;
    if (x > this.right + 6) return LAST;
    return nearestPlace(this.#scoreAt(x));
  }

  #onKey(event, k) {
    const here = this.state.at[k], [first, last] = room(this.state.at, k);
    const target = {
      ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1,
      PageDown: here - 10, PageUp: here + 10, Home: first, End: last,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.moveTo(k, target);
  }

  /** Draw what follows the thresholds. */
  update(state) {
    this.state = state;
    if (!this.width) return;
    const edges = [this.left, ...state.at.map((p) => this.x(places[p])), this.right];
    const [top, bottom] = this.strip;
    const drawn = [];
    facts.classes.forEach((name, k) => {
      const [from, to] = [edges[k], edges[k + 1]];
      setAll(this.clips[k], { x: from, width: Math.max(0, to - from) });
      this.recalls[k].textContent = shownShare(state.classes[k].recall, 0);
      if (to - from < 0.5) return;
      drawn.push(svg("rect", { class: "label", x: from, width: to - from, y: top, height: bottom - top, "--c": classColour(k) }));
      const fits = Math.floor((to - from - 8) / 7);
      if (fits >= Math.min(3, name.length)) {
        drawn.push(svg("text", { class: "labelled", x: (from + to) / 2, y: (top + bottom) / 2 + 4, "text-anchor": "middle", "data-light": k / (K - 1) > 0.55 ? "yes" : "no" }, shortened(name, fits)));
      }
    });
    this.moving.replaceChildren(...drawn, ...this.#risks(state));
    const [low, high] = this.#range;
    this.sliders.forEach((slider, k) => {
      const place = places[state.at[k]];
      const gap = Math.min(edges[k + 1] - (k ? edges[k] : -99), (edges[k + 2] ?? 1e9) - edges[k + 1] + (k === K - 2 ? 99 : 0));
      slider.lastChild.textContent = shown(place);
      slider.lastChild.classList.toggle("crowded", gap < 48);
      setAll(slider, {
        transform: `translate(${edges[k + 1].toFixed(2)} 0)`,
        "aria-valuenow": Math.min(high, Math.max(low, place)),
        "aria-valuetext": `${shown(place, 5)}; ${state.sentence}`,
      });
    });
  }

  /** The curves of loss over each threshold between its neighbours, and how flat each is. */
  #risks(state) {
    const [top, bottom] = this.risks;
    const curves = state.at.map((_, k) => state.judge.curve(state.at, k));
    const best = state.best ?? state.loss;
    const highest = Math.max(...curves.flat().map(([, loss]) => loss).filter(Number.isFinite));
    const headroom = Math.max(0.3 * best, 1.6 * (state.loss - best));
    const ceiling = best > 0 ? Math.min(best + headroom, Math.max(highest, best * 1.02)) : highest || 1;
    const floor = best - 0.12 * (ceiling - best);
    const y = (loss) => bottom - ((Math.min(loss, ceiling) - floor) / (ceiling - floor)) * (bottom - top);
    const drawn = [], limit = `${100 * FLAT_SHARE}\u202f%`;
    for (const [value, text] of ticks(floor, ceiling, 3)) {
      drawn.push(
        svg("line", { class: "grid", x1: this.left, x2: this.right, y1: y(value), y2: y(value) }),
        svg("text", { class: "tick", x: this.left - 10, y: y(value) + 4, "text-anchor": "end" }, text)
      );
    }
    drawn.push(svg("line", { class: "best", x1: this.left, x2: this.right, y1: y(best), y2: y(best) }));
    curves.forEach((curve, k) => {
      const colour = { "--c": classColour(k + 0.5) };
      const [low, high] = state.flat[k].map((p) => this.x(places[p]));
      drawn.push(svg("rect", { class: "flat", x: low - 1, width: high - low + 2, y: bottom + 4 + 8 * (k % this.lanes), height: 6, rx: 3, ...colour }));
      const points = [];
      let above = false;
      for (const [p, loss] of curve) {
        const isAbove = !(loss <= ceiling);
        if (isAbove && above) points.push(null);
        else points.push(`${this.x(places[p]).toFixed(1)},${y(Number.isNaN(loss) ? ceiling : loss).toFixed(1)}`);
        above = isAbove;
      }
      const line = points.map((point, i) => (point === null ? "" : (i === 0 || points[i - 1] === null ? "M" : "L") + point)).join("");
      drawn.push(
        svg("path", { class: "curve", d: line, ...colour }),
        svg("circle", { class: "here", cx: this.x(places[state.at[k]]), cy: y(state.loss), r: K > 20 ? 2.5 : 4, ...colour })
      );
    });
    drawn.push(
      svg("text", { class: "axis", x: this.left, y: top - 10 }, shortened(`${state.lossName} if one threshold moves`, Math.floor((this.right - this.left) / 6.6))),
      svg("text", { class: "tick", x: this.left, y: bottom + 18 + 8 * this.lanes }, this.right - this.left > 400 ? `Bars: where a threshold can stand for at most ${limit} more` : `Bars: at most ${limit} more`)
    );
    return drawn;
  }
}
