/**
 * The file that the thread pool loads. It is CommonJS because piscina loads it with require(), and Node.js aborts the
 * whole process when a thread is ended while require() loads an ES module ("must be used on an instantiated module").
 * import() may be interrupted at any time.
 */
'use strict';

/** @param {Parameters<typeof import('./thread-entry.js').default>[0]} message */
module.exports = async (message) => {
  const { default: run } = await import('./thread-entry.js');
  return run(message);
};
