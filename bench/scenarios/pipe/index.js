/**
 * Measures transports from one child process to another: raw video from ffmpeg to ffmpeg, as in “libuv contributions
 * for Node.js IPC performance” (verycosy, 2025), and zeros without a codec.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectChildren, relay, startChild } from '../../../app/pipe/index.js';
import { cpuMsOfAll } from '../../machine/proc.js';

const KIB = 1024;
const MB = 1e6;
/** Size of reads and writes of the programs, and of Python's reads between them, as in the article. */
const CHUNK_BYTES = 64 * KIB;
const RAW_BYTES = 2 ** 30;
const RAW_QUICK_BYTES = 2 ** 28;
/** The article's video, shorter: full HD at 30 pictures a second. */
const VIDEO = { width: 1920, height: 1080, fps: 30, seconds: 5, quickSeconds: 2 };
const RGB_BYTES = 3;
const PYTHON = fileURLToPath(new URL('join.py', import.meta.url));

/**
 * @typedef {string[]} Program a command and its arguments
 * @typedef {(source: Program, target: Program, readBytes: number) => Promise<void>} Transport readBytes: size of a read
 *   between the programs, if the transport can choose it
 */

/** @param {import('node:child_process').ChildProcess} child */
async function ended(child) {
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code ?? signal}`);
}

/** @param {string} word */
const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Transports that pass the output of one program to the input of another. Each resolves when both have ended with
 * status 0.
 * @type {Record<string, Transport>}
 */
const TRANSPORTS = {
  async shell(source, target) {
    const [left, right] = [source, target].map((program) => program.map(quoted).join(' '));
    await ended(spawn('sh', ['-c', `${left} | ${right}`], { stdio: 'ignore' }));
  },

  async python(source, target, readBytes) {
    const programs = JSON.stringify([source, target]);
    const args = [PYTHON, String(readBytes), programs];
    await ended(spawn('python3', args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  },

  async 'node-default'([source, ...sourceArgs], [target, ...targetArgs]) {
    const from = spawn(source, sourceArgs, { stdio: ['ignore', 'pipe', 'ignore'] });
    const to = spawn(target, targetArgs, { stdio: ['pipe', 'ignore', 'ignore'] });
    from.stdout.pipe(to.stdin);
    await Promise.all([ended(from), ended(to)]);
  },

  async pitv([source, ...sourceArgs], [target, ...targetArgs]) {
    const from = await startChild(source, sourceArgs, { stdout: 'pipe' });
    const to = await startChild(target, targetArgs, { stdin: 'pipe' });
    let last = 0;
    await relay(from.stdout, to.stdin, (bytes) => {
      last = bytes[bytes.length - 1];
    });
    await Promise.all([from.done(), to.done()]);
    if (!Number.isInteger(last)) throw new Error('no bytes were relayed');
  },

  async 'pitv-direct'([source, ...sourceArgs], [target, ...targetArgs]) {
    const children = await connectChildren(
      { command: source, args: sourceArgs },
      { command: target, args: targetArgs },
    );
    await Promise.all(children.map((child) => child.done()));
  },
};

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'pipe',
  title: 'Throughput from one child process to another; n = bytes per read and write',
  reference: 'node-default',
  metrics: [
    { name: 'throughput', unit: 'MB/s', better: 'higher' },
    { name: 'cpu', unit: 'ms/GB' },
  ],

  configurations: () =>
    ['raw', 'ffmpeg'].flatMap((level) =>
      Object.keys(TRANSPORTS).map((variant) => ({ variant, level, n: CHUNK_BYTES })),
    ),

  async sample({ variant, level }, { quick, workDir }) {
    const transfer = TRANSPORTS[variant];
    if (level === 'raw') {
      const bytes = quick ? RAW_QUICK_BYTES : RAW_BYTES;
      const blocks = [`bs=${CHUNK_BYTES}`, 'status=none'];
      const source = ['dd', 'if=/dev/zero', `count=${bytes / CHUNK_BYTES}`, ...blocks];
      return timed(bytes, () => transfer(source, ['dd', 'of=/dev/null', ...blocks], CHUNK_BYTES));
    }
    const seconds = quick ? VIDEO.quickSeconds : VIDEO.seconds;
    const clip = await clipOf(workDir, seconds);
    const out = join(workDir, `pipe-${process.pid}.mp4`);
    try {
      const bytes = VIDEO.width * VIDEO.height * RGB_BYTES * VIDEO.fps * seconds;
      const result = await timed(bytes, () => transfer(decoder(clip), encoder(out), CHUNK_BYTES));
      if (statSync(out).size === 0) throw new Error('ffmpeg made an empty file');
      return result;
    } finally {
      rmSync(out, { force: true });
    }
  },

  notes: () => [
    'pipe: node-default always reads 64 KiB and has the system’s buffers. pitv reads up to 256 KiB from sockets of 1 MiB.',
  ],
};

/**
 * Measures a transfer.
 * @param {number} bytes @param {() => Promise<void>} pass
 * @returns {Promise<import('../../harness/scenarios.js').SampleResult>}
 */
async function timed(bytes, pass) {
  const before = cpuMsOfAll([process.pid]);
  const began = performance.now();
  await pass();
  const seconds = (performance.now() - began) / 1000;
  const cpu = ((cpuMsOfAll([process.pid]) - before) / bytes) * 1e9;
  return { metrics: { throughput: bytes / MB / seconds, cpu } };
}

const FFMPEG = ['ffmpeg', '-v', 'error', '-nostdin', '-y'];
const RAW_VIDEO = ['-f', 'rawvideo', '-pix_fmt', 'rgb24'];
/** Not the default preset, with which encoding alone would keep two cores busy. */
const H264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast'];

/** @param {string} clip */
const decoder = (clip) => [...FFMPEG, '-i', clip, ...RAW_VIDEO, 'pipe:1'];

/** Returns the article's command with another preset. @param {string} out */
function encoder(out) {
  const picture = ['-s', `${VIDEO.width}x${VIDEO.height}`, '-r', String(VIDEO.fps)];
  const mp4 = ['-f', 'mp4', ...H264, '-movflags', 'empty_moov', out];
  return [...FFMPEG, ...RAW_VIDEO, ...picture, '-i', 'pipe:0', ...mp4];
}

/**
 * Makes the clip once per run of the harness.
 * @param {string} workDir @param {number} seconds @returns {Promise<string>} its path
 */
async function clipOf(workDir, seconds) {
  mkdirSync(workDir, { recursive: true });
  const clip = join(workDir, `pipe-${seconds}s.mp4`);
  if (existsSync(clip)) return clip;
  const temporary = `${clip}.new.mp4`;
  const picture = `testsrc2=size=${VIDEO.width}x${VIDEO.height}:rate=${VIDEO.fps}:duration=${seconds}`;
  const [ffmpeg, ...args] = [...FFMPEG, '-f', 'lavfi', '-i', picture, ...H264, temporary];
  const child = await startChild(ffmpeg, args);
  await child.done();
  renameSync(temporary, clip);
  return clip;
}
