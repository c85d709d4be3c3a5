import { CODE_LENGTH, CODE_LETTERS, cleanCode } from '../lib/code.js';
import { button, byId, fill, h } from '../lib/dom.js';
import { keyLetter } from '../lib/keys.js';
import { text } from '../lib/language.js';

/**
 * Makes the form for the join code, filled in with a remote or a keyboard.
 * @param {(code: string) => void} onCode called with a complete code
 * @returns {{root: HTMLElement, erase: () => void, show: (message?: string) => void}} erase: removes the last letter;
 *   show: shows the empty form, and why the last code was rejected
 */
export function createKeypad(onCode) {
  let code = '';
  const root = byId('keypad');
  const output = h('output.code', { 'aria-live': 'polite' });
  const wrong = h('p.wrong', { role: 'alert' });
  /** @param {string} typed */
  const setCode = (typed) => {
    code = cleanCode(typed);
    output.textContent = code.padEnd(CODE_LENGTH, '·');
  };
  /** @param {string} letter */
  const type = (letter) => {
    setCode(code + letter);
    wrong.textContent = '';
    if (code.length === CODE_LENGTH) onCode(code);
  };
  const erase = () => setCode(code.slice(0, -1));
  const nav = { 'data-nav': '' };
  fill(
    root,
    h('h2', text('keypad.title')),
    h('p.muted', text('keypad.hint')),
    output,
    h(
      'div.keys-grid',
      [...CODE_LETTERS].map((letter) => button(letter, () => type(letter), undefined, nav)),
      button(text('keypad.erase'), erase, 'erase', nav),
    ),
    wrong,
  );
  document.addEventListener('keydown', (event) => {
    const letter = root.hidden ? '' : keyLetter(event);
    if (letter) type(letter);
  });
  setCode('');
  return {
    root,
    erase,
    show(message = '') {
      setCode('');
      wrong.textContent = message;
      root.hidden = false;
      if (!root.contains(document.activeElement)) root.querySelector('button')?.focus();
    },
  };
}
