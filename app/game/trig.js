/**
 * Trigonometry with angles in 1/256 turns, clockwise from +x (y points down). Math.sin() and similar
 * functions may differ in the last bit between JavaScript engines. These tables are computed with
 * + - * / only, whose results IEEE 754 defines, so they are the same on every machine.
 */

const TURN = 256;
const STEP = Math.PI / 128;

/**
 * Computes a Taylor series, exact to the last bit or two for |x| <= pi/4.
 * @param {number} x radians @param {number} last 19 for the cosine, 20 for the sine divided by x
 */
function series(x, last) {
  let sum = 1;
  for (let k = last; k >= 1; k -= 2) sum = 1 - ((x * x) / (k * (k + 1))) * sum;
  return sum;
}
const cosine = (/** @type {number} */ x) => series(x, 19);
const sine = (/** @type {number} */ x) => x * series(x, 20);

const SINES = new Float64Array(TURN);
for (let i = 0; i <= 64; i++) {
  const value = i <= 32 ? sine(i * STEP) : cosine((64 - i) * STEP);
  SINES[i] = value;
  SINES[128 - i] = value;
  SINES[(128 + i) & 255] = -value;
  SINES[(TURN - i) & 255] = -value;
}
SINES[0] = 0;
SINES[128] = 0;

/** Tangents halfway between two steps, for steps 0..31. */
const HALFWAY = new Float64Array(32);
for (let i = 0; i < 32; i++) HALFWAY[i] = sine((i + 0.5) * STEP) / cosine((i + 0.5) * STEP);

/** Returns the sine. @param {number} angle 1/256 turns, any integer @returns {number} -1..1 */
export function sin256(angle) {
  return SINES[angle & 255];
}

/** Returns the cosine. @param {number} angle 1/256 turns, any integer @returns {number} -1..1 */
export function cos256(angle) {
  return SINES[(angle + 64) & 255];
}

/**
 * Returns the direction of a vector, rounded to the nearest 1/256 turn.
 * @param {number} dy @param {number} dx
 * @returns {number} 0..255; 0 for the zero vector and for NaN
 */
export function atan256(dy, dx) {
  const ax = dx < 0 ? -dx : dx;
  const ay = dy < 0 ? -dy : dy;
  if (!(ax + ay > 0)) return 0;
  const ratio = ax > ay ? ay / ax : ax / ay;
  let steps = 0;
  for (let half = 16; half > 0; half >>= 1) {
    if (ratio >= HALFWAY[steps + half - 1]) steps += half;
  }
  if (ratio >= HALFWAY[31]) steps = 32;
  let angle = ax > ay ? steps : 64 - steps;
  if (dx < 0) angle = 128 - angle;
  if (dy < 0) angle = -angle;
  return angle & 255;
}
