// The page itself: its state, and everything that depends on it.

const byId = (id) => document.getElementById(id);
const judges = content.objectives.map(judgeOf);
const optimised = judges.filter((judge) => judge.optimum);

let judge = judges.find(({ name }) => name === content.start.judgedBy);
let at = [...content.start.at];

/** Everything that is shown for the current thresholds. */
function stateNow() {
  const error = judge.error(at), value = judge.value(at), confusion = confusionAt(at);
  const best = judge.optimum ? judge.error(judge.optimum.at) : null;
  const isKept = keepsAll(at) || !judge.optimum?.isConstrained;
  const isOptimal = best !== null && isKept && error <= best + 1e-12 * Math.max(1, best);
  const state = {
    judge, at, error, value, best, isOptimal, confusion,
    classes: perClass(confusion),
    never: neverPredicted(at),
    nearOptimal: at.map((_, k) => judge.nearOptimal(at, k, TOLERANCE)),
    limits: LIMITS.map((limit) => outcomeOf(limit, { at, confusion })),
    reviewShare: sum(confusion.filter((_, d) => d % 2).map(sum)) / weight,
    objective: judge.name,
  };
  state.sentence = `${objectiveName(judge.name)} ${shown(value)}, ${against(state)}`;
  const broken = LIMITS.filter((_, i) => !state.limits[i].holds).map(({ limit }) => limit);
  if (broken.length) state.sentence += `; broken: ${broken.join(", ")}`;
  return Object.assign(state, provenance());
}

/** The method and the certificate of the current thresholds, and an explanation for readers. */
function provenance() {
  const { optimum } = judge, { start } = content;
  if (optimum && sameAt(optimum.at, at)) {
    const { method, certificate, proof, value } = optimum;
    return { method, certificate, proof, value, explanation: `Why these thresholds are optimal${conditions(judge)}: ${certificate}.` };
  }
  if (sameAt(start.at, at) && !isStartOptimal()) {
    if (isTuned() && start.objective === judge.name) {
      const { method, certificate, proof } = start;
      const explanation = `The given thresholds are tuned for new rows: they were found for smoothed labels, in which single rows matter less: ${certificate}.`;
      return { method, certificate, proof, explanation };
    }
    if (start.objective === judge.name) {
      const { method, certificate, proof } = start;
      const explanation = `The given thresholds. Their certificate is for the rows that they were found on: ${certificate}.`;
      return { method, certificate, proof, explanation };
    }
    const explanation = `The given thresholds, which were found for another objective: ${objectiveName(start.objective)}.`;
    return { method: start.method, ...notOptimal(`found for ${start.objective}`), explanation };
  }
  const labeling = content.labelings.find((labeling) => sameAt(labeling.at[judge.name], at));
  if (labeling) return { method: labeling.name, ...notOptimal(labeling.note), explanation: labeling.note };
  return { method: "by hand", ...notOptimal("set by hand in a report"), explanation: "Thresholds set by hand." };
}

/** The certificate of thresholds that are not claimed to be optimal. */
function notOptimal(note) {
  return { certificate: `none: ${note}`, proof: { verified: "given", note } };
}

/** Move a threshold to a position, or as far as its neighbours allow. */
function moveTo(k, position) {
  const [first, last] = limits(at, k);
  at[k] = Math.min(last, Math.max(first, position));
  show();
}

/** Apply the thresholds of a labeling. */
function load(name) {
  const labeling = content.labelings.find((labeling) => labeling.name === name);
  if (labeling) at = [...labeling.at[judge.name]];
  else if (name === "given") at = [...content.start.at];
  else if (judge.optimum) at = [...judge.optimum.at];
  show();
}

const stage = new Stage(byId("stage"), moveTo);
const views = [
  thresholdTable(byId("thresholds")),
  confusionTable(byId("confusion"), byId("confusion-readout"), () => byId("as-shares").checked),
  isOtherwise ? decisionTable(byId("classes")) : classTable(byId("classes")),
  limitTable(byId("limits")),
  ...(PEOPLE ? [zoneView(byId("zone")), ({ at }) => showPeopleNote(sameAt(content.start.at, at))] : []),
  comparisonTable(byId("comparison"), byId("labelings"), judges, load),
  (state) => stage.update(state),
  showStatus,
  showRule,
];
const show = oncePerFrame(showNow);

function showNow() {
  const state = stateNow();
  views.forEach((update) => update(state));
}

/** Whether to go back to the given thresholds: if they keep limits, or are tuned for new rows. */
const isResetToGiven = LIMITS.length > 0 || isTuned();
const resetTarget = () => (isResetToGiven ? content.start : judge.optimum);

