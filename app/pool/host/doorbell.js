/**
 * Wakes the pool's event loop when a worker has sent something: an event that all workers of a pool share, or, where
 * the addon is missing, a message of a thread.
 */
import { native } from '../../native/native.js';

export class Doorbell {
  #addon = native();
  #watcher;
  /** Descriptor of the event. */
  fd;

  /** @param {() => void} onRing */
  constructor(onRing) {
    this.fd = this.#addon.createEvent();
    this.#addon.ownDescriptor(this.fd);
    try {
      this.#watcher = this.#addon.watchEvent(this.fd, onRing);
    } catch (error) {
      this.#addon.closeDescriptor(this.fd);
      throw error;
    }
  }

  /** Keeps this process alive. */
  ref() {
    this.#addon.refWatcher(this.#watcher);
  }

  unref() {
    this.#addon.unrefWatcher(this.#watcher);
  }

  close() {
    this.#addon.closeWatcher(this.#watcher);
    // Not at once: libuv removes the descriptor from its poll set at the end of this turn.
    setImmediate(() => this.#addon.closeDescriptor(this.fd));
  }
}

/** The same for threads without the addon. Each worker has a port that rings. */
export class PortBell {
  #onRing;
  /** @type {Set<import('node:worker_threads').MessagePort>} */
  #ports = new Set();
  #referenced = false;

  /** @param {() => void} onRing */
  constructor(onRing) {
    this.#onRing = onRing;
  }

  /** @param {import('node:worker_threads').MessagePort} port */
  add(port) {
    this.#ports.add(port);
    port.on('message', this.#onRing);
    port.once('close', () => this.#ports.delete(port));
    if (!this.#referenced) port.unref();
  }

  ref() {
    this.#referenced = true;
    for (const port of this.#ports) port.ref();
  }

  unref() {
    this.#referenced = false;
    for (const port of this.#ports) port.unref();
  }

  close() {
    for (const port of this.#ports) port.close();
  }
}
