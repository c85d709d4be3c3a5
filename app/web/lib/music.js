import { seededRandom } from './random.js';

/**
 * Music as data: a loop of eight bars for the lobby and for each game, made from the game's id. The same id always
 * gives the same notes.
 *
 * @typedef {import('./sound.js').Voice} Voice
 * @typedef {{title: string, loopMs: number, voices: Voice[]}} Song title: the id; voices: in the order of `afterMs`,
 *   which is below loopMs
 */

/** Semitones above the first note. */
export const SCALES = Object.freeze([
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 8, 10],
]);
/** Steps of a bar: eighths. */
const STEPS = 8;
const BARS = 8;
/** Degrees of the chords of four bars. */
const CHORDS = Object.freeze(['0534', '0354', '0453', '5304']);
/** Steps on which the melody has a note, by bar. */
const RHYTHMS = Object.freeze(['x..x..x.', 'x.x.xx..', 'x...x.x.', 'xx.x..x.', '..x.x.xx']);
/** Degrees of the melody above the chord, and its moves between them. */
const TONES = Object.freeze([0, 2, 4, 5, 7]);
const MOVES = Object.freeze([-1, 1, 1, 2, -2, 0]);

/**
 * Composes the music of a game.
 * @param {string} id of the game, or `lobby`, which is calm and has no drums
 * @returns {Song}
 */
export function compose(id) {
  const seed = [...id].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7);
  const random = seededRandom(seed);
  /** @template T @param {readonly T[]} list @returns {T} */
  const pick = (list) => list[Math.floor(random() * list.length)];
  const calm = id === 'lobby';
  const stepMs = calm ? 340 : 200 + Math.floor(random() * 60);
  const root = 43 + Math.floor(random() * 9); // a MIDI number
  const scale = pick(SCALES);
  /** Returns the frequency of a degree of the scale. @param {number} degree from 0 @returns {number} Hz */
  const pitch = (degree) => {
    const semitones = 12 * Math.floor(degree / 7) + scale[degree % 7];
    return 440 * 2 ** ((root + semitones - 69) / 12);
  };
  /** @type {Voice[]} */
  const voices = [];
  /**
   * @param {OscillatorType | 'noise'} wave @param {number} step @param {number} from Hz @param {number} ms
   * @param {number} level @param {number} [to] Hz
   */
  const add = (wave, step, from, ms, level, to = from) =>
    voices.push({ wave, from, to, ms, level, afterMs: step * stepMs });
  const chords = pick(CHORDS);
  const rhythms = [pick(RHYTHMS), pick(RHYTHMS)];
  let tone = 1;
  /** The melody of two bars, which is repeated on the other chords. */
  const melody = Array.from({ length: 2 * STEPS }, () => {
    tone = Math.max(0, Math.min(TONES.length - 1, tone + pick(MOVES)));
    return TONES[tone];
  });
  for (let step = 0; step < BARS * STEPS; step++) {
    const bar = Math.floor(step / STEPS);
    const i = step % STEPS;
    const chord = Number(chords[bar % chords.length]);
    if (i === 0) for (const up of [0, 2, 4]) add('sine', step, pitch(chord + up), 8 * stepMs, 0.1);
    if (calm ? i % 4 === 0 : i % 2 === 0)
      add('triangle', step, pitch(i === 6 ? chord + 4 : chord) / 2, 1.8 * stepMs, 0.32);
    if (rhythms[bar % 2][i] === 'x' && bar < BARS - 1) {
      const hz = pitch(chord + 7 + melody[step % melody.length]);
      add(calm ? 'sine' : 'square', step, hz, 1.6 * stepMs, calm ? 0.12 : 0.05);
    }
    if (calm) continue;
    if (i % 4 === 0) add('sine', step, 120, 130, 0.35, 42);
    if (i % 2 === 1) add('noise', step, 7000, 45, 0.06);
  }
  return { title: id, loopMs: BARS * STEPS * stepMs, voices };
}
