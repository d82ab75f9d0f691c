// The labelling rule as text, exactly as ordcut's to_json, to_python, to_sql and to_excel write it.
// Classes and decisions are literals that were written in Python.

/** How far each threshold can move without changing a label, where that is known. */
function rangesAt(at) {
  return at.map((p) =>
    content.ranges[p] ? content.ranges[p].map(fromJson) : [justBelow(positions[p]), positions[p]]
  );
}

/** The range of scores that a threshold between two positions can have. */
const rangeOver = ([low, high]) => [rangesAt([low])[0][0], rangesAt([high])[0][1]];

const jsonNumber = (x) => (Number.isFinite(x) ? pythonFloat(x) : x > 0 ? '"inf"' : '"-inf"');

/** A list as JSON: numbers on one line, others on a line each, indented by more than the list. */
function jsonList(items, indent) {
  if (!items.some((item) => /["[\]{}]/.test(item))) return `[${items.join(", ")}]`;
  return `[\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}]`;
}

/** The fields of a certificate as JSON, nested in that of thresholds. */
function proofText(proof) {
  const written = (name) => (name === "smoothing" ? jsonNumber(proof[name]) : JSON.stringify(proof[name]));
  return `{\n${Object.keys(proof).map((name) => `    "${name}": ${written(name)}`).join(",\n")}\n  }`;
}

const RULES = {
  json: {
    name: "JSON", file: "thresholds.json", type: "application/json",
    note: "Read it with ordcut.Thresholds.from_json(text).",
    text(state) {
      const list = (items) => jsonList(items, "  ");
      const pair = (ends) => jsonList(ends.map(jsonNumber), "    ");
      const fields = [
        ["schema", '"ordcut.thresholds"'],
        ["version", "3"],
        ["objective", JSON.stringify(state.objective)],
        ["value", jsonNumber(state.value)],
        ["method", JSON.stringify(state.method)],
        ["certificate", JSON.stringify(state.certificate)],
        ["proof", proofText(state.proof)],
        ["classes", list(content.classLiterals ?? content.literals.json)],
        ...(isOtherwise ? [["decisions", list(content.literals.json)]] : []),
        ...(content.isReview ? [["review_share", jsonNumber(state.reviewShare)]] : []),
        ["thresholds", list(state.at.map((p) => jsonNumber(positions[p])))],
        ["ranges", list(rangesAt(state.at).map(pair))],
      ];
      return `{\n${fields.map(([name, text]) => `  "${name}": ${text}`).join(",\n")}\n}`;
    },
  },
  python: {
    name: "Python", file: "predict.py", type: "text/x-python",
    note: "A function that needs only Python.",
    text(state) {
      const bounds = state.at.map((p) =>
        Number.isFinite(positions[p]) ? pythonFloat(positions[p]) : `float("${p ? "inf" : "-inf"}")`
      );
      return `from bisect import bisect_right

CLASSES = [${content.literals.python.join(", ")}]
THRESHOLDS = [${bounds.join(", ")}]


def predict(score):
    """Return the class whose position is the number of thresholds <= score."""
    if score != score:
        raise ValueError("score must not be NaN.")
    return CLASSES[bisect_right(THRESHOLDS, score)]
`;
    },
  },
  sql: {
    name: "SQL", file: "thresholds.sql", type: "text/plain",
    note: "An expression over a column of numbers.",
    text(state) {
      const column = '"' + content.score.replaceAll('"', '""') + '"';
      const isNan = `LOWER(CAST(${column} AS VARCHAR(50))) = 'nan'`;
      const branches = [];
      state.at.forEach((p, k) => {
        if (p > 0 && p < LAST && p !== state.at[k - 1]) {
          branches.push(`  WHEN ${column} < ${scientific(positions[p])} THEN ${content.literals.sql[k]}`);
        }
      });
      const top = content.literals.sql[state.at.filter((p) => p < LAST).length];
      return ["CASE", `  WHEN ${column} IS NULL OR ${isNan} THEN NULL`, ...branches, `  ELSE ${top}`, "END"].join("\n");
    },
  },
  excel: {
    name: "Spreadsheet", file: "thresholds-formula.txt", type: "text/plain",
    note: "A formula for a score in cell A2.",
    text(state) {
      const ranges = rangesAt(state.at);
      const bounds = ["-9E+307", "-1E+307"];
      const labels = ['""', content.literals.excel[state.at.filter((p) => p === 0).length]];
      state.at.forEach((p, k) => {
        if (p === 0 || p === LAST) return;
        bounds.push(fifteenDigits(positions[p], ...ranges[k]));
        labels.push(content.literals.excel[k + 1]);
      });
      return `=LOOKUP(A2-(A2="")*9E+307,{${bounds.join(",")}},{${labels.join(",")}})`;
    },
  },
};

/** A threshold in the 15 digits that spreadsheets read, inside its range if one fits. */
function fifteenDigits(threshold, low, high) {
  for (const count of [15, 14, 13]) {
    const text = general(threshold, count);
    if (low < Number(text) && Number(text) <= high) return text;
  }
  return general(high, 15);
}
