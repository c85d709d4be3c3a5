/** Boots a card for a test; builds it first if anything changed. */
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BOARDS } from '../../../image/boards.js';
import { buildCard } from '../../../image/build.js';
import { Machine } from '../../../image/qemu/machine.js';
import { UNHURRIED, machineKind } from '../../../image/qemu/machines.js';
import { readPartitions } from '../../../image/sd/card.js';
import { run } from '../../../image/sd/shell.js';
import { firstSentenceOf } from '../../../app/errors.js';
import { repeatedStart } from '../../support/tally.js';
import { buildOrWhy, cardLacks } from '../needs.js';

// Tests that measure may run at the same time.
setPriority(19);

// An emulated board takes its time, and what else this machine does comes on top.
process.env.PITV_TEST_PATIENCE_MS ??= String(15 * 60_000);
export const { Client, until } = await import('../../support/tv.js');

export const TV_PORT = 80;
export const BOOT_MS = 15 * 60_000;
const NETWORK_MS = 5 * 60_000;
/** How long the TV may take to end what it does: as long as systemd lets it (TimeoutStopSec=). */
const STOP_MS = 60_000;
const ATTEMPTS = 3;
/** The TV plays as many matches as there are cores: on QEMU's `virt` with its one, as many as on a Pi 2. */
const CORES = 4;

/** The text of the serial lines, for debugging. */
const output = fileURLToPath(new URL('../../../image/out/log/', import.meta.url));
mkdirSync(output, { recursive: true });

/** @param {string} name of a board, a test */
export const logOf = (name) => join(output, `${name.replace(/\W+/g, '-')}.log`);

/**
 * The card of a board, built if anything changed.
 * @param {string} board
 * @returns {Promise<{file: string, why?: string}>} why: there is none, and tests of it are skipped
 */
export async function cardFor(board) {
  if (process.env.PITV_CARD) return { file: process.env.PITV_CARD };
  const lack = cardLacks();
  if (lack) return { file: '', why: lack };
  const { made, why } = await buildOrWhy(() => buildCard(BOARDS[board]));
  return { file: made?.file ?? '', why };
}

/** What systemd says when the TV has told it that it answers (Type=notify). */
export const TV_STARTED = /Started.*pitv\.service/;

/** What it says when the TV ended instead; it is tried again for ever. */
const TV_FAILED = /Failed to start.*pitv\.service/;

/**
 * QEMU's card reader of the Pi 2, where QEMU itself gets no core for ten seconds: the kernel gives up
 * reading, and what was not read is missing for good.
 */
const CARD_LOST = /timeout waiting for hardware interrupt|SQUASHFS error: .*/;

/**
 * What there is to say of a machine: `virt` takes its time.
 * @param {string} name
 * @returns {{qemu: string[], append: string[]}}
 */
export const how = (name) =>
  name === 'virt'
    ? { qemu: [...UNHURRIED], append: [`systemd.setenv=PITV_MAX_MATCHES=${CORES}`] }
    : { qemu: [], append: [] };

/**
 * Switches a board on and waits until its TV answers from outside. It tries three times, because QEMU can fail under
 * load; each repeated start is reported at the end of the run. A TV that fails by itself is not tried again.
 * @param {import('../../../image/qemu/disk.js').Disk} disk
 * @param {Omit<import('../../../image/qemu/machine.js').MachineOptions, 'ports'>} options
 * @returns {Promise<Tv>}
 */
export async function bootTv(disk, options) {
  const { name } = machineKind(options.board, options.machine);
  const log = options.log ?? logOf(`${options.board}-${name}`);
  for (let attempt = 1; ; attempt++) {
    const machine = await Machine.start(disk, {
      ...how(name),
      ...options,
      ports: options.network === false ? [] : [TV_PORT],
      log,
    });
    const tv = new Tv(machine);
    try {
      const any = [TV_STARTED, TV_FAILED, CARD_LOST].map(({ source }) => source).join('|');
      const [said] = await machine.waitFor(new RegExp(any), { timeoutMs: BOOT_MS });
      if (CARD_LOST.test(said)) throw new Error(`The board lost its card: ${said}`);
      if (TV_FAILED.test(said)) {
        attempt = ATTEMPTS; // the card's fault, not QEMU's
        throw new Error(await tv.sh('journalctl -u pitv --no-pager -o cat -n 40'));
      }
      tv.startedMs = machine.ageMs;
      if (options.network === false) {
        console.log(
          `# ${options.board} on ${name}: the TV was started after ${seconds(tv.startedMs)}`,
        );
        return tv;
      }
      const plugged = await machine.networkPlugged;
      if (plugged > 1) console.log(`# its network had to be put in ${plugged} times`);
      await tv.answers(NETWORK_MS);
      tv.pageMs = machine.ageMs;
      console.log(
        `# ${options.board} on ${name}: the TV was started after ${seconds(tv.startedMs)}, answered after ${seconds(tv.pageMs)}`,
      );
      return tv;
    } catch (error) {
      await machine.close();
      if (attempt === ATTEMPTS) throw error;
      const why = `${options.board} on ${name}, start ${attempt}: ${firstSentenceOf(error)}`;
      console.log(repeatedStart(why)); // test/run.js counts these and lists them at the end
    }
  }
}

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * The data partition of a card that is switched off: its journal, once replayed, leaves nothing to
 * repair. Looked at in a copy, so that the board finds it as it was left.
 * @param {import('../../../image/qemu/disk.js').Disk} disk
 */
