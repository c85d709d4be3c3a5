/**
 * A service manager for tests: the socket of sd_notify(3), and a watchdog that is as strict as systemd's. It is
 * written in Python, because Node.js has no datagram sockets of AF_UNIX.
 */
import { spawn, spawnSync } from 'node:child_process';
import { poll } from './polling.js';

const PROGRAM = `
import re, select, socket, sys, time
path, limit = sys.argv[1], int(sys.argv[2]) / 1e6
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(path)
print("bound")
deadline = None
while True:
    wait = None if deadline is None else max(0, deadline - time.monotonic())
    if not select.select([s], [], [], wait)[0]:
        print("STARVED")
        deadline = None
        continue
    text = s.recv(4096).decode()
    now = time.monotonic()
    changed = re.search(r"WATCHDOG_USEC=(\\d+)", text)
    if changed: limit = int(changed[1]) / 1e6
    if "WATCHDOG=1" in text: deadline = now + limit
    print(round(now * 1000), text.replace("\\n", " "))
`;

/** Says why no service manager can run here. @returns {string | undefined} undefined where it can */
export const lacksManager = () =>
  spawnSync('python3', ['-c', 'import socket']).status === 0 ? undefined : 'python3 is missing';

/** Records notifications, and whether the watchdog expired. */
export class ServiceManager {
  heard = '';
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #service;
  /** @type {Error | undefined} */
  #ended;

  /** @param {import('node:test').TestContext} t @param {string} path of the socket @param {number} watchdogUsec */
  constructor(t, path, watchdogUsec) {
    const child = spawn('python3', ['-uc', PROGRAM, path, String(watchdogUsec)]);
    t.after(() => child.kill('SIGKILL'));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      this.heard += text;
      if (this.heard.includes('STARVED')) this.#service?.kill('SIGKILL');
    });
    this.env = { ...process.env, NOTIFY_SOCKET: path, WATCHDOG_USEC: String(watchdogUsec) };
  }

  /**
   * Ends the service when its watchdog starves, as systemd does. When it has ended, nothing is waited for.
   * @param {import('node:child_process').ChildProcess} service
   */
  watch(service) {
    this.#service = service;
    service.once('exit', (code, signal) => {
      const how = code ?? signal;
      this.#ended = new Error(`The service ended with ${how}; the manager heard: ${this.heard}`);
    });
  }

  /** Waits for a text. @param {string | RegExp} text @returns {Promise<string>} everything that was heard so far */
  async hears(text) {
    const find = () =>
      typeof text === 'string' ? this.heard.includes(text) : text.test(this.heard);
    await poll(() => find() || this.#ended, Infinity);
    if (!find()) throw this.#ended;
    return this.heard;
  }
}
