import { recall, remember } from './dom.js';

/**
 * Sounds made by the browser itself: no file to load. Browsers let a page be heard only after
 * a user gesture, so nothing sounds until unlock() ran in such a moment.
 *
 * @typedef {object} Voice
 * @property {OscillatorType | 'noise'} wave
 * @property {number} from Hz (noise: of its low-pass) @property {number} to Hz at the end
 * @property {number} ms
 * @property {number} level 0..1
 * @property {number} [afterMs]
 */

const STORE_KEY = 'pitv.sound';
const MAX_VOICES = 14;
/** The same sound again within this time is the same sound. */
const MIN_GAP_MS = 35;
const MASTER_LEVEL = 0.5;

/** @type {Readonly<Record<string, Voice[]>>} */
export const SOUNDS = Object.freeze({
  hit: [
    { wave: 'triangle', from: 420, to: 130, ms: 90, level: 0.5 },
    { wave: 'noise', from: 3200, to: 600, ms: 40, level: 0.25 },
  ],
  boom: [
    { wave: 'noise', from: 1800, to: 60, ms: 520, level: 0.75 },
    { wave: 'sine', from: 150, to: 34, ms: 480, level: 0.8 },
  ],
  pop: [{ wave: 'sine', from: 540, to: 1180, ms: 70, level: 0.35 }],
  dash: [{ wave: 'noise', from: 700, to: 4200, ms: 170, level: 0.3 }],
  thud: [{ wave: 'sine', from: 190, to: 70, ms: 130, level: 0.6 }],
  shot: [{ wave: 'square', from: 1250, to: 300, ms: 80, level: 0.13 }],
  zap: [{ wave: 'sawtooth', from: 900, to: 110, ms: 160, level: 0.2 }],
  hurt: [{ wave: 'sawtooth', from: 240, to: 70, ms: 260, level: 0.35 }],
  power: [
    { wave: 'square', from: 440, to: 440, ms: 70, level: 0.14 },
    { wave: 'square', from: 660, to: 660, ms: 70, level: 0.14, afterMs: 70 },
    { wave: 'square', from: 880, to: 880, ms: 130, level: 0.14, afterMs: 140 },
  ],
  fanfare: [
    { wave: 'triangle', from: 523, to: 523, ms: 130, level: 0.4 },
    { wave: 'triangle', from: 659, to: 659, ms: 130, level: 0.4, afterMs: 120 },
    { wave: 'triangle', from: 784, to: 784, ms: 130, level: 0.4, afterMs: 240 },
    { wave: 'triangle', from: 1047, to: 1047, ms: 420, level: 0.45, afterMs: 360 },
  ],
  move: [{ wave: 'sine', from: 520, to: 560, ms: 35, level: 0.12 }],
  choose: [{ wave: 'triangle', from: 560, to: 840, ms: 110, level: 0.3 }],
  join: [
    { wave: 'sine', from: 587, to: 587, ms: 90, level: 0.3 },
    { wave: 'sine', from: 880, to: 880, ms: 160, level: 0.3, afterMs: 90 },
  ],
  count: [{ wave: 'sine', from: 440, to: 440, ms: 130, level: 0.4 }],
  go: [{ wave: 'sine', from: 880, to: 880, ms: 380, level: 0.45 }],
});

export class Sound {
  enabled = recall(STORE_KEY) !== 'off';
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {GainNode | null} */
  #master = null;
  /** @type {AudioBuffer | null} */
  #noise = null;
  #voices = 0;
  /** @type {Map<string, number>} */
  #playedAt = new Map();

  /** Call from a key, a click or a touch. */
  unlock() {
    if (!this.enabled) return;
    if (!this.#context) {
      if (!globalThis.AudioContext) return;
      const context = new AudioContext();
      const limiter = context.createDynamicsCompressor();
      this.#master = context.createGain();
      this.#master.gain.value = MASTER_LEVEL;
      this.#master.connect(limiter).connect(context.destination);
      this.#noise = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
      const samples = this.#noise.getChannelData(0);
      for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
      this.#context = context;
    }
    if (this.#context.state === 'suspended') this.#context.resume().catch(() => {});
  }

  /** @returns {boolean} whether there is sound now */
  toggle() {
    this.enabled = !this.enabled;
    remember(STORE_KEY, this.enabled ? 'on' : 'off');
    if (this.enabled) this.unlock();
    return this.enabled;
  }

  /** @param {string | undefined} name of SOUNDS; an unknown one is a pop */
  play(name) {
    const context = this.#context;
    if (!name || !this.enabled || context?.state !== 'running') return;
    const now = performance.now();
    if (now - (this.#playedAt.get(name) ?? -Infinity) < MIN_GAP_MS) return;
    if (this.#voices >= MAX_VOICES) return;
    this.#playedAt.set(name, now);
    for (const voice of SOUNDS[name] ?? SOUNDS.pop) this.#speak(context, voice);
  }

  /** @param {AudioContext} context @param {Voice} voice */
  #speak(context, { wave, from, to, ms, level, afterMs = 0 }) {
    if (!this.#master) return;
    const start = context.currentTime + afterMs / 1000;
    const end = start + ms / 1000;
    const gain = context.createGain();
    gain.gain.setValueAtTime(level, start);
    gain.gain.exponentialRampToValueAtTime(0.001, end);
    gain.connect(this.#master);
    let source;
    let pitch;
    if (wave === 'noise') {
      source = context.createBufferSource();
      source.buffer = this.#noise;
      source.loop = true;
      const filter = context.createBiquadFilter();
      pitch = filter.frequency;
      source.connect(filter).connect(gain);
    } else {
      source = context.createOscillator();
      source.type = wave;
      pitch = source.frequency;
      source.connect(gain);
    }
    pitch.setValueAtTime(from, start);
    pitch.exponentialRampToValueAtTime(Math.max(1, to), end);
    this.#voices++;
    source.onended = () => {
      this.#voices--;
      gain.disconnect();
    };
    source.start(start);
    source.stop(end);
  }
}
