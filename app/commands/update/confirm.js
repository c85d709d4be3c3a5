/** `pitv update --confirm`: runs on the card at each start. */
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createBestEngine } from '../../engine/index.js';
import { PitvError, messageOf } from '../../errors.js';
import {
  NOT_STARTED,
  REASON,
  listSystems,
  markGood,
  noteReason,
  readChoice,
} from '../../system/rauc.js';
import { canAccess } from '../../storage/saved-files.js';
import { Store } from '../../storage/store.js';
import { reportSystems } from './requested.js';
import { print, printError } from '../common/output.js';

const HEALTH = 'http://127.0.0.1:80/healthz';
const DATA = '/data/rauc';
const IN_MEMORY = '/run/pitv/data-in-memory';
const PROBLEM = '/run/pitv/problems/update';
/** A TV answers within half a minute on a slow board, and within minutes under emulation. */
const ANSWER_MS = 10 * 60_000;
const POLL_MS = 2000;

/** The checks of a new system, with the reason that a failure is shown with. */
const CHECKS = Object.freeze([
  { check: tvAnswers, reason: 'the TV did not answer' },
  // A worker runs for some ticks, as when the TV chooses its engine.
  { check: async () => (await createBestEngine()).engine.close(), reason: 'no match could run' },
  { check: dataWritable, reason: 'its data could not be saved' },
]);

/**
 * Waits until this system works and marks it as good. Reports a new system that did not work.
 * @returns {Promise<number>} the exit status; 1 if this system is new and does not work
 */
export async function confirm() {
  const { running, wanted, isNew } = await readChoice();
  if (running !== wanted) await reportFallback(wanted).catch(complain);
  for (const { check, reason } of isNew ? CHECKS : CHECKS.slice(0, 1)) {
    const problem = await check().then(() => undefined, messageOf);
    if (problem === undefined) continue;
    printError(`pitv: system ${running} is not marked as good: ${problem}\n`);
    if (!isNew) return 0;
    await noteReason(reason).catch(() => {}); // the data partition may be the reason
    return 1;
  }
  try {
    await markGood();
  } catch (error) {
    if (isNew) throw error;
    complain(error);
    return 0;
  }
  await reportSystems().catch(() => {}); // only for the admin page
  if (running === wanted) await rm(REASON, { force: true });
  print(`System ${running} works and is marked as good.\n`);
  return 0;
}

/** @param {unknown} error */
const complain = (error) => printError(`pitv: ${messageOf(error)}\n`);

/** Writes the problem that the TV shows. @param {string} failed the system that should run */
async function reportFallback(failed) {
  const systems = await listSystems();
  const { version = '?', failure } = systems.find(({ name }) => name === failed) ?? {};
  const kept = systems.find(({ running }) => running)?.version ?? '?';
  await writeFile(
    PROBLEM,
    `The update to version ${version} did not work: ${failure ?? NOT_STARTED}. The TV is back at version ${kept}.\n`,
  );
}

/** Waits until the TV answers. */
async function tvAnswers() {
  const deadline = performance.now() + ANSWER_MS;
  for (;;) {
    try {
      const response = await fetch(HEALTH, { signal: AbortSignal.timeout(30_000) });
      if (response.ok) return;
      throw new Error(`status ${response.status}`);
    } catch (cause) {
      if (performance.now() > deadline)
        throw new PitvError('PITV_TV_AWAY', `No TV answers at ${HEALTH}.`, { cause });
      await delay(POLL_MS);
    }
  }
}

/** Writes a file to the data partition. */
async function dataWritable() {
  if (await canAccess(IN_MEMORY))
    throw new PitvError('PITV_UPDATE_FAILED', 'There is no data partition.');
  const problem = await new Store(DATA).open();
  if (problem !== undefined) throw new PitvError('PITV_UPDATE_FAILED', problem);
}
