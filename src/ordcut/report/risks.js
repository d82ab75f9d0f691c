// Curves of loss over each threshold between its neighbours, and how flat each is.

const FLAT_SHARE = 0.01;

function drawRisks(stage, state) {
  const { left, right, lanes, risks: [top, bottom] } = stage;
  const curves = state.at.map((_, k) => state.judge.curve(state.at, k));
  const best = state.best ?? state.loss;
  const [floor, ceiling] = lossRange(curves, state.loss, best);
  const y = (loss) => bottom - ((Math.min(loss, ceiling) - floor) / (ceiling - floor)) * (bottom - top);
  const across = (loss, kind) => svg("line", { class: kind, x1: left, x2: right, y1: y(loss), y2: y(loss) });
  const drawn = [];
  for (const [value, text] of ticks(floor, ceiling, 3)) {
    const at = { x: left - 10, y: y(value) + 4, "text-anchor": "end" };
    drawn.push(across(value, "grid"), svg("text", { class: "tick", ...at }, text));
  }
  drawn.push(across(best, "best"));
  curves.forEach((curve, k) => {
    const colour = { "--c": classColour(k + 0.5) };
    const [low, high] = rangeOver(state.flat[k]).map((score) => stage.x(score));
    const lane = bottom + 4 + 8 * (k % lanes), here = stage.x(places[state.at[k]]);
    drawn.push(
      svg("rect", { class: "flat", x: low - 1, width: high - low + 2, y: lane, height: 6, rx: 3, ...colour }),
      svg("path", { class: "curve", d: lineThrough(curve, (p) => stage.x(places[p]), y, ceiling), ...colour }),
      svg("circle", { class: "here", cx: here, cy: y(state.loss), r: K > 20 ? 2.5 : 4, ...colour })
    );
  });
  const limit = `${100 * FLAT_SHARE}\u202f%`;
  const note = right - left > 400 ? `where a threshold can stand and be at most ${limit} worse` : `at most ${limit} worse`;
  const title = shortened(`${state.lossName} if one threshold moves`, Math.floor((right - left) / 6.6));
  drawn.push(
    svg("text", { class: "axis", x: left, y: top - 10 }, title),
    svg("text", { class: "tick", x: left, y: bottom + 18 + 8 * lanes }, `Bars: ${note}`)
  );
  return drawn;
}

/** The losses to show: from just below the best to well above what there is now. */
function lossRange(curves, loss, best) {
  const highest = Math.max(...curves.flat().map(([, value]) => value).filter(Number.isFinite));
  const headroom = Math.max(0.3 * best, 1.6 * (loss - best));
  const ceiling = best > 0 ? Math.min(best + headroom, Math.max(highest, best * 1.02)) : highest || 1;
  return [best - 0.12 * (ceiling - best), ceiling];
}

/** A line through [place, loss] pairs; what lies above the ceiling is cut off. */
function lineThrough(curve, x, y, ceiling) {
  const isBelow = ([, loss]) => loss <= ceiling;
  let line = "", wasDrawn = false;
  curve.forEach(([p, loss], i) => {
    // A place above the ceiling is drawn on it, where the line comes from or goes below.
    const isDrawn = [i - 1, i, i + 1].some((j) => curve[j] && isBelow(curve[j]));
    const height = y(Number.isNaN(loss) ? ceiling : loss);
    if (isDrawn) line += `${wasDrawn ? "L" : "M"}${x(p).toFixed(1)},${height.toFixed(1)}`;
    wasDrawn = isDrawn;
  });
  return line;
}
