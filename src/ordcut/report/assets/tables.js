// Tables that depend on the thresholds. Each is built once; then only its text changes.

const objectiveName = (name) => content.titles[name] ?? name;

/** Fill a table with a head and a body, and return the cells of the body: cells[row][column]. */
function makeTable(table, heads, names, columns) {
  const cells = names.map(() => []);
  const body = names.map((name, i) => {
    const row = html("tr", {}, html("th", { scope: "row" }, ...[name].flat()));
    for (let j = 0; j < columns; j++) row.append((cells[i][j] = html("td")));
    return row;
  });
  table.append(
    html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, ...[head].flat())))),
    html("tbody", {}, ...body)
  );
  return cells;
}

function write(cells, texts) {
  texts.forEach((text, j) => {
    if (cells[j].textContent !== text) cells[j].textContent = text;
  });
}

/** A name after a dot in its colour. */
const dotted = (name, colour, most) => html("span", { title: name }, html("i", { class: "dot", "--c": colour }), shortened(name, most));
const named = (k, most = 28) => dotted(content.classes[k], classColour(k), most);
const namedDecision = (d, most = 28) => dotted(decisions[d], decisionColour(d), most);

/** Each threshold, its near-optimal range, and its interval while it has its initial value. */
function thresholdTable(table) {
  const names = decisions.slice(1).map((_, k) => [namedDecision(k, 20), " | ", namedDecision(k + 1, 20)]);
  const cells = makeTable(table, ["Between", "Threshold", ...(INTERVALS ? [`${LEVEL} interval`] : []), "Near-optimal range", "Rows in range"], names, INTERVALS ? 4 : 3);
  return (state) => {
    state.at.forEach((p, k) => {
      const [low, high] = state.nearOptimal[k];
      write(cells[k], [
        shown(positions[p], 5),
        ...(INTERVALS ? [p === content.start.at[k] ? INTERVALS[k].map((score) => shown(score)).join(" \u2026 ") : "\u2013"] : []),
        rangeOver(state.nearOptimal[k]).map((score) => shown(score)).join(" \u2026 "),
        shownShare((belowAll[high] - belowAll[low]) / weight),
      ]);
    });
  };
}

/** The shade of the darkest cell in each row of the confusion matrix. */
const HEAT = 0.72;

/** The confusion matrix, as weights or as shares of each true class. */
function confusionTable(table, readout, asShares) {
  const isDense = Math.max(K, D) > 12;
  table.classList.toggle("dense", isDense);
  const cells = [];
  const head = html("tr", {}, html("th", { scope: "col" }, html("span", { class: "quiet" }, isOtherwise ? "true \\ decided" : "true \\ predicted")),
    ...decisions.map((_, k) => html("th", { scope: "col" }, namedDecision(k, isDense ? 0 : 12))));
  const body = content.classes.map((_, l) => {
    const row = html("tr", {}, html("th", { scope: "row" }, named(l, 14)));
    cells.push(decisions.map((_, k) => html("td", { "data-pair": `${l},${k}`, ...(decisionOf[l] === k ? { class: "diagonal" } : {}) })));
    row.append(...cells[l]);
    return row;
  });
  table.append(html("thead", {}, head), html("tbody", {}, ...body));
  let last = null;
  const showPair = (target) => {
    const pair = target.closest?.("[data-pair]");
    if (!pair || !last) return;
    const [l, k] = pair.dataset.pair.split(",").map(Number);
    const pairWeight = last.confusion[k][l];
    readout.textContent = `${content.classes[l]} ${isOtherwise ? "decided" : "predicted"} as ${decisions[k]}: ${shownWeight(pairWeight)} (${shownShare(pairWeight / totals[l])} of ${content.classes[l]})`;
  };
  table.addEventListener("pointerover", (event) => showPair(event.target));
  let wereShares = null;
  return (state) => {
    const before = wereShares === asShares() ? last : null;  // unchanged cells are skipped
    last = state;
    wereShares = asShares();
    for (let l = 0; l < K; l++) {
      const row = decisions.map((_, k) => state.confusion[k][l]), most = Math.max(...row);
      if (before && row.every((pairWeight, k) => before.confusion[k][l] === pairWeight)) continue;
      row.forEach((pairWeight, k) => {
        const cell = cells[l][k], share = totals[l] > 0 ? pairWeight / totals[l] : 0;
        // The darkest cell of each row is equally dark: the shades show where its rows go.
        const heat = most > 0 ? HEAT * (pairWeight / most) : 0;
        cell.style.setProperty("--heat", heat.toFixed(3));
        cell.dataset.hot = heat > 0.55 ? "yes" : "no";
        cell.textContent = wereShares ? shownShare(share, 0) : shownWeight(pairWeight);
      });
    }
  };
}

