/**
 * Makes performance.now(), performance.timeOrigin and process.uptime() count from the fork in a child. Times that Node
 * records itself (PerformanceObserver entries, Event.timeStamp) still count from the start of the zygote.
 */
import { performance } from 'node:perf_hooks';

/** Replaces the clocks. @returns {() => void} restarts the clocks; call it in the child */
export function replaceClocks() {
  const proto = Object.getPrototypeOf(performance);
  const { now, mark, measure, toJSON } = proto;
  const origin = performance.timeOrigin;
  const { uptime } = process;
  let startMs = 0;
  let startSeconds = 0;

  const replaced = {
    now() {
      return now.call(performance) - startMs;
    },
    /** @param {string} name @param {PerformanceMarkOptions} [options] */
    mark(name, options) {
      return mark.call(this, name, { startTime: replaced.now(), ...options });
    },
    /** @param {string} name @param {any} [start] @param {string} [end] */
    measure(name, start, end) {
      if (typeof start !== 'object' || start === null) {
        // Without a start, the measure begins at the time origin.
        if (end !== undefined) return measure.call(this, name, start, end);
        return measure.call(this, name, { start: start ?? 0, end: replaced.now() });
      }
      const open = start.end === undefined && start.duration === undefined;
      return measure.call(this, name, open ? { ...start, end: replaced.now() } : start);
    },
    toJSON() {
      return { ...toJSON.call(this), timeOrigin: origin + startMs };
    },
  };
  for (const [name, value] of Object.entries(replaced)) {
    const was = Object.getOwnPropertyDescriptor(proto, name);
    Object.defineProperty(proto, name, { ...was, value });
  }
  Object.defineProperty(proto, 'timeOrigin', {
    configurable: true,
    enumerable: true,
    get: () => origin + startMs,
  });
  process.uptime = () => uptime() - startSeconds;

  return function restart() {
    startMs = now.call(performance);
    startSeconds = uptime();
  };
}
