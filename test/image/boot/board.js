/**
 * Boots a card for a test, and builds it first if anything changed; and programs with which a board asks its own TV, as
 * the admin does.
 */
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BOARDS } from '../../../image/boards.js';
import { buildCard } from '../../../image/build.js';
import { Machine } from '../../../image/qemu/machine.js';
import { machineKind } from '../../../image/qemu/machines.js';
import { readPartitions } from '../../../image/sd/card.js';
import { run, words } from '../../../image/sd/shell.js';
import { developmentKey } from '../../../image/update/key.js';
import { Client, metricsOf, until } from '../../support/tv.js';
import { buildUnlessOffline, missingForCard, waitForHealth } from '../needs.js';

// Low priority, because measurements may run at the same time.
setPriority(19);

// An emulated board is slow, especially on a busy machine.
process.env.PITV_TEST_TIMEOUT_MS ??= String(15 * 60_000);
export { metricsOf, until };

/** The board of tests that are for several ones, armhf by default. */
export const BOARD = process.env.PITV_BOARD ?? 'armhf';

/** The text of the serial lines, for debugging. */
const output = fileURLToPath(new URL('../../../image/out/log/', import.meta.url));
mkdirSync(output, { recursive: true });

/** Returns the path of a log. @param {string} name of a board or a test */
export const logOf = (name) => join(output, `${name.replace(/\W+/g, '-')}.log`);

/**
 * Builds the card of a board if anything changed.
 * @param {string} board
 * @param {{fleet?: boolean, kiosk?: boolean, updatable?: boolean}} [options] updatable: it has two systems
 * @returns its file and layers, the key of its updates, or the reason to skip its tests
 */
export async function cardFor(board, { updatable, ...options } = {}) {
  const lack = missingForCard();
  if (lack) return { file: '', why: lack };
  const key = updatable ? await developmentKey() : undefined;
  const build = () => buildCard(BOARDS[board], { ...options, keyring: key?.keyring });
  const { made, why } = await buildUnlessOffline(build);
  return { file: made?.file ?? '', why, made, key };
}

/** Pause between two looks at a board, which take time from it. */
const POLL_MS = 2000;
/** WebKit starts in minutes on an emulated board. */
const EVENT_MS = 20 * 60_000;

/**
 * Waits for a condition of a slow board.
 * @param {() => Promise<unknown>} condition @param {string} what for the error
 */
export const eventually = (condition, what) =>
  until(() => delay(POLL_MS).then(condition), what, EVENT_MS);

/** Systemd's messages when the TV has reported that it is ready, or has ended. It is restarted without a limit. */
const TV_STARTED = /(Started|Failed to start).*pitv\.service/;

/**
 * Switches a board on and waits until its TV answers from outside.
 * @param {import('../../../image/qemu/disk.js').Disk} disk
 * @param {import('../../../image/qemu/machine.js').MachineOptions} options
 * @returns {Promise<Tv>}
 */
export async function bootTv(disk, options) {
  const where = `${options.board} on ${machineKind(options.board, options.machine).name}`;
  const machine = await Machine.start(disk, {
    log: logOf(where),
    counting: true,
    ...options,
    // The number of cores limits the matches. With one, as many are allowed as on a Pi 2.
    append: [...(options.append ?? []), 'systemd.setenv=PITV_MAX_MATCHES=4'],
  });
  const tv = new Tv(machine);
  try {
    const [message] = await machine.waitFor(TV_STARTED);
    if (message.startsWith('Failed'))
      throw new Error(await tv.sh('journalctl -u pitv --no-pager -o cat -n 40'));
    if (options.network !== false) {
      await machine.networkPlugged;
      await waitForHealth(tv.url);
    }
    console.log(`# ${where}: the TV was started after ${(machine.ageMs / 1000).toFixed(1)} s`);
    return tv;
  } catch (error) {
    await machine.cut();
    throw error;
  }
}

