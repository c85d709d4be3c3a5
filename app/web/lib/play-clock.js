/**
 * Computes the tick to show now. Frames arrive with jitter, sometimes late or not at all, and the worker
 * may run slower than 60 ticks per second for a while. An alpha-beta filter (a Kalman filter with fixed
 * gains for position and speed) estimates the arrival time and the duration of the ticks. The picture is
 * delayed by about one tick, so that there are always two frames to interpolate between, and by more
 * while the connection has jitter.
 */

export const TICK_MS = 1000 / 60;
const ALPHA = 0.1;
const BETA = 0.004;
const DEVIATION_GAIN = 0.05;
/** Number of mean deviations in the delay: covers about 95 % of the late frames of a typical Wi-Fi. */
const DEVIATIONS = 2.5;
const BASE_DELAY_TICKS = 1.1;
const MAX_DELAY_TICKS = 6;
/** Maximum change of the delay per frame, ticks: too slow to be visible. */
const MAX_DELAY_STEP = 0.02;
/** An arrival this far from the expected time is a pause or a restart, not jitter. */
const RESET_TICKS = 12;

export class PlayClock {
  /** Delay of the picture behind the newest frame, ticks. */
  delayTicks = BASE_DELAY_TICKS;
  /** Estimated duration of a tick, ms. */
  periodMs = TICK_MS;
  #lastTick = NaN;
  /** Smoothed arrival time of the last tick, ms. */
  #lastMs = 0;
  #deviationMs = 0;
  #shown = -Infinity;

  reset() {
    this.#lastTick = NaN;
    this.#shown = -Infinity;
    this.periodMs = TICK_MS;
  }

  /** Records the arrival of a frame. @param {number} tick @param {number} nowMs */
  addArrival(tick, nowMs) {
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
    this.delayTicks += Math.max(
      -MAX_DELAY_STEP,
      Math.min(MAX_DELAY_STEP, wanted - this.delayTicks),
    );
  }

  /**
   * Returns the tick to show, with a fraction. It never decreases except after a reset.
   * @param {number} nowMs
   * @returns {number}
   */
  tickAt(nowMs) {
    const tick = this.#lastTick + (nowMs - this.#lastMs) / this.periodMs - this.delayTicks;
    if (tick > this.#shown) this.#shown = tick;
    return this.#shown;
  }
}
