import { CODE_LENGTH, CODE_LETTERS, cleanCode } from '../lib/code.js';
import { byId, h } from '../lib/dom.js';

/** Asks a screen for the join code, entered with arrow keys or a keyboard. */
export class Keypad {
  code = '';
  #output = h('output', { 'aria-live': 'polite' });
  #wrong = h('p', { class: 'wrong', role: 'alert' });

  /** @param {(code: string) => void} onCode a whole code was given */
  constructor(onCode) {
    this.onCode = onCode;
    this.root = byId('keypad');
    const letters = [...CODE_LETTERS].map((letter) =>
      h('button', {
        type: 'button',
        text: letter,
        'data-nav': '',
        onclick: () => this.type(letter),
      }),
    );
    const erase = h('button', {
      class: 'erase',
      type: 'button',
      text: '⌫ erase',
      'data-nav': '',
      onclick: () => this.erase(),
    });
    this.root.replaceChildren(
      h('h2', { text: 'Enter the join code' }),
      h('p', { text: 'The TV printed it when it started, and other screens show it.' }),
      this.#output,
      h('div', { class: 'keys-grid' }, ...letters, erase),
      this.#wrong,
    );
    document.addEventListener('keydown', (event) => {
      if (this.root.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.length === 1) this.type(event.key);
    });
    this.#draw();
  }

  /** @param {string} letter */
  type(letter) {
    this.code = cleanCode(this.code + letter);
    this.#wrong.textContent = '';
    this.#draw();
    if (this.code.length === CODE_LENGTH) this.onCode(this.code);
  }

  erase() {
    this.code = this.code.slice(0, -1);
    this.#draw();
  }

  #draw() {
    this.#output.textContent = this.code.padEnd(CODE_LENGTH, '·');
  }

  /** @param {string} [message] why the last code did not do */
  show(message = '') {
    this.code = '';
    this.#draw();
    this.#wrong.textContent = message;
    this.root.hidden = false;
    if (!this.root.contains(document.activeElement)) this.root.querySelector('button')?.focus();
  }
}
