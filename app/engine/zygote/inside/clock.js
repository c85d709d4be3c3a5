/**
 * performance.now(), performance.timeOrigin and process.uptime() count from the start of the process,
 * which for a child is the fork. (Times that Node notes by itself, in entries of PerformanceObserver
 * and in Event.timeStamp, still count from the zygote's start.)
 */
import { performance } from 'node:perf_hooks';

/**
 * @returns {() => void} starts the clocks anew; to be called in the child
 */
export function replaceClocks() {
  const proto = Object.getPrototypeOf(performance);
  const { now, mark, measure, toJSON } = proto;
  const origin = performance.timeOrigin;
  const { uptime } = process;
  let beganMs = 0;
  let bornS = 0;

  const replaced = {
    now() {
      return now.call(performance) - beganMs;
    },
    /** @param {string} name @param {PerformanceMarkOptions} [options] */
    mark(name, options) {
      return mark.call(this, name, { startTime: replaced.now(), ...options });
    },
    /** @param {string} name @param {any} [start] @param {string} [end] */
    measure(name, start, end) {
      if (typeof start !== 'object' || start === null) {
        // A bare name means: from the time origin until now.
        if (end !== undefined) return measure.call(this, name, start, end);
        return measure.call(this, name, { start: start ?? 0, end: replaced.now() });
      }
      const open = start.end === undefined && start.duration === undefined;
      return measure.call(this, name, open ? { ...start, end: replaced.now() } : start);
    },
    toJSON() {
      return { ...toJSON.call(this), timeOrigin: origin + beganMs };
    },
  };
  for (const [name, value] of Object.entries(replaced)) {
    const was = Object.getOwnPropertyDescriptor(proto, name);
    Object.defineProperty(proto, name, { ...was, value });
  }
  Object.defineProperty(proto, 'timeOrigin', {
    configurable: true,
    enumerable: true,
    get: () => origin + beganMs,
  });
  process.uptime = () => uptime() - bornS;

  return function restart() {
    beganMs = now.call(performance);
    bornS = uptime();
  };
}
