// The data of the page: candidate positions of thresholds, and the weight of each class below each
// of them. Every number shown is computed from these exactly; nothing is estimated.

const content = JSON.parse(document.getElementById("content").textContent);
const K = content.classes.length;
// What thresholds decide: the classes, or decisions of another kind.
const decisions = content.decisions ?? content.classes;
const D = decisions.length;
const isOtherwise = content.decisions !== null;
// The decision that has the name of each class, -1 if there is none.
const decisionOf = content.classes.map((name, k) => (isOtherwise ? decisions.indexOf(name) : k));
const haveOwn = decisionOf.some((d) => d >= 0);
// A cost that several objectives have is written once, and is the name of its objective elsewhere.
for (const objective of content.objectives) {
  const { rule } = objective;
  if (typeof rule.cost === "string") rule.cost = content.objectives.find(({ name }) => name === rule.cost).rule.cost;
}
const positions = [-Infinity, ...content.positions, Infinity];
const LAST = positions.length - 1;

// below[p * K + l]: the weight of class l below position p. Sums of whole numbers are exact. Counts
// are written in base 32, a row of them separated by commas, with nothing for 0.
const below = new Float64Array(positions.length * K);
content.counts.forEach((row, p) => {
  row.split(",").forEach((text, l) => {
    below[(p + 1) * K + l] = below[p * K + l] + (text ? parseInt(text, 32) : 0);
  });
});
for (let i = 0; i < below.length; i++) below[i] *= content.unit;

const totals = below.subarray(LAST * K);
const factors = content.factors ?? new Array(K).fill(1);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const weight = sum(totals);
const belowAll = positions.map((_, p) => sum(below.subarray(p * K, (p + 1) * K)));

/** The (decision, true) table of weights when threshold k is at position at[k]. */
function confusionAt(at) {
  const edges = [0, ...at, LAST];
  return decisions.map((_, k) =>
    content.classes.map((_, l) => below[edges[k + 1] * K + l] - below[edges[k] * K + l])
  );
}

/**
 * An objective that evaluates thresholds. Let gain[k][p] be how much more the rows below position p
 * cost as decision k than as decision k + 1. Thresholds then cost what all rows cost as the last one,
 * plus the sum of gain[k][at[k]]: one addition per threshold, fast enough to redraw whole curves
 * while a threshold is dragged.
 */
class Judge {
  constructor(objective) {
    Object.assign(this, objective);
    this.cost = this.rule.cost;
    this.truth = Array.from(totals, (total, l) => total * factors[l]);
    this.weight = sum(this.truth);
    this.prepare();
  }

  prepare() {
    // Errors that differ by less than this are equal.
    this.rounding = 1e-12 * Math.max(...this.cost.flat().map(Math.abs));
    this.paid = additive((k, l) => this.cost[k][l] * factors[l]);
  }

  /** What the error is called in a sentence. */
  errorText(name) {
    return `is the ${name}`;
  }

  /** The mean cost. */
  value(at) {
    return this.judged(this.paid.of(at), at);
  }

  /** What is minimised: the mean cost, or 1 minus the kappa or score. */
  error(at) {
    const value = this.value(at);
    return this.isMaximised ? 1 - value : value;
  }

  /** The error with threshold k at each position between its neighbours, as [position, error] pairs. */
  curve(at, k) {
    const paid = this.paid.of(at) - this.paid.gain(k, at[k]);
    const [first, last] = limits(at, k);
    const pairs = [];
    for (let p = first; p <= last; p++) {
      const value = this.judged(paid + this.paid.gain(k, p), at, k, p);
      pairs.push([p, this.isMaximised ? 1 - value : value]);
    }
    return pairs;
  }

  /** The positions around threshold k between which the error is greater by at most a share of itself. */
  nearOptimal(at, k, share) {
    const curve = this.curve(at, k), first = curve[0][0];
    const error = this.error(at), most = error + share * Math.abs(error) + this.rounding;
    let low = at[k], high = at[k];
    while (low > first && curve[low - 1 - first][1] <= most) low--;
    while (high - first < curve.length - 1 && curve[high + 1 - first][1] <= most) high++;
    return [low, high];
  }

  /** The value for a total cost. */
  judged(paid) {
    return paid / this.weight;
  }
}

/** A kappa: what is paid is compared with what the same decisions would pay by chance. */
class KappaJudge extends Judge {
  prepare() {
    super.prepare();
    this.rounding = 1e-12;
    // The cost of class k by chance depends on the shares of the true classes only.
    const chance = this.cost.map((row) => sum(row.map((cost, l) => cost * this.truth[l])));
    this.chance = additive((k, l) => chance[k] * factors[l]);
  }

