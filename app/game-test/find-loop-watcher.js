/**
 * The thread that watches the main thread of find-loop-program.js. If a tick does not return, it pauses the main thread
 * some times, by the inspector's protocol, and reports where. The protocol stays within the process: no port is opened.
 */
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { KIND, encode, writeAllSync } from '../engine/zygote/channel.js';

const POLL_MS = 5;
/** Pauses. A loop that calls functions is inside of them most of the time. */
const SAMPLES = 12;

/** @typedef {import('node:inspector').Debugger.CallFrame} CallFrame */

/**
 * @type {{beats: Int32Array, tickMs: number, folder: string, channel: number}} beats: counts the ticks; tickMs: CPU
 *   time after which a tick counts as one that does not return; folder: URL of the game; channel: descriptor
 */
const { beats, tickMs, folder, channel } = workerData;
const session = new Session();
/** @type {Map<string, string>} */
const urls = new Map();
/** Frames of the game, the outermost first. @type {CallFrame[][]} */
let samples = [];
let sampling = false;
let beat = -1;
let beganMs = 0;

/** CPU time of the process. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function poll() {
  if (sampling) return void session.post('Debugger.pause'); // lost if the main thread has not resumed yet
  const newest = Atomics.load(beats, 0);
  if (newest !== beat) {
    beat = newest;
    beganMs = cpuMs();
  } else if (cpuMs() - beganMs >= tickMs) {
    sampling = true;
    samples = [];
  }
}

/** @param {CallFrame[]} frames */
function onPaused(frames) {
  if (Atomics.load(beats, 0) !== beat) {
    sampling = false; // it was only slow
    session.post('Debugger.resume');
    return;
  }
  samples.push(frames.filter(({ location }) => urlOf(location).startsWith(folder)).reverse());
  if (samples.length === SAMPLES) {
    writeAllSync(channel, encode(KIND.text, JSON.stringify(findCommonLine(samples))));
    return;
  }
  session.post('Debugger.resume');
}

/** @param {{scriptId: string}} location */
const urlOf = ({ scriptId }) => urls.get(scriptId) ?? '';

/** @param {CallFrame | undefined} frame */
const functionOf = (frame) => JSON.stringify(frame?.functionLocation);

/** Finds the innermost function that all samples are in, and their first line in it. @param {CallFrame[][]} all */
function findCommonLine(all) {
  const [first] = all;
  let depth = 0;
  const isCommon = (/** @type {number} */ at) =>
    all.every((frames) => frames[at] && functionOf(frames[at]) === functionOf(first[at]));
  while (isCommon(depth)) depth++;
  if (depth === 0) return {};
  const lines = all.map((frames) => frames[depth - 1].location.lineNumber + 1);
  return { url: urlOf(first[depth - 1].location), line: Math.min(...lines) };
}

session.connectToMainThread();
session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
session.on('Debugger.paused', ({ params }) => onPaused(params.callFrames));
session.post('Debugger.enable', () => parentPort?.postMessage('ready'));
setInterval(poll, POLL_MS);
