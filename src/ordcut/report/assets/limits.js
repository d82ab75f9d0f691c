// Constraints: what each reaches with the current thresholds, and whether it holds.

const LIMITS = content.constraints;

/** A sum over the (decision, class) table, given as blocks: a coefficient, and [first, end) of each. */
function weightOf(confusion, blocks) {
  return sum(blocks.map(([coefficient, decisions, classes]) =>
    coefficient * sum(confusion.slice(...decisions).map((row) => sum(row.slice(...classes))))));
}

/** Whether a number has at most the given digits after the point; infinite ones have none. */
function isRound(x, digits) {
  if (!Number.isFinite(x)) return true;
  return digits >= 0 ? Number(x.toFixed(digits)) === x : x % 10 ** -digits === 0;
}

/** Whether thresholds are some distance apart, as in ordcut: 0.1 and 0.3 are 0.2 apart. */
function areApart(lower, upper, gap) {
  const rounding = 2 * Number.EPSILON * Math.max(Math.abs(lower), Math.abs(upper), gap);
  return upper - lower >= gap - rounding;
}

/** What a limit has reached, as text, and whether it holds. */
function outcomeOf(limit, { at, confusion }) {
  const scores = at.map((p) => positions[p]);
  if (limit.part) return ratioOf(limit, confusion);
  if (limit.threshold !== undefined) {
    const score = scores[limit.threshold];
    return { text: shown(score, 5), holds: score >= fromJson(limit.low) && score <= fromJson(limit.high) };
  }
  if (limit.gap !== undefined) {
    const finite = scores.filter(Number.isFinite);
    const pairs = finite.slice(1).map((upper, k) => [finite[k], upper]);
    const least = Math.min(...pairs.map(([lower, upper]) => upper - lower));
    return { text: shown(least, 5), holds: pairs.every((pair) => areApart(...pair, limit.gap)) };
  }
  const isAllowed = limit.values
    ? (score) => limit.values.some((value) => fromJson(value) === score)
    : (score) => isRound(score, limit.digits);
  return { text: scores.map((score) => shown(score, 5)).join(", "), holds: scores.every(isAllowed) };
}

/** A share, or a number of rows; a share of nothing keeps every limit. */
function ratioOf({ part, whole, atLeast, atMost }, confusion) {
  const some = weightOf(confusion, part), all = whole ? weightOf(confusion, whole) : 1;
  const rounding = 1e-12 * Math.max(all, some); // limits such as 0.1 are not exact in binary
  const holds = (atLeast === null || some >= atLeast * all - rounding) && (atMost === null || some <= atMost * all + rounding);
  return { text: whole ? shownShare(some / all, 2) : shownWeight(some), holds };
}

/** Whether thresholds keep all constraints. */
function keepsAll(at) {
  const confusion = LIMITS.length ? confusionAt(at) : null;
  return LIMITS.every((limit) => outcomeOf(limit, { at, confusion }).holds);
}

/** Each limit, what it has reached, and whether it is kept. */
function limitTable(table) {
  const cells = makeTable(table, ["Constraint", "Reached", "State"], LIMITS.map(({ limit }) => limit), 2);
  return ({ limits }) => {
    limits.forEach(({ text, holds }, i) => {
      write(cells[i], [text, holds ? "kept" : "broken"]);
      cells[i][1].classList.toggle("broken", !holds);
    });
  };
}