let announcement;
function showStatus(state) {
  byId("value").textContent = shown(state.value);
  byId("against").textContent = against(state);
  byId("status").dataset.optimal = state.isOptimal ? "yes" : isTunedNow(state) ? "tuned" : "no";
  const target = resetTarget();
  byId("reset").disabled = !target || sameAt(target.at, at);
  byId("explanation").textContent = state.explanation;
  byId("relative").textContent = relative(state);
  showWords(byId("words"), state);
  byId("never").textContent = `Never ${isOtherwise ? "decided" : "predicted"}: ${state.never.join(", ")}.`;
  byId("never").hidden = state.never.length === 0;
  // Screen readers announce the end of a drag, not every step of it.
  clearTimeout(announcement);
  announcement = setTimeout(() => (byId("live").textContent = state.sentence), 500);
}

let rule = "json";
function showRule(state) {
  byId("rule").textContent = RULES[rule].text(state);
  byId("rule-note").textContent = RULES[rule].note;
}

function chooseRule(name) {
  rule = name;
  for (const tab of byId("rules").children) {
    const isChosen = tab.dataset.rule === name;
    tab.setAttribute("aria-selected", isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    if (isChosen) byId("rule-panel").setAttribute("aria-labelledby", tab.id);
  }
  showRule(stateNow());
}

for (const [name, { name: title }] of Object.entries(RULES)) {
  const tab = html("button", { type: "button", role: "tab", id: `rule-${name}`, "data-rule": name, "aria-controls": "rule-panel" }, title);
  tab.addEventListener("click", () => chooseRule(name));
  byId("rules").append(tab);
}
byId("rules").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const names = Object.keys(RULES);
  chooseRule(names[(names.indexOf(rule) + step + names.length) % names.length]);
  byId(`rule-${rule}`).focus();
});

byId("copy").addEventListener("click", async () => {
  const text = byId("rule").textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // some browsers deny the clipboard to pages from disk, but copy a selection
    getSelection().selectAllChildren(byId("rule"));
    document.execCommand("copy");
  }
  byId("copy").textContent = "Copied";
  setTimeout(() => (byId("copy").textContent = "Copy"), 1500);
});

byId("download").addEventListener("click", () => {
  const { file, type } = RULES[rule];
  const address = URL.createObjectURL(new Blob([byId("rule").textContent], { type }));
  html("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
});

for (const { name } of optimised) {
  byId("objective").append(html("option", { value: name }, objectiveName(name)));
}
byId("objective").value = judge.name;
byId("objective").addEventListener("change", () => {
  // Optimal thresholds are replaced by the new optimum; those set by hand are kept.
  const wasOptimal = judge.optimum && sameAt(judge.optimum.at, at);
  judge = judges.find(({ name }) => name === byId("objective").value);
  if (wasOptimal) at = [...judge.optimum.at];
  byId("headline").replaceChildren(...headline(judge));
  showNow();
});
byId("reset").addEventListener("click", () => load(isResetToGiven ? "given" : "optimal"));
if (isResetToGiven) byId("reset").textContent = "Reset to the given thresholds";
byId("limits-section").hidden = LIMITS.length === 0;
if (PEOPLE) showPeople();
showRare(byId("few"));
byId("as-shares").addEventListener("change", showNow);
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
});

/** Mark what can be scrolled to the side, and where the rest is. */
for (const area of document.querySelectorAll(".scroll")) {
  const note = html("p", { class: "hint more screen" }, "Scroll sideways for more columns \u2192");
  area.before(note);
  const mark = () => {
    const rest = area.scrollWidth - area.clientWidth;
    note.hidden = rest < 2;
    area.dataset.more = [area.scrollLeft > 1 ? "left" : "", area.scrollLeft < rest - 1 ? "right" : ""].join(" ").trim();
  };
  area.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(area);
  new ResizeObserver(mark).observe(area.firstElementChild);
}

const isInSteps = distances?.every((row, j) => row.every((distance, k) => distance === Math.abs(j - k)));
if (isOtherwise) {
  byId("classes-title").textContent = "Results by decision";
  byId("confusion-readout").textContent = "Rows are true classes, columns are decisions.";
  byId("ridge-note").textContent = haveOwn ? ": solid where the decision has the name of the class, pale where it has another." : ".";
  byId("recall-note").textContent = "On the right is the recall, the share of the class that gets the decision of its name.";
}
byId("errors-note").hidden = isOtherwise;
byId("unit").textContent = isInSteps ? "Errors are in steps between classes." : "Errors are differences between the values of the classes.";
if (INTERVALS) {
  const { replicates, value } = content.intervals, name = objectiveName(content.start.objective);
  byId("intervals").hidden = false;
  byId("intervals").textContent = `${LEVEL} intervals belong to the initial thresholds of this page, by a bootstrap of ${replicates} replicates. `
    + `The ${name} of these thresholds on new rows has the interval ${value.map((end) => shown(end)).join(" \u2026 ")}.`;
}
byId("title").textContent = content.title;
byId("headline").replaceChildren(...headline(judge));
byId("about").textContent = `${shownWeight(content.rows)} rows` + (Math.abs(weight - content.rows) > 1e-9 * weight ? ` of total weight ${shownWeight(weight)}` : "") + (content.factors ? ", with class weights" : "") + `; created by ordcut ${content.ordcut}.`;
chooseRule(rule);
stage.layOut();
showNow();
