// Thresholds as sliders, for mouse, touch and keyboard.

class Sliders {
  constructor(stage, moveTo) {
    this.stage = stage;
    this.moveTo = moveTo;
  }

  /** Make a slider for each threshold, in one group. */
  make() {
    const { strip, risks, knobs, range } = this.stage;
    const half = D > 20 ? 3 : 7;
    this.all = decisions.slice(1).map((upper, k) => {
      const slider = svg(
        "g",
        {
          class: "slider", role: "slider", tabindex: 0, "aria-orientation": "horizontal",
          "aria-label": `Threshold ${k + 1}, between ${decisions[k]} and ${upper}`,
          "aria-valuemin": range[0], "aria-valuemax": range[1], "data-index": k, "--c": decisionColour(k + 0.5),
        },
        svg("rect", { class: "hit", x: -14, width: 28, y: strip[0], height: risks[1] - strip[0] }),
        svg("path", { class: "cut", d: `M0,${strip[0]}V${knobs}M0,${risks[0]}V${risks[1]}` }), // not across the numbers
        svg("rect", { class: "knob", x: -half, width: 2 * half, y: knobs, height: 26, rx: half }),
        svg("text", { class: "position", "text-anchor": "middle", y: knobs + 41 })
      );
      slider.addEventListener("keydown", (event) => this.#onKey(event, k));
      return slider;
    });
    const group = svg("g", { class: D > 20 ? "many" : "few" }, ...this.all);
    group.addEventListener("pointerdown", (event) => this.#drag(event));
    return group;
  }

  /** Move every slider to its threshold. */
  update({ at, sentence }) {
    const [low, high] = this.stage.range;
    const xs = at.map((p) => this.stage.x(positions[p]));
    const ends = new Array(this.stage.numberLanes).fill(-Infinity);
    this.all.forEach((slider, k) => {
      const position = positions[at[k]];
      setAll(slider, {
        transform: `translate(${xs[k].toFixed(2)} 0)`,
        "aria-valuenow": Math.min(high, Math.max(low, position)),
        "aria-valuetext": `${shown(position, 5)}; ${sentence}`,
      });
      const text = slider.lastChild;
      text.textContent = shown(position);
      // Each number is in the first lane that has space for it, and hidden if none has.
      const half = 4 * text.textContent.length + 3;
      const lane = ends.findIndex((end) => end <= xs[k] - half);
      text.classList.toggle("crowded", lane < 0);
      text.setAttribute("y", this.stage.knobs + 41 + 14 * Math.max(0, lane));
      if (lane >= 0) ends[lane] = xs[k] + half;
    });
  }

  /**
   * Drag the threshold nearest to the pointer. If several share its position, the direction of the
   * first move decides between them.
   */
  #drag(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const { stage } = this, { at } = stage.state;
    const xOf = (clientX) => clientX - stage.root.getBoundingClientRect().left;
    const start = xOf(event.clientX);
    const away = at.map((p) => Math.abs(stage.x(positions[p]) - start));
    const k = away.indexOf(Math.min(...away)), here = at[k], slider = this.all[k];
    const offset = stage.x(positions[here]) - start;
    let chosen = null;
    slider.setPointerCapture(event.pointerId);
    slider.focus({ preventScroll: true });
    const move = ({ clientX }) => {
      const x = xOf(clientX);
      if (chosen === null) {
        if (Math.abs(x - start) < 2) return;
        const together = at.flatMap((p, j) => (p === here ? [j] : []));
        chosen = x > start ? together.at(-1) : together[0];
      }
      this.moveTo(chosen, stage.positionAt(x + offset));
    };
    const end = () => {
      slider.removeEventListener("pointermove", move);
      if (chosen !== null) this.all[chosen].focus({ preventScroll: true });
    };
    slider.addEventListener("pointermove", move);
    slider.addEventListener("lostpointercapture", end, { once: true });
  }

  #onKey(event, k) {
    const { at } = this.stage.state, here = at[k], [first, last] = limits(at, k);
    const target = {
      ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1,
      PageDown: here - 10, PageUp: here + 10, Home: first, End: last,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.moveTo(k, target);
  }
}