/** Rows, precision, recall and errors of each class. */
function classTable(table) {
  const heads = ["Class", "Rows", "Predicted", "Precision", "Recall", "Mean absolute error", "Mean error"];
  const cells = makeTable(table, heads, content.classes.map((_, k) => named(k)), 6);
  return (state) => {
    state.classes.forEach((figures, k) => {
      const error = shown(figures.error, 3);
      write(cells[k], [
        shownWeight(figures.truth), state.never.includes(figures.name) ? "never" : shownWeight(figures.predicted), shownShare(figures.precision), shownShare(figures.recall),
        shown(figures.absoluteError, 3), figures.error > 0 ? `+${error}` : error,
      ]);
    });
  };
}

/** Rows and shares of each decision that is not a class; precision and recall if a class has its name. */
function decisionTable(table) {
  const heads = ["Decision", "Rows", "Share of all rows", "Precision", "Recall"];
  const cells = makeTable(table, heads, decisions.map((_, d) => namedDecision(d)), 4);
  return (state) => {
    decisions.forEach((name, d) => {
      const rows = sum(state.confusion[d]), figures = state.classes[decisionOf.indexOf(d)];
      write(cells[d], [state.never.includes(name) ? "never" : shownWeight(rows), shownShare(rows / weight), shownShare(figures?.precision), shownShare(figures?.recall)]);
    });
  };
}

/** Marks a value of thresholds that break a constraint. */
const BREAKS = "\u2020";

/** The value of every objective for the current thresholds, the optimum and other labelings. */
function comparisonTable(table, notes, judges, load) {
  const rows = [
    { name: "current", note: "The current thresholds of this page.", at: null },
    { name: "optimal", note: `The optimal thresholds of each objective${LIMITS.length ? ", under the constraints where they can hold" : ""}.`, at: (judge) => judge.optimum?.at },
    ...(isStartOptimal() ? [] : [{ name: "given", note: "The thresholds that this page was created with.", at: () => content.start.at }]),
    ...content.labelings.map(({ name, note, at }) => ({ name, note, at: (judge) => at[judge.name] })),
  ];
  notes.append(...rows.flatMap(({ name, note }) => [html("dt", {}, name), html("dd", {}, note)]));
  if (LIMITS.length) notes.append(html("dt", {}, BREAKS), html("dd", {}, "Breaks a constraint."));
  const names = rows.map((row) => {
    if (!row.at) return html("strong", {}, row.name);
    const button = html("button", { type: "button", class: "link" }, row.name);
    button.addEventListener("click", () => load(row.name));
    return button;
  });
  const heads = ["Labeling", ...judges.map((judge) => [objectiveName(judge.name), html("span", { class: "quiet" }, judge.isMaximised ? " \u2191" : " \u2193")])];
  const cells = makeTable(table, heads, names, judges.length);
  return (state) => {
    const errors = rows.map((row) => judges.map((judge) => {
      const at = row.at ? row.at(judge) : state.at;
      return at ? [judge.value(at), judge.error(at), keepsAll(at)] : [NaN, NaN, false];
    }));
    judges.forEach((judge, j) => {
      const least = Math.min(...errors.map((row) => row[j]).filter(([, , isKept]) => isKept).map(([, error]) => error));
      rows.forEach((_, i) => {
        cells[i][j].classList.toggle("least", errors[i][j][2] && errors[i][j][1] <= least + 1e-12);
        cells[i][j].classList.toggle("chosen", judge === state.judge);
      });
    });
    rows.forEach((_, i) => write(cells[i], errors[i].map(([value, , isKept]) => shown(value) + (isKept || Number.isNaN(value) ? "" : BREAKS))));
  };
}

const sameAt = (first, second) => first.length === second.length && first.every((p, k) => p === second[k]);

function isStartOptimal() {
  const main = content.objectives.find(({ name }) => name === content.start.judgedBy);
  return Boolean(main.optimum) && sameAt(main.optimum.at, content.start.at);
}
