/**
 * Which tick to show now. Frames arrive with jitter and now and then late or not at all; the worker
 * may run slower than 60 ticks a second for a while. An alpha-beta filter (a fixed-gain Kalman
 * filter for position and speed) follows when tick k arrives and how long a tick takes; pictures
 * are played a little behind that: one tick, so that there are always two frames to draw between,
 * and more only as long as the line jitters.
 */

export const TICK_MS = 1000 / 60;
const ALPHA = 0.1;
const BETA = 0.004;
const DEVIATION_GAIN = 0.05;
/** Delay = base + so many mean deviations: covers ~95 % of late frames of a usual Wi-Fi. */
const DEVIATIONS = 2.5;
const BASE_DELAY_TICKS = 1.1;
const MAX_DELAY_TICKS = 6;
/** How fast the delay may change: too slow to be seen. */
const DELAY_SLEW = 0.02;
/** An arrival this far from the expected one is a pause or a restart, not jitter. */
const RESET_TICKS = 12;

export class PlayClock {
  /** ticks between the newest frame and the picture */
  delayTicks = BASE_DELAY_TICKS;
  /** length of a tick as it is measured, ms */
  periodMs = TICK_MS;
  #lastTick = NaN;
  /** when the last tick came, smoothed, ms */
  #lastMs = 0;
  #deviationMs = 0;
  #shown = -Infinity;

  reset() {
    this.#lastTick = NaN;
    this.#shown = -Infinity;
    this.periodMs = TICK_MS;
  }

  /** @param {number} tick of a frame that has come @param {number} nowMs */
  arrived(tick, nowMs) {
    const ticks = tick - this.#lastTick;
    const expectedMs = this.#lastMs + ticks * this.periodMs;
    const error = nowMs - expectedMs;
    if (!(ticks > 0) || Math.abs(error) > RESET_TICKS * TICK_MS) {
      this.reset();
      this.#lastTick = tick;
      this.#lastMs = nowMs;
      return;
    }
    this.#lastTick = tick;
    this.#lastMs = expectedMs + ALPHA * error;
    const period = this.periodMs + (BETA * error) / ticks;
    this.periodMs = Math.max(TICK_MS * 0.75, Math.min(TICK_MS * 6, period));
    this.#deviationMs += DEVIATION_GAIN * (Math.abs(error) - this.#deviationMs);
    const wanted = Math.min(
      MAX_DELAY_TICKS,
      BASE_DELAY_TICKS + (DEVIATIONS * this.#deviationMs) / this.periodMs,
    );
    this.delayTicks += Math.max(-DELAY_SLEW, Math.min(DELAY_SLEW, wanted - this.delayTicks));
  }

  /**
   * @param {number} nowMs
   * @returns {number} the tick to show, with a fraction; it never runs backwards but after a reset
   */
  tickAt(nowMs) {
    const tick = this.#lastTick + (nowMs - this.#lastMs) / this.periodMs - this.delayTicks;
    if (tick > this.#shown) this.#shown = tick;
    return this.#shown;
  }
}
