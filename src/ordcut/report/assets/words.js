// What the page says in sentences: the headline, the distance from the optimum, the thresholds in words.

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** Classes with fewer rows than this get a warning. */
const FEW_ROWS = 10;

/** The greatest number of names in a sentence, as in ordcut. */
const MOST_NAMES = 20;

/** Whether weights count rows, so that a share of the weight is a number of rows. */
const isCounted = Math.abs(weight - content.rows) <= 1e-9 * weight;

/** Whether the initial thresholds were found for smoothed labels, for the sake of new rows. */
const isTuned = () => content.start.isSmoothed && !isStartOptimal();

/** Whether the current thresholds are the initial ones, and these are tuned for the current objective. */
const isTunedNow = ({ judge, at }) => isTuned() && judge.name === content.start.objective && sameAt(content.start.at, at);

/** Under which conditions the optimum of an objective is one. */
function conditions(judge) {
  if (!LIMITS.length) return "";
  return judge.optimum?.isConstrained ? " under the constraints" : " without the constraints";
}

/** How much worse a value is than a better one, in words: a share of an error, or points of a kappa. */
function worseBy(judge, value, better) {
  if (judge.isMaximised) return `${shown(better - value, 3)} lower`;
  if (better <= 0) return `${shown(value - better)} higher`;
  const share = value / better - 1;
  return `${shownShare(share, share < 0.001 ? 3 : share < 0.1 ? 2 : 1)} more ${judge.noun}`;
}

/** The distance of a state from the optimum, in words. */
function against(state) {
  const { judge, error, best, isOptimal, value } = state;
  if (best === null) return "optimum not computed";
  if (isOptimal) return `optimal${conditions(judge)}`;
  if (error < best) return "a constraint is broken";
  const distance = worseBy(judge, value, judge.value(judge.optimum.at));
  return isTunedNow(state) ? `tuned for new rows; on these, ${distance}` : `${distance} than the optimum${conditions(judge)}`;
}

/** What the near-optimal ranges are relative to, and what the error is. */
function relative({ judge, error, isOptimal }) {
  const to = isOptimal ? "the optimum" : "the current thresholds, not to the optimum";
  const what = `The ${judge.noun} ${judge.errorText(objectiveName(judge.name))}, here ${shown(error)}.`;
  return `Ranges are relative to ${to}: only one threshold moves, and the ${judge.noun} becomes at most ${100 * TOLERANCE}\u202f% greater${LIMITS.length ? ", regardless of constraints" : ""}. ${what}`;
}

/** How thresholds compare with others by an objective, such as "34 % less error" or "0.03 more". */
function gainOver(judge, at, others) {
  const [value, other] = [at, others].map((thresholds) => judge.value(thresholds));
  if (judge.isMaximised) return `${shown(Math.abs(value - other), 3)} ${value >= other ? "more" : "less"}`;
  if (other <= 0) return `${shown(Math.abs(value - other), 3)} more ${judge.noun}`;
  const share = 1 - value / other, size = Math.abs(share);
  return `${shownShare(size, size < 0.1 ? 1 : 0)} ${share >= 0 ? "less" : "more"} ${judge.noun}`;
}

/** A sentence about what thresholds gain over rounding, and over the best other labeling. */
function gains(judge, at) {
  if (!content.labelings.length) return [];
  const kept = content.labelings.filter((labeling) => keepsAll(labeling.at[judge.name]));
  if (!kept.length) return [" No other labeling on this page keeps the constraints."];
  const best = kept.reduce((a, b) => (judge.error(b.at[judge.name]) < judge.error(a.at[judge.name]) ? b : a));
  const rounding = kept.find(({ name }) => name === "rounding");
  const gain = (labeling) => html("b", {}, gainOver(judge, at, labeling.at[judge.name]));
  const which = `the best other labeling${LIMITS.length ? " that keeps the constraints" : ""}`;
  if (!rounding) return [" That is ", gain(best), ` than ${which}, ${best.name}.`];
  if (rounding === best) return [" That is ", gain(best), ` than rounding, ${which}.`];
  return [" That is ", gain(rounding), ` than rounding, and ${gainOver(judge, at, best.at[judge.name])} than ${which}, ${best.name}.`];
}

/** The first words of the headline: how many thresholds turn which score into what. */
function opening() {
  const count = NUMBERS[D - 1] ?? String(D - 1);
  return [
    count[0].toUpperCase() + count.slice(1), D === 2 ? " threshold turns " : " thresholds turn ",
    html("em", {}, content.score), ` into ${NUMBERS[D] ?? D} ${isOtherwise ? "decisions about" : "classes of"} `, html("em", {}, content.label),
  ];
}

/** Two sentences about the agreement with people, if it is known. */
function agreementHeadline() {
  const measure = PEOPLE?.measures.find(({ people, judge }) => people && judge);
  if (!measure) return null;
  const value = ([number]) => html("b", {}, shown(number, 3));
  const verb = measure.isMaximised ? "agree with" : "differ from";
  return [...opening(), `. They ${verb} a person by a ${objectiveName(measure.name)} of `, value(measure.judge), `; people ${verb} each other by `, value(measure.people), "."];
}