/**
 * Boots a card, and cuts its power after an action.
 * @template T
 * @param {import('../../../image/qemu/disk.js').Disk} disk
 * @param {Parameters<typeof bootTv>[1]} options
 * @param {(tv: Tv) => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withTv(disk, options, action) {
  const tv = await bootTv(disk, options);
  try {
    return await action(tv);
  } finally {
    await tv.machine.cut();
  }
}

/**
 * Checks the data partition of a card after the board has ended: after replaying the journal there must be
 * nothing to repair. It checks a copy, so that the partition is not changed.
 * @param {import('../../../image/qemu/disk.js').Disk} disk
 */
export async function checkData(disk) {
  const [, , { start, bytes }] = await readPartitions(disk.file);
  const copy = join(disk.folder, 'data.img');
  const MIB = 1024 * 1024;
  const part = words`bs=1M skip=${start / MIB} count=${Math.ceil(bytes / MIB)}`;
  await run('dd', words`if=${disk.file} of=${copy} ${part} conv=sparse status=none`);
  await run('sh', ['-c', 'e2fsck -p -E journal_only "$1" >&2 || [ $? -le 1 ]', 'sh', copy]);
  await run('sh', ['-c', 'e2fsck -fn "$1" >&2', 'sh', copy]);
  await rm(copy);
}

/** The TV of a booted board. */
export class Tv {
  code = '';
  /** @type {string[]} */
  problems = [];

  /** @param {Machine} machine */
  constructor(machine) {
    this.machine = machine;
  }

  get port() {
    return this.machine.port;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param {string} path */
  async json(path) {
    const response = await fetch(this.url + path, { signal: AbortSignal.timeout(60_000) });
    return response.json();
  }

  /** Runs a command, and returns its output. @param {string} command */
  async sh(command) {
    return (await this.machine.run(command)).output;
  }

  /** Connects a screen, which also gets the join code and the TV's problems. */
  async screen() {
    const screen = await Client.screen(this);
    const { code, problems } = await screen.next('lobby');
    this.code = code;
    this.problems = problems;
    return screen;
  }

  /** @param {string} name */
  async pad(name) {
    return Client.pad(this, { name });
  }

  /** Returns failed units and reported problems, or ''. */
  async complaints() {
    const failed = 'systemctl --failed --no-legend --plain --no-pager';
    return (await this.sh(`${failed}; cat /run/pitv/problems/* 2>/dev/null || true`)).trim();
  }
}

/** Sends a request with the token of the admin. */
const ADMIN = `
  const fs = require("fs");
  const token = fs.readFileSync("/data/pitv/admin-token", "utf8").trim();
  const send = async (method, path, body, type = "application/json") => {
    const headers = { authorization: "Bearer " + token, "content-type": type, connection: "close" };
    const answer = await fetch("http://127.0.0.1" + path, { method, body, headers });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  };`;

/**
 * Writes a program for the board that waits until a match of a game runs, and prints it.
 * @param {{starts?: boolean, game?: string}} options starts: starts the match
 */
const runMatch = ({ starts, game = 'collide' }) => `(async () => {
  ${ADMIN}
  ${starts ? `await send("POST", "/api/matches", JSON.stringify({ game: "${game}" }));` : ''}
  for (;;) {
    const { matches } = await (await send("GET", "/api/matches")).json();
    const match = matches.find(({ game }) => game === "${game}");
    if (match?.ticks > 60) return console.log(JSON.stringify(match));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
})()`;

/**
 * Asks a board for its match, and waits until it runs.
 * @param {Tv} tv @param {Parameters<typeof runMatch>[0]} [options]
 * @returns {Promise<{id: number, ticks: number}>}
 */
export const askMatch = async (tv, options = {}) =>
  JSON.parse(await tv.sh(`node -e '${runMatch(options)}'`));

/** Writes a program for the board that uploads a bundle as the admin page does. @param {string} file */
export const upload = (file) => `(async () => {
  ${ADMIN}
  const { size } = fs.statSync("${file}");
  let offset = 0;
  let upload = "";
  for await (const part of fs.createReadStream("${file}", { highWaterMark: 1 << 18 })) {
    const path = "/api/system/update?offset=" + offset + "&size=" + size + "&upload=" + upload;
    ({ upload } = await (await send("PUT", path, part, "application/octet-stream")).json());
    offset += part.length;
  }
})()`;
