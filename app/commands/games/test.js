import { join } from 'node:path';
import { SWITCH, TEXT } from '../../config/flags.js';
import { parseSettings } from '../../config/parse.js';
import { choice, parseValue, whole } from '../../config/values.js';
import { PitvError, messageOf } from '../../errors.js';
import { BOARDS } from '../../game-test/boards.js';
import { findImportLoop } from '../../game-test/find-loop.js';
import { testGame } from '../../game-test/test-game.js';
import { checkPackage } from '../../packages/foreign-games.js';
import { indentLines } from '../../errors/visible-text.js';
import { alignColumns, print } from '../common/output.js';
import { withPackage } from './common/packages.js';

/** Seeds of the runs, unless one is given. */
const SEEDS = [1, 2, 3];
const TICKS = 7200;
const BOARD = 'pi1';

export const help = `Usage: pitv games test <folder> [options]

Plays a game without a TV, with random players who join and leave, and prints a verdict on each line. The game
must run without an error, write valid frames, repeat a run exactly, continue from a checkpoint, and give the same result
on all engines. It must avoid functions that differ between machines, be fast enough for a board, and not leak memory.
It runs locked, like any game of others. What it writes by console.log() is printed, too. Exit status 1 means that a verdict is "fail".

  --ticks N       length of a run, 60..100000 ticks; default ${TICKS}, which is two minutes
  --seed N        play only the run of this seed, 0..999999999; default ${SEEDS.slice(0, -1).join(', ')} and ${SEEDS.at(-1)}
  --board NAME    slowest board that the game is for: ${Object.keys(BOARDS).join(' | ')}; default ${BOARD}
  --json          print a JSON object instead
  --untrusted-games locked | open
                  open: also run it where it cannot be locked; default as for pitv serve
`;
export const options = {
  ticks: TEXT,
  seed: TEXT,
  board: TEXT,
  'untrusted-games': TEXT,
  json: SWITCH,
};
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [folder]) {
  /** @param {string} flag @param {import('../../config/values.js').Kind<any>} kind */
  const read = (flag, kind) =>
    values[flag] === undefined ? undefined : parseValue(`--${flag}`, kind, values[flag]);
  const ticks = read('ticks', whole(60, 100_000)) ?? TICKS;
  const seed = read('seed', whole(0, 999_999_999));
  const seeds = seed === undefined ? SEEDS : [seed];
  const board = read('board', choice(...Object.keys(BOARDS))) ?? BOARD;
  const untrusted =
    read('untrusted-games', choice('locked', 'open')) ?? parseSettings([]).untrustedGames;
  const check = (/** @type {import('../../packages/packages.js').Staged} */ staged) =>
    checkPackage(staged, untrusted).catch((error) => addLine(error, staged, untrusted === 'open'));
  return withPackage(folder, check, async (file, { version }) => {
    const report = await testGame({ file, seeds, ticks, board, untrusted });
    print(
      values.json
        ? `${JSON.stringify({ ...report, version }, undefined, 2)}\n`
        : textOf(report, version, folder),
    );
    return report.passed ? 0 : 1;
  });
}

/**
 * Adds the line to an error of a module that does not return when it is imported.
 * @param {unknown} cause @param {import('../../packages/packages.js').Staged} staged
 * @param {boolean} bestEffort see Lock
 * @returns {Promise<never>}
 */
async function addLine(cause, { path: folder, manifest: { id, game } }, bestEffort) {
  const file = { path: join(folder, game), id, folder };
  const place = await findImportLoop(messageOf(cause), file, bestEffort);
  if (!place) throw cause;
  throw new PitvError('PITV_GAME_INVALID', `${messageOf(cause)} (${place})`, { cause });
}

/** @param {import('../../game-test/test-game.js').Report} report @param {string} version @param {string} folder */
function textOf({ id, seeds, ticks, verdicts, output }, version, folder) {
  const failed = verdicts.find(({ verdict, seed }) => verdict === 'fail' && seed !== undefined);
  const runs = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds.join(', ')}`;
  return [
    `${id} ${version}, ${ticks} ticks of ${runs}:`,
    ...output.map((line) => `| ${line}`),
    alignColumns(
      verdicts.map(({ name, verdict, sentence }) => [verdict, name, indentLines(sentence)]),
    ).trimEnd(),
    ...(failed && seeds.length > 1
      ? [`To repeat a run: pitv games test ${folder} --seed ${failed.seed}`]
      : []),
    '',
  ].join('\n');
}
