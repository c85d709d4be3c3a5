/** What the children run: a dictionary that takes a while to build, and is shared by all of them. */

/** @type {Map<string, number>} */
const squares = new Map();

/** In the zygote, once. @param {{size: number}} args */
export function warm({ size }) {
  for (let n = 0; n < size; n++) squares.set(`square of ${n}`, n * n);
}

/** In the zygote, before it stands still: what is run a few times here is compiled for every child. */
export function rehearse() {
  for (let n = 0; n < 1000; n++) look(n);
}

const look = (/** @type {number} */ n) => squares.get(`square of ${n}`);

/**
 * In each child. It ends when this has returned and nothing is left to do.
 * @param {{from: number}} args
 * @param {import('../inside/worker.js').Worker} worker
 */
export default function run({ from }, worker) {
  worker.send({ pid: process.pid, answer: look(from), random: Math.random() });
  worker.on('message', (/** @type {number} */ n) => worker.send({ answer: look(n) }));
  worker.on('disconnect', () => process.exit(0));
}