export async function checkData(disk) {
  const [, , { start, bytes }] = await readPartitions(disk.file);
  const copy = join(disk.folder, 'data.img');
  const MIB = 1024 * 1024;
  await run('dd', [
    ...[`if=${disk.file}`, `of=${copy}`, 'bs=1M', 'conv=sparse', 'status=none'],
    ...[`skip=${start / MIB}`, `count=${Math.ceil(bytes / MIB)}`],
  ]);
  await run('sh', ['-c', 'e2fsck -p -E journal_only "$1" >&2 || [ $? -le 1 ]', 'sh', copy]);
  await run('sh', ['-c', 'e2fsck -fn "$1" >&2', 'sh', copy]);
  await rm(copy);
}

/** The TV of a booted board, as a test's client knows a TV. */
export class Tv {
  startedMs = 0;
  pageMs = 0;
  code = '';
  /** @type {string[]} */
  problems = [];

  /** @param {Machine} machine */
  constructor(machine) {
    this.machine = machine;
  }

  get port() {
    return this.machine.port(TV_PORT);
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param {string} path */
  async json(path) {
    const response = await fetch(this.url + path, { signal: AbortSignal.timeout(60_000) });
    return response.json();
  }

  /** Waits until it answers over the net. @param {number} ms @returns {Promise<any>} its health */
  async answers(ms) {
    const deadline = performance.now() + ms;
    for (;;) {
      try {
        return await this.json('/healthz');
      } catch (error) {
        if (performance.now() > deadline)
          throw new Error('The TV does not answer', { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  /** @param {string} command @param {Parameters<Machine['run']>[1]} [options] */
  async sh(command, options) {
    return (await this.machine.run(command, options)).output;
  }

  /** A screen's connection; from it the join code is known as well, and what the page says is wrong. */
  async screen() {
    const screen = await Client.screen(/** @type {any} */ (this));
    const { code, problems } = await screen.next('lobby');
    this.code = code;
    this.problems = problems;
    return screen;
  }

  /** @param {string} name */
  async pad(name) {
    return Client.pad(/** @type {any} */ (this), { name });
  }

  /**
   * Ends the TV as systemd does, by SIGTERM, and starts it with other settings, as pitv-setup would pass
   * them on.
   * @param {Record<string, string>} variables
   * @returns {Promise<any>} its health
   */
  async restart(variables) {
    await this.stop();
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const names = Object.keys(variables).join(' ');
    await this.sh(
      `f=/run/pitv/tv.env; touch $f; for n in ${names}; do sed -i "/^$n=/d" $f; done; printf '%s\\n' ${lines.join(' ')} >>$f; systemctl start pitv`,
      { timeoutMs: BOOT_MS },
    );
    return this.answers(NETWORK_MS);
  }

  /** @throws {Error} when it did not end by itself, in time and with success */
  async stop() {
    await this.sh('systemctl stop pitv', { timeoutMs: STOP_MS });
    const end = await this.sh('systemctl show -p Result -p ExecMainStatus pitv');
    if (!/^Result=success$/m.test(end) || !/^ExecMainStatus=0$/m.test(end)) {
      throw new Error(`SIGTERM did not end the TV cleanly: ${end}`);
    }
  }

  /** Units that failed and problems that the system reported; nothing, if all is well. */
  async complaints() {
    return (
      await this.sh(
        'systemctl --failed --no-legend --plain --no-pager; cat /run/pitv/problems/* 2>/dev/null || true',
      )
    ).trim();
  }
}
