/** The module of the example: it builds a dictionary in the zygote, which all children share. */

/** @type {Map<string, number>} */
const squares = new Map();

/** Runs once, in the zygote. @param {{size: number}} args */
export function warm({ size }) {
  for (let n = 0; n < size; n++) squares.set(`square of ${n}`, n * n);
}

/** Runs in the zygote before it forks. V8 compiles frequently called functions here, for all children. */
export function rehearse() {
  for (let n = 0; n < 1000; n++) findSquare(n);
}

const findSquare = (/** @type {number} */ n) => squares.get(`square of ${n}`);

/**
 * Runs in each child, which ends when this function has returned and its event loop is empty.
 * @param {{from: number}} args
 * @param {import('../inside/worker.js').Worker} worker
 */
export default function run({ from }, worker) {
  worker.send({ pid: process.pid, answer: findSquare(from), random: Math.random() });
  worker.on('message', (/** @type {number} */ n) => worker.send({ answer: findSquare(n) }));
  worker.on('disconnect', () => process.exit(0));
}
