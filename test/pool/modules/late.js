/** Exports promises of its functions, which wait for timers. */
const later = () => new Promise((resolve) => setTimeout(resolve, 20));

export default later().then(() => (/** @type {number} */ n) => n + 200);
export const named = later().then(() => (/** @type {number} */ n) => n + 300);