  errorText() {
    return `of a kappa is 1 \u2212 kappa`;
  }

  /** The kappa for a total cost, with threshold k moved to position p if given. */
  judged(paid, at, k, p) {
    const moved = k === undefined ? 0 : this.chance.gain(k, p) - this.chance.gain(k, at[k]);
    return 1 - (paid * this.weight) / (this.chance.of(at) + moved);
  }
}

/** A score that adds up over decisions, each judged by the rows between its two thresholds. */
class ScoreJudge extends Judge {
  prepare() {
    this.rounding = 1e-12;
    if (!(this.rule.joined in JOINED)) throw new Error(`unknown way to join terms: ${this.rule.joined}`);
  }

  errorText(name) {
    return `is 1 \u2212 ${name}`;
  }

  value(at) {
    const table = confusionAt(at).map((row) => row.map((weight, l) => weight * factors[l]));
    const { right: a, wrong: b, joined, byTotal } = this.rule;
    const terms = table.map((row, k) => {
      const right = row[k], wrong = sum(row) - right;
      return right ? ((1 + a) * right) / (this.truth[k] + a * right + b * wrong) : 0;
    });
    return JOINED[joined](terms, this.truth.map((total) => (byTotal ? total / this.weight : 1 / K)));
  }

  curve(at, k) {
    const [first, last] = limits(at, k), pairs = [];
    for (let p = first; p <= last; p++) pairs.push([p, this.error(at.with(k, p))]);
    return pairs;
  }
}

/** How the terms of a score are joined, given the share of each. */
const JOINED = {
  sum: (terms, shares) => sum(terms.map((term, k) => term * shares[k])),
  product: (terms) => terms.reduce((a, b) => a * b, 1) ** (1 / K),
  smallest: (terms) => Math.min(...terms),
};

/** The class that evaluates thresholds by each kind of rule. */
const JUDGES = { cost: Judge, kappa: KappaJudge, score: ScoreJudge };

/** Return what evaluates thresholds by an objective; an error for a rule that this page does not know. */
function judgeOf(objective) {
  const kind = JUDGES[objective.rule.kind];
  if (!kind) throw new Error(`unknown kind of objective: ${objective.rule.kind}`);
  return new kind(objective);
}

/** Sums over rows of a cost of each decision and true class, as a function of thresholds. */
function additive(cost) {
  const gains = [];
  for (let k = 0; k < D - 1; k++) {
    const gain = new Float64Array(positions.length);
    for (let p = 0; p <= LAST; p++) {
      let total = 0;
      for (let l = 0; l < K; l++) total += (cost(k, l) - cost(k + 1, l)) * below[p * K + l];
      gain[p] = total;
    }
    gains.push(gain);
  }
  let asLast = 0;
  for (let l = 0; l < K; l++) asLast += cost(D - 1, l) * totals[l];
  return {
    gain: (k, p) => gains[k][p],
    of: (at) => at.reduce((total, p, k) => total + gains[k][p], asLast),
  };
}

/** The lowest and the highest position of threshold k: those of its neighbours. */
function limits(at, k) {
  return [k === 0 ? 0 : at[k - 1], k === D - 2 ? LAST : at[k + 1]];
}

/** The index of the position nearest to a score. */
function nearestPosition(score) {
  let low = 1, high = LAST - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle] < score) low = middle + 1;
    else high = middle;
  }
  return low > 1 && score - positions[low - 1] < positions[low] - score ? low - 1 : low;
}

/** The decisions that are never made when threshold k is at position at[k]. */
function neverPredicted(at) {
  const edges = [0, ...at, LAST];
  return decisions.filter((_, k) => edges[k] === edges[k + 1]);
}

// The distance of two classes: of their values, or in steps between classes that are not numbers.
// Decisions of another kind have none.
const distances = isOtherwise ? null : content.objectives.find(({ name }) => name === "absolute").rule.cost;

/** Precision, recall and errors of each class, for classes that can be decided. */
function perClass(confusion) {
  return content.classes.map((name, k) => {
    const own = confusion[decisionOf[k]], truth = totals[k];
    const predicted = own ? sum(own) : NaN, hit = own ? own[k] : NaN;
    let absoluteError = 0, error = 0;
    for (let j = 0; j < K && distances; j++) {
      absoluteError += distances[j][k] * confusion[j][k];
      error += Math.sign(j - k) * distances[j][k] * confusion[j][k];
    }
    return {
      name, truth, predicted,
      precision: hit / predicted, recall: hit / truth,
      absoluteError: absoluteError / truth, error: error / truth,
    };
  });
}
