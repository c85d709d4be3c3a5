import { CODE_LENGTH, LINK_CODE_LENGTH, cleanCode } from '../lib/code.js';
import { byId, byIdAs, loadItem, saveItem } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

/** The form to join: the code on the TV, and the player's name. */

const NAME_KEY = 'pitv.pad.name';

export class JoinForm {
  /** The code that was typed, or is in the link; '' without one. */
  code = cleanCode(new URLSearchParams(location.search).get('c') ?? '', LINK_CODE_LENGTH);
  name = loadItem(NAME_KEY) ?? '';
  #codeField = byIdAs('join-code', HTMLInputElement);
  #nameField = byIdAs('join-name', HTMLInputElement);

  /**
   * @param {object} actions
   * @param {() => void} actions.onShown
   * @param {() => void} actions.onJoin called with a complete code
   */
  constructor({ onShown, onJoin }) {
    this.onShown = onShown;
    const field = this.#codeField;
    field.onfocus = () => field.select(); // typing replaces a wrong code
    field.oninput = () => {
      const clean = cleanCode(field.value);
      if (clean !== field.value.toUpperCase() || clean.length === CODE_LENGTH) field.value = clean;
    };
    byIdAs('join-form', HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      const typed = cleanCode(field.value);
      if (typed !== cleanCode(this.code)) this.code = typed;
      this.rename(this.#nameField.value.trim());
      if (this.code.length < CODE_LENGTH) {
        field.focus();
        return this.show(textOf('pad.code.length', { count: CODE_LENGTH }));
      }
      history.replaceState(null, '', `/pad?c=${this.code}`); // a reload joins again
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      onJoin();
    };
  }

  /** Sets the player's name, which the browser remembers. @param {string} name */
  rename(name) {
    this.name = name;
    saveItem(NAME_KEY, name);
  }

  /** Removes a code of the link that no TV has. @returns {string} what to tell the player, or '' */
  checkLink() {
    if ([0, CODE_LENGTH, LINK_CODE_LENGTH].includes(this.code.length)) return '';
    this.code = '';
    return textOf('pad.code.length', { count: CODE_LENGTH });
  }

  /** Shows the form. @param {string} message the reason, or '' */
  show(message) {
    const box = byId('join-message');
    box.hidden = message === '';
    box.textContent = message;
    this.#codeField.value = cleanCode(this.code);
    this.#nameField.value = this.name;
    this.onShown();
  }
}
