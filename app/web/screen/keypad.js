import { CODE_LENGTH, CODE_LETTERS, cleanCode } from '../lib/code.js';
import { button, byId, h } from '../lib/dom.js';
import { keyLetter } from '../lib/keys.js';
import { text } from '../lib/language.js';

/** The form for the join code, filled in with a remote or a keyboard. */
export class Keypad {
  code = '';
  #output = h('output', { 'aria-live': 'polite' });
  #wrong = h('p', { class: 'wrong', role: 'alert' });

  /** @param {(code: string) => void} onCode called with a complete code */
  constructor(onCode) {
    this.onCode = onCode;
    this.root = byId('keypad');
    const nav = { 'data-nav': '' };
    const letters = [...CODE_LETTERS].map((letter) =>
      button(letter, () => this.type(letter), undefined, nav),
    );
    const erase = button(text('keypad.erase'), () => this.erase(), 'erase', nav);
    this.root.replaceChildren(
      h('h2', { text: text('keypad.title') }),
      h('p', { class: 'muted', text: text('keypad.hint') }),
      this.#output,
      h('div', { class: 'keys-grid' }, ...letters, erase),
      this.#wrong,
    );
    document.addEventListener('keydown', (event) => {
      const letter = this.root.hidden ? '' : keyLetter(event);
      if (letter) this.type(letter);
    });
    this.#draw();
  }

  /** Adds a letter. @param {string} letter */
  type(letter) {
    this.code = cleanCode(this.code + letter);
    this.#wrong.textContent = '';
    this.#draw();
    if (this.code.length === CODE_LENGTH) this.onCode(this.code);
  }

  /** Removes the last letter. */
  erase() {
    this.code = this.code.slice(0, -1);
    this.#draw();
  }

  #draw() {
    this.#output.textContent = this.code.padEnd(CODE_LENGTH, '·');
  }

  /** Shows the empty form. @param {string} [message] why the last code was rejected */
  show(message = '') {
    this.code = '';
    this.#draw();
    this.#wrong.textContent = message;
    this.root.hidden = false;
    if (!this.root.contains(document.activeElement)) this.root.querySelector('button')?.focus();
  }
}
