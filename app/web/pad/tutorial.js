import { byId, loadItem, saveItem, setText } from '../lib/dom.js';
import { BUTTON_A, BUTTON_B } from '../../game/input.js';
import { text as textOf } from '../lib/language.js';

/** Shows a new player the controls: the stick in the lobby of a screen, and the rest in the first match on a phone. */

/** Its item: STICK after the lesson in the lobby, 'yes' after a match. */
const TAUGHT_KEY = 'pitv.pad.taught';
const STICK = 'stick';
/** It ends by itself, also when the player does nothing. */
const TUTORIAL_MS = 10_000;
/** How long the first and the last sentence are shown, ms. */
const SENTENCE_MS = 2500;

/**
 * @typedef {object} Step
 * @property {'look' | 'stick' | 'a' | 'b' | 'done'} name
 * @property {string} text
 *
 * @typedef {object} Control
 * @property {number} x -127..127 @property {number} y -127..127 @property {number} held buttons
 */

/**
 * Lists what a player is shown: only controls that the game names.
 * @param {{stick?: string, a?: string, b?: string}} labels of the game's controls
 * @param {boolean} [knowsStick] and their own ball
 * @returns {Step[]}
 */
export function listSteps({ stick, a, b }, knowsStick = false) {
  /** @type {Step[]} */
  const steps = [];
  const add = (/** @type {Step['name']} */ name, /** @type {string} */ text) =>
    steps.push({ name, text });
  if (stick && !knowsStick) add('stick', textOf('pad.tutorial.stick', { label: stick }));
  if (a) add('a', textOf('pad.tutorial.button', { button: 'A', label: a }));
  if (b) add('b', textOf('pad.tutorial.button', { button: 'B', label: b }));
  if (steps.length === 0) return [];
  if (!knowsStick) steps.unshift({ name: 'look', text: textOf('pad.tutorial.look') });
  add('done', textOf('pad.tutorial.done'));
  return steps;
}

/** Returns whether a player does what a step asks for. @param {Step} step @param {Control} control */
export function isDone({ name }, { x, y, held }) {
  if (name === 'stick') return x !== 0 || y !== 0;
  if (name === 'a') return (held & BUTTON_A) !== 0;
  if (name === 'b') return (held & BUTTON_B) !== 0;
  return false;
}

export class Tutorial {
  #box = byId('tutorial');
  #play = byId('play');
  #practice = byId('practice');
  /** @type {Step[]} */
  #steps = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} ends the tutorial */
  #end;
  /** @type {ReturnType<typeof setTimeout> | undefined} ends a sentence */
  #next;

  constructor() {
    if (loadItem(TAUGHT_KEY) !== null) return;
    setText(byId('practice-text'), textOf('pad.lesson'));
    this.#practice.setAttribute('data-teach', STICK);
  }

  /** Ends the lesson in the lobby when the stick is pushed there. @param {Control} control */
  practise({ x, y }) {
    if ((x === 0 && y === 0) || !this.#practice.hasAttribute('data-teach')) return;
    this.#endLesson('pad.lesson.done');
    if (loadItem(TAUGHT_KEY) === null) saveItem(TAUGHT_KEY, STICK);
  }

  /** @param {'pad.lesson.done' | 'pad.practice'} text that stays in the lobby */
  #endLesson(text) {
    this.#practice.removeAttribute('data-teach');
    setText(byId('practice-text'), textOf(text));
  }

  /**
   * Begins, if this phone has not played yet.
   * @param {{stick?: string, a?: string, b?: string}} labels of the game's controls
   */
  begin(labels) {
    const taught = loadItem(TAUGHT_KEY);
    if (taught === 'yes') return;
    this.stop();
    this.#steps = listSteps(labels, taught === STICK);
    if (this.#steps.length === 0) return;
    this.#end = setTimeout(() => this.stop(), TUTORIAL_MS);
    this.#showStep();
  }

  /** Goes on if the player has done what was asked. @param {Control} control */
  update(control) {
    const [step] = this.#steps;
    if (step && isDone(step, control)) this.#goOn();
  }

  /** Ends the tutorial. */
  stop() {
    clearTimeout(this.#end);
    clearTimeout(this.#next);
    this.#steps = [];
    this.#box.hidden = true;
    this.#play.removeAttribute('data-teach');
  }

  #goOn() {
    // A phone is known as soon as its player has used a control.
    if (this.#steps[0].name !== 'look') {
      saveItem(TAUGHT_KEY, 'yes');
      this.#endLesson('pad.practice');
    }
    this.#steps.shift();
    if (this.#steps.length > 0) this.#showStep();
    else this.stop();
  }

  #showStep() {
    const [{ name, text }] = this.#steps;
    this.#box.textContent = text;
    this.#box.hidden = false;
    this.#play.setAttribute('data-teach', name);
    if (name === 'look' || name === 'done') {
      this.#next = setTimeout(() => this.#goOn(), SENTENCE_MS);
    }
  }
}
