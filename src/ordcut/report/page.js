// The page itself: one state, and everything that follows it.

const byId = (id) => document.getElementById(id);
const judges = facts.objectives.map((objective) => new Judge(objective));
const optimised = judges.filter((judge) => judge.optimum);

let judge = judges.find((one) => one.name === facts.start.of);
let at = [...facts.start.at];

/** All that is shown of the thresholds as they stand now. */
function stateNow() {
  const loss = judge.loss(at), value = judge.value(at), confusion = confusionAt(at);
  const best = judge.optimum ? judge.loss(judge.optimum.at) : null;
  const isOptimal = best !== null && loss <= best + 1e-12 * Math.max(1, best);
  const state = {
    judge, at, loss, value, best, isOptimal, confusion,
    classes: perClass(confusion),
    flat: at.map((_, k) => judge.flat(at, k, FLAT_SHARE)),
    lossName: judge.isKappa ? `1 ${MINUS} ${objectiveName(judge.name)}` : objectiveName(judge.name),
    objective: judge.name,
  };
  state.sentence = `${objectiveName(judge.name)} ${shown(value)}, ${against(state)}`;
  return Object.assign(state, origin());
}

/** How far a state is from the optimum, in words. */
function against({ loss, best, isOptimal }) {
  if (best === null) return "optimum not computed";
  if (isOptimal) return "the optimum";
  if (best <= 0) return `${shown(loss - best)} above the optimum`;
  const share = loss / best - 1;
  return `${shownShare(share, share < 0.001 ? 3 : share < 0.1 ? 2 : 1)} more loss than the optimum`;
}

/** Where thresholds came from: a result that was found, a labeling, or somebody's hand. */
function origin() {
  if (judge.optimum && sameAt(judge.optimum.at, at)) {
    const { method, certificate, value } = judge.optimum;
    return { method, certificate, value };
  }
  if (facts.start.objective === judge.name && sameAt(facts.start.at, at)) {
    return { method: facts.start.method, certificate: facts.start.certificate };
  }
  const labeling = facts.labelings.find((one) => sameAt(one.at[judge.name], at));
  const name = labeling ? labeling.name : "by hand";
  return { method: name, certificate: `none: ${labeling ? labeling.note : "moved on a report"}` };
}

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** One sentence that says what the thresholds are and what they reach. */
function headline() {
  const best = judge.optimum.at, rows = `these ${shownWeight(facts.rows)} rows`;
  const kind = `${/^[aeio]/.test(objectiveName(judge.name)) ? "an" : "a"} ${objectiveName(judge.name)} of `;
  const reached = (at) => html("b", {}, shown(judge.value(at)));
  const more = (at) => (judge.loss(best) > 0 ? ` (${shownShare(judge.loss(at) / judge.loss(best) - 1)} more loss)` : "");
  const count = WORDS[K - 1] ?? String(K - 1);
  const parts = [
    count[0].toUpperCase() + count.slice(1), K === 2 ? " threshold turns " : " thresholds turn ",
    html("em", {}, facts.score), ` into ${WORDS[K] ?? K} classes of `, html("em", {}, facts.label),
  ];
  if (isStartOptimal()) parts.push(` with ${kind}`, reached(best), `: no thresholds do better on ${rows}.`);
  else {
    parts.push(`. As given, they reach ${kind}`, reached(facts.start.at), `${more(facts.start.at)}; `);
    parts.push("the best that any reach on ", rows, " is ", reached(best), ".");
  }
  const others = facts.labelings.map((one) => [judge.loss(one.at[judge.name]), one]);
  if (others.length) {
    const { name, at } = others.sort((a, b) => a[0] - b[0])[0][1];
    parts.push(` The best other labeling, ${name}, reaches `, reached(at[judge.name]), `${more(at[judge.name])}.`);
  }
  return parts;
}

/** Let a threshold stand at a place, as far as its neighbours leave room. */
function moveTo(k, place) {
  const [first, last] = room(at, k);
  at[k] = Math.min(last, Math.max(first, place));
  show();
}

/** Take the thresholds of a labeling. */
function load(name) {
  const labeling = facts.labelings.find((one) => one.name === name);
  if (labeling) at = [...labeling.at[judge.name]];
  else if (name === "given") at = [...facts.start.at];
  else if (judge.optimum) at = [...judge.optimum.at];
  show();
}

const stage = new Stage(byId("stage"), moveTo);
const followers = [
  thresholdTable(byId("thresholds")),
  confusionTable(byId("confusion"), byId("confusion-readout"), () => byId("as-shares").checked),
  classTable(byId("classes")),
  comparisonTable(byId("comparison"), judges, load),
  (state) => stage.update(state),
  showStatus,
  showRule,
];
const show = oncePerFrame(showNow);

function showNow() {
  const state = stateNow();
  followers.forEach((follow) => follow(state));
}

let telling;
function showStatus(state) {
  byId("value").textContent = shown(state.value);
  byId("against").textContent = against(state);
  byId("status").dataset.optimal = state.isOptimal ? "yes" : "no";
  byId("reset").disabled = !judge.optimum || sameAt(judge.optimum.at, at);
  byId("why").textContent = `Why: ${state.certificate}.`;
  // Screen readers hear where a drag ends, not every step of it.
  clearTimeout(telling);
  telling = setTimeout(() => (byId("live").textContent = state.sentence), 500);
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
  } catch {  // some browsers give pages from disk no clipboard, but let them copy a selection
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

for (const one of optimised) {
  byId("objective").append(html("option", { value: one.name }, objectiveName(one.name)));
}
byId("objective").value = judge.name;
byId("objective").addEventListener("change", () => {
  // Thresholds that were optimal stay optimal; those that somebody moved stay where they are.
  const wasOptimal = judge.optimum && sameAt(judge.optimum.at, at);
  judge = judges.find((one) => one.name === byId("objective").value);
  if (wasOptimal) at = [...judge.optimum.at];
  byId("headline").replaceChildren(...headline());
  showNow();
});
byId("reset").addEventListener("click", () => load("optimal"));
byId("as-shares").addEventListener("change", showNow);
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
});

byId("title").textContent = facts.title;
byId("headline").replaceChildren(...headline());
byId("about").textContent = `${shownWeight(facts.rows)} rows` + (Math.abs(weight - facts.rows) > 1e-9 * weight ? ` of total weight ${shownWeight(weight)}` : "") + (facts.factors ? ", classes weighted" : "") + `; made by ordcut ${facts.ordcut}.`;
chooseRule(rule);
stage.layOut();
showNow();
