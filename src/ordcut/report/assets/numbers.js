// Numbers as they are shown, and as Python writes them.

const MINUS = "\u2212";

/** A number of JSON, in which infinite ones are text. */
const fromJson = (x) => (typeof x === "string" ? Number(x.replace("inf", "Infinity")) : x);

/** A number in a few digits; a dash for NaN. */
function shown(x, digits = 4) {
  if (Number.isNaN(x)) return "\u2013";
  if (!Number.isFinite(x)) return x > 0 ? "\u221e" : MINUS + "\u221e";
  const size = Math.abs(x);
  let text = Number(x.toPrecision(digits)).toString();
  if (size >= 1 && size < 1e6) text = x.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
  else if (size >= 1e-4 && size < 1) text = x.toFixed(digits);
  return text.replace("-", MINUS);
}

/** A weight: whole numbers in groups of three digits. */
function shownWeight(x) {
  if (Math.abs(x - Math.round(x)) > 1e-6 * Math.max(1, x)) return shown(x, 4);
  return Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A share in per cent. */
function shownShare(x, digits = 1) {
  return Number.isFinite(x) ? (100 * x).toFixed(digits).replace("-", MINUS) + "\u202f%" : "\u2013";
}

/** The digits of a number without its point, and the exponent of the first of them. */
function digitsOf(x, count) {
  const [mantissa, exponent] = Math.abs(x).toExponential(count).split("e");
  return [mantissa.replace(".", ""), Number(exponent)];
}

function exponentText(exponent) {
  return "e" + (exponent < 0 ? "-" : "+") + String(Math.abs(exponent)).padStart(2, "0");
}

function pointText(digits, exponent) {
  if (exponent < 0) return "0." + "0".repeat(-exponent - 1) + digits;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const rest = digits.slice(exponent + 1);
  return rest ? whole + "." + rest : whole;
}

/** A float as Python's repr() writes it. */
function pythonFloat(x) {
  const sign = x < 0 ? "-" : "";
  const [digits, exponent] = digitsOf(x);
  if (exponent < -4 || exponent >= 16) {
    return sign + digits[0] + (digits.length > 1 ? "." + digits.slice(1) : "") + exponentText(exponent);
  }
  const text = pointText(digits, exponent);
  return sign + (text.includes(".") ? text : text + ".0");
}

/** A float with an exponent, as Thresholds.to_sql writes it. */
function scientific(x) {
  const plain = pythonFloat(x);
  if (plain.includes("e")) return plain;
  const [digits, exponent] = digitsOf(x);
  return (x < 0 ? "-" : "") + digits[0] + "." + (digits.slice(1) || "0") + exponentText(exponent);
}

/** A float as Python's format(x, ".15g") writes it, in capitals. */
function general(x, count) {
  const sign = x < 0 ? "-" : "";
  let [padded, exponent] = digitsOf(x, count - 1);
  // Halfway between two numbers of so many digits, JavaScript rounds up and Python to even.
  const [exact, power] = digitsOf(x, 60);
  if (/^50*$/.test(exact.slice(count)) && Number(exact[count - 1]) % 2 === 0) {
    [padded, exponent] = [exact.slice(0, count), power];
  }
  const digits = padded.replace(/0+$/, "") || "0";
  if (exponent < -4 || exponent >= count) {
    const rest = digits.length > 1 ? "." + digits.slice(1) : "";
    return (sign + digits[0] + rest + exponentText(exponent)).toUpperCase();
  }
  return sign + pointText(digits, exponent);
}

/** The next float below a number; an infinite one is returned unchanged. */
function justBelow(x) {
  const view = new DataView(new ArrayBuffer(8));
  if (!Number.isFinite(x)) return x;
  if (x === 0) return -Number.MIN_VALUE;
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + (x > 0 ? -1n : 1n));
  return view.getFloat64(0);
}
