/** Marks values that are moved between the pool and its workers instead of copied. The symbols are those of piscina. */
import { MessageChannel } from 'node:worker_threads';

export const transferableSymbol = Symbol.for('Piscina.transferable');
export const valueSymbol = Symbol.for('Piscina.valueOf');
export const queueOptionsSymbol = Symbol.for('Piscina.queueOptions');
/** The same in all instances of this library. */
const movable = Symbol.for('pitv.pool.movable');

/** @param {any} value */
const isTransferable = (value) =>
  typeof value === 'object' &&
  value !== null &&
  transferableSymbol in value &&
  valueSymbol in value;

/**
 * Marks a value to be moved: a task, or the result of a handler. The value must not be a part of another one.
 * @template T
 * @param {T} value an ArrayBuffer, a view of one, a MessagePort, or an object with transferableSymbol and valueSymbol
 * @returns {T}
 */
export function move(value) {
  if (typeof value !== 'object' || value === null) return value;
  let /** @type {any} */ marked = value;
  if (!isTransferable(value)) {
    const transfer = ArrayBuffer.isView(value) ? value.buffer : value;
    marked = { [transferableSymbol]: transfer, [valueSymbol]: value };
  }
  Object.defineProperty(marked, movable, { value: true, configurable: true, writable: true });
  return marked;
}

/**
 * Separates a value from the list of what is moved with it.
 * @param {any} value
 * @param {readonly any[]} [transferList]
 * @returns {{value: any, transfers: readonly any[]}}
 */
export function unwrap(value, transferList = []) {
  const isMarked = isTransferable(value) && value[movable] === true;
  if (!isMarked) return { value, transfers: transferList };
  return { value: value[valueSymbol], transfers: transferList.concat(value[transferableSymbol]) };
}

/**
 * Empties what is moved. A closed port checks and empties it as others do, and sends nothing.
 * @type {import('node:worker_threads').MessagePort | undefined}
 */
let closedPort;

/** @param {readonly any[]} transfers @throws {unknown} what postMessage() throws; nothing is changed then */
export function empty(transfers) {
  if (!closedPort) {
    closedPort = new MessageChannel().port1;
    closedPort.close();
  }
  closedPort.postMessage(undefined, /** @type {any} */ (transfers));
}
