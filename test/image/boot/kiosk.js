/**
 * Boots a card with a browser and two systems (PITV_BOARD) on QEMU's virt with a screen, and looks at the picture. The
 * emulated board has no GPU, so this shows neither the GPU's drivers nor a frame rate.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Disk } from '../../../image/qemu/disk.js';
import { missingTools } from '../needs.js';
import { BOARD, bootTv, cardFor, eventually, metricsOf } from './board.js';

/** Half of the usual size: without a GPU, the emulated board draws a page of 1280x720 for a minute. */
const SCREEN = { width: 960, height: 540 };
/** The unit is started again until it has ended so many times. */
const MAX_ENDS = 6;
/** The address that QEMU gives the board. */
const ADDRESS = 'http://10.0.2.15';
/** Pause between two tries to start a match. */
const START_MS = 20_000;

/** Where pixels are compared, as parts of the width and the height. */
const SIDES = [0.02, 0.04, 0.96, 0.98];
const MIDDLE = [0.46, 0.48, 0.5, 0.52, 0.54];
const ROWS = [0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65];

/**
 * Tells whether a picture shows the arena of Bumper: bluish in the middle, almost black at both sides. The lobby is
 * violet at its right side, and the console and an empty screen are black everywhere.
 * @param {Buffer} picture as QEMU writes it: PPM with three bytes per pixel
 */
function showsArena(picture) {
  const { width, height } = SCREEN;
  const start = picture.length - 3 * width * height; // behind the head
  const blueAt = (/** @type {number} */ x, /** @type {number} */ y) =>
    picture[start + 3 * (Math.floor(y * height) * width + Math.floor(x * width)) + 2];
  const share = (/** @type {number[]} */ columns, /** @type {(blue: number) => boolean} */ is) => {
    const blues = columns.flatMap((x) => ROWS.map((y) => blueAt(x, y)));
    return blues.filter(is).length / blues.length;
  };
  return share(SIDES, (value) => value < 40) > 0.9 && share(MIDDLE, (value) => value > 50) > 0.7;
}

const pictures = fileURLToPath(new URL('../../output/', import.meta.url));
const { file, why } = await cardFor(BOARD, { kiosk: true, updatable: true });
const skip = missingTools('zbarimg', 'all') ?? why;

describe(`the ${BOARD} card with a browser`, { skip }, () => {
  /** @type {Disk} */
  let disk;
  /** @type {import('./board.js').Tv} */
  let tv;
  let startedAt = -Infinity;

  before(async () => {
    await mkdir(pictures, { recursive: true });
    disk = await Disk.copyOf(file);
    tv = await bootTv(disk, {
      board: BOARD,
      machine: 'virt',
      screen: SCREEN,
      counting: false,
      qemu: ['-smp', '2', '-m', '2048'], // the memory of a Pi 4; rendering without a GPU takes more
    });
  });
  after(async () => {
    await tv?.machine.cut();
    await disk?.remove();
  });

  /** Takes a picture, and keeps it. @param {string} name @returns {Promise<string>} its path */
  async function look(name) {
    const filename = join(pictures, `kiosk-${BOARD}-${name}.ppm`);
    await tv.machine.qmp?.execute('screendump', { filename });
    return filename;
  }

  /** Presses a key. @param {string} data QEMU's name of the key */
  const press = async (data) =>
    tv.machine.qmp?.execute('send-key', { keys: [{ type: 'qcode', data }] });

  /** Reads the QR code on the screen; '' if there is none. @param {string} name of the picture */
  const readCode = async (name) =>
    String(spawnSync('zbarimg', ['--raw', '-q', await look(name)]).stdout).trim();

  /** Returns the id of the compositor's process, 0 if it does not run. */
  const mainPid = async () => Number(await tv.sh('systemctl show -P MainPID pitv-kiosk'));

  /** Starts a match. A key that is pressed while the browser reconnects is lost, so it is pressed again later. */
  async function start() {
    if (performance.now() - startedAt < START_MS) return;
    startedAt = performance.now();
    await press('ret');
  }

  /**
   * Waits until a match is shown, in another picture than before. Starts another one if it has ended meanwhile: this
   * board may draw the first picture when the TV has given up the player.
   * @param {string} name @param {Buffer} [before]
   */
  async function arena(name, before) {
    let picture = Buffer.alloc(0);
    const isShown = async () => {
      if ((await tv.json('/api/matches')).matches.length === 0) await start();
      picture = await readFile(await look(name));
      return showsArena(picture) && !before?.equals(picture);
    };
    await eventually(isShown, 'the match on the screen');
    return picture;
  }

  test('the television shows the lobby with a QR code of the address', async () => {
    const connection = "ss -tnH state established '( dport = :80 )' dst 127.0.0.1";
    await eventually(async () => (await tv.sh(connection)) !== '', 'the browser');
    await eventually(async () => (await readCode('lobby')).startsWith(ADDRESS), 'the lobby');
  });

  test('keys of the keyboard join and start a match, and the television shows it', async () => {
    await press('1'); // a match without a player ends before this board has drawn it
    const hasJoined = async () => (await metricsOf(tv)).get('pitv_players') === 1;
    await eventually(hasJoined, 'the player');
    const isPlayed = async () => {
      const [match] = (await tv.json('/api/matches')).matches;
      if (!match) await start();
      return match?.ticks > 60 && match.players === 1;
    };
    await eventually(isPlayed, 'a match with a player');
    await arena('match-later', await arena('match'));
  });

  test('it accepts updates of cards with a browser', async () => {
    assert.match(await tv.sh('pitv update --status'), /^A\t\S+\trunning\t/m);
    const system = new RegExp(`^compatible=pitv-${BOARD}-kiosk$`, 'm');
    assert.match(await tv.sh('cat /etc/rauc/system.conf'), system);
  });

  test('a browser that crashes is started again, then the text console returns', async () => {
    for (let ends = 1; ends <= MAX_ENDS; ends++) {
      const pid = await mainPid();
      await tv.sh(`kill -KILL ${pid}`);
      await eventually(async () => (await mainPid()) !== pid, 'the end');
      if (ends < MAX_ENDS) await eventually(async () => (await mainPid()) !== 0, 'another start');
    }
    const problem = async () => tv.sh('cat /run/pitv/problems/kiosk || true');
    await eventually(async () => /has ended too often/.test(await problem()), 'the problem');
    // The console has a QR code of the same address.
    await eventually(async () => (await readCode('console')) !== '', 'the console');
  });
});
