/** The kinds of metrics that the TV has: all of prom-client loads OpenTelemetry and more, 75 files that it has no use for. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** @typedef {typeof import('prom-client')} PromClient */
export const Counter = /** @type {PromClient['Counter']} */ (require('prom-client/lib/counter'));
export const Gauge = /** @type {PromClient['Gauge']} */ (require('prom-client/lib/gauge'));
export const Histogram = /** @type {PromClient['Histogram']} */ (
  require('prom-client/lib/histogram')
);
export const Registry = /** @type {PromClient['Registry']} */ (require('prom-client/lib/registry'));
