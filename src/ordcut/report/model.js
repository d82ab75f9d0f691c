// What the page knows: places on the line and the weight of each class below each of them.
// Every number shown is computed from these, exactly; nothing is estimated here.

const facts = JSON.parse(document.getElementById("facts").textContent);
const K = facts.classes.length;
const places = [-Infinity, ...facts.places, Infinity];
const LAST = places.length - 1;

// below[p * K + l]: the weight of class l below place p. Sums of whole numbers have no rounding.
const below = new Float64Array(places.length * K);
facts.counts.forEach((row, p) => {
  for (let l = 0; l < K; l++) below[(p + 1) * K + l] = below[p * K + l] + row[l];
});
for (let i = 0; i < below.length; i++) below[i] *= facts.unit;

const totals = below.subarray(LAST * K);
const factors = facts.factors ?? new Array(K).fill(1);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const weight = sum(totals);
const belowAll = places.map((_, p) => sum(below.subarray(p * K, (p + 1) * K)));

/** The (predicted, true) table of weights when threshold k stands at place at[k]. */
function confusionAt(at) {
  const edges = [0, ...at, LAST];
  return facts.classes.map((_, k) =>
    facts.classes.map((_, l) => below[edges[k + 1] * K + l] - below[edges[k] * K + l])
  );
}

/**
 * How an objective judges thresholds. With gain[k][p], what the rows below place p pay more as
 * class k than as class k + 1, thresholds pay what all rows pay as the last class, plus the sum of
 * gain[k][at[k]]: one addition a threshold, so that whole curves can follow a finger.
 */
class Judge {
  constructor(objective) {
    Object.assign(this, objective);
    const truth = Array.from(totals, (total, l) => total * factors[l]);
    this.weight = sum(truth);
    // A loss that is higher by less than this is not higher.
    this.rounding = 1e-12 * (this.isKappa ? 1 : Math.max(...this.cost.flat().map(Math.abs)));
    this.paid = additive((k, l) => this.cost[k][l] * factors[l]);
    if (this.isKappa) {
      // What chance pays for predicting class k depends on the shares of the true classes alone.
      const chance = this.cost.map((row) => sum(row.map((cost, l) => cost * truth[l])));
      this.chance = additive((k, l) => chance[k] * factors[l]);
    }
  }

  /** The mean cost, or the kappa. */
  value(at) {
    return this.#judged(this.paid.of(at), this.isKappa ? this.chance.of(at) : 0);
  }

  /** What is to be small: the mean cost, or 1 - kappa. */
  loss(at) {
    const value = this.value(at);
    return this.isKappa ? 1 - value : value;
  }

  /** The loss with threshold k at each place between its neighbours, as [place, loss] pairs. */
  curve(at, k) {
    const paid = this.paid.of(at), chance = this.isKappa ? this.chance.of(at) : 0;
    const [first, last] = room(at, k);
    const found = [];
    for (let p = first; p <= last; p++) {
      const value = this.#judged(
        paid + this.paid.gain(k, p) - this.paid.gain(k, at[k]),
        this.isKappa ? chance + this.chance.gain(k, p) - this.chance.gain(k, at[k]) : 0
      );
      found.push([p, this.isKappa ? 1 - value : value]);
    }
    return found;
  }

  /** The places around threshold k up to which the value gets worse by at most a share of itself. */
  flat(at, k, share) {
    const curve = this.curve(at, k), first = curve[0][0];
    const most = this.loss(at) + share * Math.abs(this.value(at)) + this.rounding;
    let low = at[k], high = at[k];
    while (low > first && curve[low - 1 - first][1] <= most) low--;
    while (high - first < curve.length - 1 && curve[high + 1 - first][1] <= most) high++;
    return [low, high];
  }

  #judged(paid, chance) {
    return this.isKappa ? 1 - (paid * this.weight) / chance : paid / this.weight;
  }
}

/** Sums over rows of a cost of each predicted and true class, as a function of thresholds. */
function additive(cost) {
  const gains = [];
  for (let k = 0; k < K - 1; k++) {
    const gain = new Float64Array(places.length);
    for (let p = 0; p <= LAST; p++) {
      let total = 0;
      for (let l = 0; l < K; l++) total += (cost(k, l) - cost(k + 1, l)) * below[p * K + l];
      gain[p] = total;
    }
    gains.push(gain);
  }
  let asLast = 0;
  for (let l = 0; l < K; l++) asLast += cost(K - 1, l) * totals[l];
  return {
    gain: (k, p) => gains[k][p],
    of: (at) => at.reduce((total, p, k) => total + gains[k][p], asLast),
  };
}

/** The places between which threshold k can move without passing a neighbour. */
function room(at, k) {
  return [k === 0 ? 0 : at[k - 1], k === K - 2 ? LAST : at[k + 1]];
}

/** The number of the place nearest to a score. */
function nearestPlace(score) {
  let low = 1, high = LAST - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < score) low = middle + 1;
    else high = middle;
  }
  return low > 1 && score - places[low - 1] < places[low] - score ? low - 1 : low;
}

/** Precision, recall and errors of each class. */
function perClass(confusion) {
  return facts.classes.map((name, k) => {
    const predicted = sum(confusion[k]), hit = confusion[k][k], truth = totals[k];
    let distance = 0, drift = 0;
    for (let j = 0; j < K; j++) {
      distance += Math.abs(j - k) * confusion[j][k];
      drift += (j - k) * confusion[j][k];
    }
    return {
      name, truth, predicted,
      precision: hit / predicted, recall: hit / truth,
      distance: distance / truth, drift: drift / truth,
    };
  });
}
