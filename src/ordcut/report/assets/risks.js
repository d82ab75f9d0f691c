// Curves of the objective over each threshold between its neighbours, with near-optimal ranges.

// A threshold is near-optimal where the error is greater by at most this share of itself.
const TOLERANCE = 0.01;

// Bootstrap intervals of the initial thresholds, if they were computed.
const INTERVALS = content.intervals?.thresholds.map((pair) => pair.map(fromJson));
const LEVEL = content.intervals ? `${shown(100 * content.intervals.level, 2)}\u202f%` : "";

function drawRisks(stage, state) {
  const { left, right, lanes, risks: [top, bottom] } = stage;
  const curves = state.at.map((_, k) => state.judge.curve(state.at, k));
  const best = state.best ?? state.error;
  const [floor, ceiling] = errorRange(curves, state.error, best);
  const { isMaximised, noun } = state.judge;
  // The best value is at the bottom if it is the lowest, and at the top if it is the highest.
  const share = (error) => (Math.min(error, ceiling) - floor) / (ceiling - floor);
  const y = (error) => (isMaximised ? top + share(error) * (bottom - top) : bottom - share(error) * (bottom - top));
  const across = (error, kind) => svg("line", { class: kind, x1: left, x2: right, y1: y(error), y2: y(error) });
  const drawn = [];
  const errorOf = (value) => (isMaximised ? 1 - value : value);
  const ends = [errorOf(floor), errorOf(ceiling)].sort((a, b) => a - b);
  for (const [value, text] of ticks(...ends, 5)) {
    const at = { x: left - 10, y: y(errorOf(value)) + 4, "text-anchor": "end" };
    drawn.push(across(errorOf(value), "grid"), svg("text", { class: "tick", ...at }, text));
  }
  drawn.push(across(best, "best"));
  curves.forEach((curve, k) => {
    const colour = { "--c": decisionColour(k + 0.5) };
    const [low, high] = rangeOver(state.nearOptimal[k]).map((score) => stage.x(score));
    const lane = bottom + 4 + 8 * (k % lanes), here = stage.x(positions[state.at[k]]);
    drawn.push(
      svg("rect", { class: "near-optimal", x: low - 1, width: high - low + 2, y: lane, height: 6, rx: 3, ...colour }),
      svg("path", { class: "curve", d: lineThrough(curve, (p) => stage.x(positions[p]), y, ceiling), ...colour }),
      svg("circle", { class: "here", cx: here, cy: y(state.error), r: D > 20 ? 2.5 : 4, ...colour })
    );
  });
  const least = `at most ${100 * TOLERANCE}\u202f% more ${noun}`;
  const limit = `${least} than ${state.isOptimal ? "the optimum" : "now"}`;
  const note = right - left > 400 ? `range of each threshold with ${limit}` : right - left > 300 ? limit : least;
  const title = shortened(`${objectiveName(state.judge.name)} if one threshold moves`, Math.floor((right - left) / 6.6));
  drawn.push(
    svg("text", { class: "axis", x: left, y: top - 10 }, title),
    svg("text", { class: "tick", x: left, y: bottom + 18 + 8 * lanes }, `Bars: ${note}`)
  );
  return INTERVALS ? [...drawn, ...drawIntervals(stage)] : drawn;
}

/** Lines below the bars: the interval of each initial threshold. */
function drawIntervals(stage) {
  const { left, right, lanes, risks: [, bottom] } = stage, top = bottom + 30 + 8 * lanes;
  const drawn = INTERVALS.map((pair, k) => {
    const [low, high] = pair.map((score) => stage.x(score)), y = top + 8 * (k % lanes);
    const d = `M${low.toFixed(1)},${y}H${high.toFixed(1)}M${low.toFixed(1)},${y - 3}v6M${high.toFixed(1)},${y - 3}v6`;
    return svg("path", { class: "interval", d, "--c": decisionColour(k + 0.5) });
  });
  const whose = right - left > 400 ? "of each initial threshold" : "of each threshold";
  drawn.push(svg("text", { class: "tick", x: left, y: top + 10 + 8 * lanes }, `Lines: ${LEVEL} interval ${whose}`));
  return drawn;
}

/** The range of errors to show: from just below the optimum to well above the current error. */
function errorRange(curves, error, best) {
  const highest = Math.max(...curves.flat().map(([, value]) => value).filter(Number.isFinite));
  const headroom = Math.max(0.3 * best, 1.6 * (error - best));
  const ceiling = best > 0 ? Math.min(best + headroom, Math.max(highest, best * 1.02)) : highest || 1;
  const lowest = Math.min(best, ...curves.flat().map(([, value]) => value).filter(Number.isFinite)); // outside constraints
  return [lowest - 0.12 * (ceiling - lowest), ceiling];
}

/** A line through [position, error] pairs; what lies above the ceiling is cut off. */
function lineThrough(curve, x, y, ceiling) {
  const isBelow = ([, error]) => error <= ceiling;
  let line = "", wasDrawn = false;
  curve.forEach(([p, error], i) => {
    // A point above the ceiling is drawn at it, if the line comes from or goes below.
    const isDrawn = [i - 1, i, i + 1].some((j) => curve[j] && isBelow(curve[j]));
    const height = y(Number.isNaN(error) ? ceiling : error);
    if (isDrawn) line += `${wasDrawn ? "L" : "M"}${x(p).toFixed(1)},${height.toFixed(1)}`;
    wasDrawn = isDrawn;
  });
  return line;
}