/** One to three sentences about the thresholds and the value that they reach. */
function headline(judge) {
  const agreement = agreementHeadline();
  if (agreement) return agreement;
  const { start, free } = content, best = judge.optimum.at, rows = `these ${shownWeight(content.rows)} rows`;
  const name = objectiveName(judge.name), kind = `${/^[aeiou]/.test(name) ? "an" : "a"} ${name} of `;
  const reached = (at) => html("b", {}, shown(judge.value(at)));
  const parts = opening(), end = judge.isMaximised ? "highest" : "lowest";
  if (isStartOptimal()) {
    parts.push(` with ${kind}`, reached(best), `, the ${end} for ${rows}${conditions(judge)}.`);
    const isMain = judge.name === start.judgedBy && free && judge.error(free.at) < judge.error(best);
    if (isMain) parts.push(" Without the constraints, it would be ", reached(free.at), ".");
    return [...parts, ...gains(judge, best)];
  }
  const distance = worseBy(judge, judge.value(start.at), judge.value(best));
  if (isTuned() && judge.name === start.objective) {
    parts.push(`. They are tuned for new rows, and reach ${kind}`, reached(start.at), ` on ${rows}.`, ...gains(judge, start.at));
    if (judge.error(best) < judge.error(start.at)) parts.push(" The optimum", conditions(judge), ", ", reached(best), ", would follow the noise of these rows.");
    return parts;
  }
  parts.push(`. On ${rows}, the given thresholds reach ${kind}`, reached(start.at));
  if (judge.error(best) < judge.error(start.at)) parts.push(`, ${distance} than the optimum${conditions(judge)}, `, reached(best));
  return [...parts, ".", ...gains(judge, start.at)];
}

/** Names as a list of at most so many, as in ordcut. */
const listed = (names) => (names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(", ")}, ... (${names.length} in all)` : names.join(", "));

/** A number in six digits, as Python writes it. */
const sixDigits = (x) => general(x, 6).toLowerCase();

/** The rule in words, as Thresholds.explain says it. */
function ruleInWords(at) {
  const edges = [-Infinity, ...at.map((p) => positions[p]), Infinity];
  const parts = decisions.flatMap((name, d) => {
    const [low, high] = [edges[d], edges[d + 1]];
    if (low === high) return [];
    if (low === -Infinity) return [high < Infinity ? `below ${sixDigits(high)} is labelled ${name}` : name];
    return [high === Infinity ? `from ${sixDigits(low)} on it is ${name}` : `from ${sixDigits(low)} to below ${sixDigits(high)} it is ${name}`];
  });
  if (parts.length === 1) return `Every score is labelled ${parts[0]}.`;
  const half = MOST_NAMES / 2, gap = `... (${parts.length} labels in all)`;
  const few = parts.length <= MOST_NAMES ? parts : [...parts.slice(0, half), gap, ...parts.slice(-half)];
  return `A score ${few.join("; ")}.`;
}

/** The current thresholds in words, as Thresholds.explain says it of the exported thresholds. */
function sentencesNow(state) {
  const { judge, at, value, never, limits, certificate, proof } = state;
  if (sameAt(content.start.at, at) && judge.name === content.start.judgedBy) return content.words;
  const isProven = proof.verified !== "given", sentences = [ruleInWords(at)];
  if (never.length) {
    const names = never.length <= MOST_NAMES ? never.join(" and ") : listed(never);
    sentences.push(`No score is labelled ${names}${isProven && !LIMITS.length ? ": that would not improve the value on the data" : ""}.`);
  }
  if (!Number.isNaN(value)) {
    const reached = judge.phrase.replace("{}", () => sixDigits(value));
    sentences.push(`On the data that they were ${isProven ? "found" : "judged"} on, these thresholds reach ${reached}.`);
  }
  const outcome = ({ limit }, { text }) => `${limit} (${text} reached)`;
  const told = (isKept) => LIMITS.flatMap((limit, i) => (limits[i].holds === isKept ? [outcome(limit, limits[i])] : []));
  if (told(true).length) sentences.push(`They keep the constraints: ${told(true).join("; ")}.`);
  if (told(false).length) sentences.push(`They break the constraints: ${told(false).join("; ")}.`);
  const others = LIMITS.length && judge.optimum?.isConstrained ? "thresholds that keep them do" : "thresholds do";
  sentences.push(isProven ? `No other ${others} better there: ${certificate}.` : `They are not claimed to be optimal: ${proof.note}.`);
  return sentences;
}

function showWords(list, state) {
  const sentences = sentencesNow(state);
  if (sentences.join("\n") === list.dataset.text) return;
  list.dataset.text = sentences.join("\n");
  list.replaceChildren(...sentences.map((sentence) => html("li", {}, sentence)));
}

/** A warning about classes with few rows. */
function showRare(paragraph) {
  const rare = isCounted ? content.classes.map((name, k) => [name, totals[k]]).filter(([, rows]) => rows < FEW_ROWS) : [];
  paragraph.hidden = rare.length === 0;
  const told = rare.slice(0, 5).map(([name, rows]) => `${shortened(name, 40)} (${shownWeight(rows)} ${rows === 1 ? "row" : "rows"})`);
  const more = rare.length > told.length ? ` and ${rare.length - told.length} more` : "";
  paragraph.textContent = `Few rows in ${rare.length === 1 ? "class" : "classes"} ${told.join(", ")}${more}: thresholds next to such a class can be far from the best for new rows.`;
}
