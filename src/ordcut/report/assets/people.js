// Several raters: how well they agree, what differs from all of them, and what people should review.

const PEOPLE = content.people;

/** A value with the interval around it, as text and as a line on the scale of the table. */
function withInterval([value, low, high], scale) {
  const text = [html("b", {}, shown(value, 3)), " ", html("span", {}, `[${shown(low, 3)}, ${shown(high, 3)}]`)];
  if (!scale) return text;
  const share = (x) => `${(100 * (Math.min(Math.max(x, scale[0]), scale[1]) - scale[0])) / (scale[1] - scale[0])}%`;
  return [...text, html("span", { class: "whisker", "aria-hidden": "true", "--at": share(value), "--low": share(low), "--high": share(high) })];
}

/** The agreement of people, of the thresholds, and of a judge without noise, by each measure. */
function fillPeople(table) {
  const { measures } = PEOPLE;
  const rows = [
    ["People with each other", ({ people }) => people],
    ["These thresholds with people", ({ judge }) => judge],
    ["A judge without noise would reach about", ({ attainable }) => attainable],
    ["These thresholds minus people", ({ difference }) => difference, true],
  ].filter(([, values]) => measures.some((measure) => values(measure)));
  const heads = ["95\u202f% intervals over items", ...measures.map(({ name, isMaximised }) => [objectiveName(name), html("span", { class: "quiet" }, isMaximised ? " \u2191" : " \u2193")])];
  const cells = makeTable(table, heads, rows.map(([name]) => name), measures.length);
  rows.forEach(([, values, isDifference], i) => measures.forEach((measure, j) => {
    const lowest = Math.min(0, ...[measure.people, measure.judge].filter(Boolean).map(([, low]) => low));
    const scale = measure.isMaximised && !isDifference ? [lowest, 1] : null;
    cells[i][j].append(...(values(measure) ? withInterval(values(measure), scale) : ["\u2013"]));
  }));
}

/** One or two sentences about the agreement. */
function peopleInWords() {
  const { raters, items, measures: [first] } = PEOPLE;
  const whom = `${raters ? `${raters} raters` : "People"} rated ${shownWeight(items)} items${content.isReview ? " that are not handed over for review" : ""}.`;
  if (!first?.difference) return whom;
  const [, low, high] = first.difference, sign = first.isMaximised ? 1 : -1;
  const better = sign * (sign > 0 ? low : high) > 0, worse = sign * (sign > 0 ? high : low) < 0;
  const how = better ? "better than people do" : worse ? "worse than people do" : "about as well as people do";
  return `${whom} By ${objectiveName(first.name)}, these thresholds agree with a person ${how} with each other.`;
}

/** The items whose label differs most from the nearest of their ratings. */
function fillDiffering(table) {
  const { differ, isNamed } = PEOPLE;
  const heads = [isNamed ? "Item" : "Row (from 0)", content.score, "Label", "Ratings"];
  const names = differ.map(({ item }) => html("span", { title: item }, shortened(item, 40)));
  const cells = makeTable(table, heads, names, 3);
  differ.forEach(({ score, label, ratings }, i) => {
    const total = sum(ratings.map(([, count]) => count));
    const given = ratings.flatMap(([name, count]) => (total > 6 ? [`${count} \u00d7 ${name}`] : new Array(count).fill(name)));
    write(cells[i], [String(Number(score.toPrecision(6))).replace("-", MINUS), label, given.join(", ")]);
  });
}

/** Neighbouring or overlapping runs of positions as one. */
function merged(runs) {
  const whole = [];
  for (const [low, high] of runs.filter(([low, high]) => high > low).sort((a, b) => a[0] - b[0])) {
    const last = whole.at(-1);
    if (last && low <= last[1]) last[1] = Math.max(last[1], high);
    else whole.push([low, high]);
  }
  return whole;
}

/** Which scores people should look at: those between decisions, or those around the thresholds. */
function zoneView(paragraph) {
  return ({ at, nearOptimal }) => {
    const edges = [0, ...at, LAST];
    const runs = merged(content.isReview ? decisions.map((_, d) => [edges[d], edges[d + 1]]).filter((_, d) => d % 2) : nearOptimal);
    const share = sum(runs.map(([low, high]) => belowAll[high] - belowAll[low])) / weight;
    const items = isCounted ? `${shownWeight(Math.round(share * content.rows))} of ${shownWeight(content.rows)} items (${shownShare(share)})` : `${shownShare(share)} of the items`;
    const ranges = runs.map((run) => (content.isReview ? run.map((p) => positions[p]) : rangeOver(run)).map((score) => shown(score)).join(" \u2026 "));
    const why = content.isReview
      ? "are handed over for review"
      : "are so close to a threshold that moving it over them changes the error by at most 1\u202f%: their labels are the least certain";
    paragraph.textContent = runs.length ? `Scores in ${ranges.join(", ")}: ${items} ${why}.` : "No item is in it.";
  };
}

function showPeople() {
  byId("people-section").hidden = byId("zone-section").hidden = false;
  byId("people-summary").textContent = peopleInWords();
  fillPeople(byId("people"));
  fillDiffering(byId("differ"));
  byId("differ-part").hidden = PEOPLE.differ.length === 0;
}

/** What the agreement is about, while the thresholds are those that the page opened with or others. */
function showPeopleNote(isStart) {
  byId("people-note").textContent = "Each item counts once. Intervals hold for these raters: others may agree less. A judge can agree with people better than people agree with each other."
    + (isStart ? "" : " Agreement and items belong to the initial thresholds of this page.");
}
