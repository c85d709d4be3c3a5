/** The normal distribution. test/bench/stats compares it with SciPy. */

/**
 * Returns the probability that a normal value is at least z standard deviations away from the mean.
 * @param {number} z 0..
 */
export const twoSided = (z) => (z <= 0 ? 1 : erfc(z / Math.SQRT2));

/** Returns the value that a standard normal variable exceeds with a probability. @param {number} tail 0..0.5 */
export function normalQuantile(tail) {
  let [low, high] = [0, 40];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (twoSided(middle) > 2 * tail) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Computes the complementary error function with a relative error below 1.2e-7 (Press et al., "Numerical Recipes",
 * erfcc). 1 - errorFunction() of simple-statistics would lose all digits of small results.
 * @param {number} x 0..
 */
function erfc(x) {
  const t = 1 / (1 + 0.5 * x);
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398,
    1.48851587, -0.82215223, 0.17087277,
  ];
  const polynomial = terms.reduceRight((sum, term) => sum * t + term, 0);
  return t * Math.exp(-x * x + polynomial);
}
