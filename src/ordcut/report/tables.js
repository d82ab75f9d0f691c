// Tables that follow the thresholds. Each is built once and then only its texts change.

const OBJECTIVE_NAMES = {
  absolute: "mean absolute error", squared: "mean squared error", zero_one: "error rate",
  kappa: "Cohen\u2019s kappa", linear_kappa: "linear kappa", quadratic_kappa: "quadratic kappa",
};
const objectiveName = (name) => OBJECTIVE_NAMES[name] ?? name;

/** A table with a head, and cells of a body to write to: cells[row][column]. */
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

/** The name of a class beside a dot of its colour. */
const named = (k, most = 28) =>
  html("span", { title: facts.classes[k] }, html("i", { class: "dot", "--c": classColour(k) }), shortened(facts.classes[k], most));

/** Where each threshold stands, and how far it could move for little loss. */
function thresholdTable(table) {
  const names = facts.classes.slice(1).map((_, k) => [named(k, 20), " | ", named(k + 1, 20)]);
  const cells = makeTable(table, ["Between", "Threshold", "At most 1\u202f% worse in", "Rows there"], names, 3);
  return (state) => {
    state.at.forEach((p, k) => {
      const [low, high] = state.flat[k];
      write(cells[k], [
        shown(places[p], 5),
        rangeOver(state.flat[k]).map((score) => shown(score)).join(" \u2026 "),
        shownShare((belowAll[high] - belowAll[low]) / weight),
      ]);
    });
  };
}

/** What was predicted for each true class, as weights or as shares of the true class. */
function confusionTable(table, readout, asShares) {
  const isDense = K > 12;
  table.classList.toggle("dense", isDense);
  const cells = [];
  const head = html("tr", {}, html("th", { scope: "col" }, html("span", { class: "quiet" }, "true \\ labelled")),
    ...facts.classes.map((_, k) => html("th", { scope: "col" }, named(k, isDense ? 0 : 12))));
  const body = facts.classes.map((_, l) => {
    const row = html("tr", {}, html("th", { scope: "row" }, named(l, 14)));
    cells.push(facts.classes.map((_, k) => html("td", { "data-pair": `${l},${k}`, ...(l === k ? { class: "diagonal" } : {}) })));
    row.append(...cells[l]);
    return row;
  });
  table.append(html("thead", {}, head), html("tbody", {}, ...body));
  let last = null;
  const tell = (target) => {
    const pair = target.closest?.("[data-pair]");
    if (!pair || !last) return;
    const [l, k] = pair.dataset.pair.split(",").map(Number);
    const found = last.confusion[k][l];
    readout.textContent = `${facts.classes[l]} labelled ${facts.classes[k]}: ${shownWeight(found)} (${shownShare(found / totals[l])} of ${facts.classes[l]})`;
  };
  table.addEventListener("pointerover", (event) => tell(event.target));
  let wereShares = null;
  return (state) => {
    const before = wereShares === asShares() ? last : null;  // what has not changed is left alone
    last = state;
    wereShares = asShares();
    for (let l = 0; l < K; l++) {
      for (let k = 0; k < K; k++) {
        const found = state.confusion[k][l], cell = cells[l][k];
        if (before && before.confusion[k][l] === found) continue;
        const share = totals[l] > 0 ? found / totals[l] : 0;
        // Of many classes, each gets a small share: the root keeps small ones visible.
        cell.style.setProperty("--heat", (isDense ? Math.sqrt(share) : share).toFixed(3));
        cell.dataset.hot = share > 0.55 ? "yes" : "no";
        cell.textContent = wereShares ? shownShare(share, 0) : shownWeight(found);
      }
    }
  };
}

/** Rows, precision, recall and errors of each class. */
function classTable(table) {
  const heads = ["Class", "Rows", "Labelled", "Precision", "Recall", "Mean error", "Drift"];
  const cells = makeTable(table, heads, facts.classes.map((_, k) => named(k)), 6);
  return (state) => {
    state.classes.forEach((one, k) => {
      const drift = shown(one.drift, 3);
      write(cells[k], [
        shownWeight(one.truth), shownWeight(one.predicted), shownShare(one.precision), shownShare(one.recall),
        shown(one.distance, 3), one.drift > 0 ? `+${drift}` : drift,
      ]);
    });
  };
}

/** All objectives, side by side, for these thresholds, the optimum of each and other labelings. */
function comparisonTable(table, judges, load) {
  const rows = [
    { name: "now on this page", at: null },
    { name: "optimal", note: "For each objective, its own thresholds: none reach better.", at: (judge) => judge.optimum?.at },
    ...(isStartOptimal() ? [] : [{ name: "given", note: "The thresholds that this page was made with.", at: () => facts.start.at }]),
    ...facts.labelings.map(({ name, note, at }) => ({ name, note, at: (judge) => at[judge.name] })),
  ];
  const names = rows.map((row) => {
    if (!row.at) return html("strong", {}, row.name);
    const button = html("button", { type: "button", class: "link", title: row.note }, row.name);
    button.addEventListener("click", () => load(row.name));
    return button;
  });
  const heads = ["Labeling", ...judges.map((judge) => [objectiveName(judge.name), html("span", { class: "quiet" }, judge.isKappa ? " \u2191" : " \u2193")])];
  const cells = makeTable(table, heads, names, judges.length);
  return (state) => {
    const losses = rows.map((row) => judges.map((judge) => {
      const at = row.at ? row.at(judge) : state.at;
      return at ? [judge.value(at), judge.loss(at)] : [NaN, NaN];
    }));
    judges.forEach((judge, j) => {
      const least = Math.min(...losses.map((row) => row[j][1]).filter((loss) => !Number.isNaN(loss)));
      rows.forEach((_, i) => {
        cells[i][j].classList.toggle("least", losses[i][j][1] <= least + 1e-12);
        cells[i][j].classList.toggle("chosen", judge === state.judge);
      });
    });
    rows.forEach((_, i) => write(cells[i], losses[i].map(([value]) => shown(value))));
  };
}

const sameAt = (one, other) => one.length === other.length && one.every((p, k) => p === other[k]);

function isStartOptimal() {
  const main = facts.objectives.find((one) => one.name === facts.start.of);
  return Boolean(main.optimum) && sameAt(main.optimum.at, facts.start.at);
}
