/** Runs a module in a process of its own that answers messages, and ends when this process disconnects from it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';

export class Child {
  #exited;

  /**
   * Starts a module.
   * @param {string} file @param {object} request the module's argument, as JSON
   * @param {import('node:child_process').ForkOptions} [options]
   */
  constructor(file, request, options) {
    this.process = fork(file, [JSON.stringify(request)], options);
    this.#exited = once(this.process, 'exit');
    this.#exited.catch(() => {}); // next() and stop() report it
  }

  /** Waits for the next message. @returns {Promise<any>} @throws {Error} if the process ends before */
  async next() {
    const ended = this.#exited.then(([code, signal]) => {
      throw new Error(`${this.process.spawnargs[1]} ended with ${signal ?? `status ${code}`}`);
    });
    const [message] = await Promise.race([once(this.process, 'message'), ended]);
    return message;
  }

  /** Sends a message, and waits for the answer. @param {string | object} message @returns {Promise<any>} */
  ask(message) {
    this.process.send(message, () => {}); // next() reports that the process has ended
    return this.next();
  }

  /** Ends the process. */
  async stop() {
    if (this.process.connected) this.process.disconnect();
    await this.#exited;
  }
}
