/**
 * Measures transports from one child process to another: raw video from ffmpeg to ffmpeg, as in “libuv contributions
 * for Node.js IPC performance” (verycosy, 2025), and zeros without a codec, by the size of reads and writes and by the
 * size of the buffer between the processes.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../../app/pipe/index.js';
import { TRANSPORTS } from './transports.js';
import { cpuMsOfAll } from '../../machine/proc.js';

const KIB = 1024;
const MB = 1e6;
/** Sizes of reads and writes of the programs, and of reads of Python and pitv between them. */
const CHUNKS = [8, 64, 256].map((kib) => kib * KIB);
const CHUNKS_QUICK = [64 * KIB];
const RAW_BYTES = 2 ** 30;
const RAW_QUICK_BYTES = 2 ** 28;
/** Sizes of the buffer between two programs, for pitv with chunks of 64 KiB. */
const BUFFERS = [64, 256, 1024].map((kib) => kib * KIB);
const KINDS = /** @type {const} */ (['socket', 'pipe']);
/** The article's video, shorter: full HD at 30 pictures a second. */
const VIDEO = { width: 1920, height: 1080, fps: 30, seconds: 5, quickSeconds: 2 };
const RGB_BYTES = 3;
/** Size of a read in the article's Python program. */
const VIDEO_READ_BYTES = 64 * KIB;

/** @param {string} kind @param {number} bytes */
const levelOf = (kind, bytes) => `raw, ${kind} of ${bytes / KIB} KiB`;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'pipe',
  title: 'Throughput from one child process to another; n = bytes per read and write',
  measures: ['app/pipe'],
  reference: 'node-default',
  metrics: [
    { name: 'throughput', unit: 'MB/s', better: 'higher' },
    { name: 'cpu', unit: 'ms/GB' },
  ],

  configurations: ({ quick }) => {
    const variants = Object.keys(TRANSPORTS);
    const ours = variants.filter((variant) => variant.startsWith('pitv'));
    return [
      ...(quick ? CHUNKS_QUICK : CHUNKS).flatMap((n) =>
        variants.map((variant) => ({ variant, level: 'raw', n })),
      ),
      ...(quick ? [] : KINDS).flatMap((kind) =>
        BUFFERS.flatMap((bytes) =>
          ours.map((variant) => ({ variant, level: levelOf(kind, bytes), n: 64 * KIB })),
        ),
      ),
      ...variants.map((variant) => ({ variant, level: 'ffmpeg', n: VIDEO_READ_BYTES })),
    ];
  },

  async sample({ variant, level, n }, { quick, workDir }) {
    const chunk = Number(n);
    const transfer = TRANSPORTS[variant];
    if (level === 'ffmpeg') {
      const seconds = quick ? VIDEO.quickSeconds : VIDEO.seconds;
      const clip = await clipOf(workDir, seconds);
      const out = join(workDir, `pipe-${process.pid}.mp4`);
      try {
        const bytes = VIDEO.width * VIDEO.height * RGB_BYTES * VIDEO.fps * seconds;
        const wiring = { readBytes: variant === 'python' ? chunk : undefined };
        const result = await timed(bytes, () => transfer(decoder(clip), encoder(out), wiring));
        if (statSync(out).size === 0) throw new Error('ffmpeg made an empty file');
        return result;
      } finally {
        rmSync(out, { force: true });
      }
    }
    const bytes = quick ? RAW_QUICK_BYTES : RAW_BYTES;
    const set = /^raw, (socket|pipe) of (\d+) KiB$/.exec(String(level));
    const wiring = {
      readBytes: chunk,
      ...(set && { kind: /** @type {any} */ (set[1]), bufferBytes: Number(set[2]) * KIB }),
    };
    return timed(bytes, () =>
      transfer(
        ['dd', 'if=/dev/zero', `bs=${chunk}`, `count=${bytes / chunk}`, 'status=none'],
        ['dd', 'of=/dev/null', `bs=${chunk}`, 'status=none'],
        variant === 'pitv' && !set ? {} : wiring,
      ),
    );
  },

  notes: () => [
    'pipe: node-default always reads 64 KiB and has the system’s buffers. pitv reads up to 256 KiB from sockets of 1 MiB; with a level that names a buffer, it reads n bytes from that.',
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

/** @param {string} clip @returns {[string, ...string[]]} */
const decoder = (clip) => [
  'ffmpeg',
  '-v',
  'error',
  '-nostdin',
  '-i',
  clip,
  '-f',
  'rawvideo',
  '-pix_fmt',
  'rgb24',
  'pipe:1',
];

/**
 * Returns the article's command with another preset. With the default preset, encoding alone would keep two cores busy.
 * @param {string} out @returns {[string, ...string[]]}
 */
const encoder = (out) => [
  'ffmpeg',
  '-v',
  'error',
  '-y',
  '-f',
  'rawvideo',
  '-pix_fmt',
  'rgb24',
  '-s',
  `${VIDEO.width}x${VIDEO.height}`,
  '-r',
  String(VIDEO.fps),
  '-i',
  'pipe:0',
  '-f',
  'mp4',
  '-pix_fmt',
  'yuv420p',
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-movflags',
  'empty_moov',
  out,
];

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
  const child = await startChild('ffmpeg', [
    '-v',
    'error',
    '-nostdin',
    '-y',
    '-f',
    'lavfi',
    '-i',
    picture,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    temporary,
  ]);
  await child.done();
  renameSync(temporary, clip);
  return clip;
}
