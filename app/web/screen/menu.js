import { byId, h } from '../lib/dom.js';

/**
 * The menu over a running game, and any other question with a few answers.
 *
 * @typedef {{text: string, run?: () => void, keepOpen?: boolean}} Choice
 */
export class Menu {
  /** @type {(() => void) | undefined} */
  #onClose;
  /** @type {Element | null} */
  #before = null;

  constructor() {
    this.root = byId('menu');
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /**
   * @param {string} title @param {Choice[]} choices the first one has the focus
   * @param {{text?: string, onClose?: () => void}} [more]
   */
  open(title, choices, { text, onClose } = {}) {
    this.#onClose = onClose;
    if (!this.isOpen) this.#before = document.activeElement;
    const buttons = choices.map((choice) => {
      const button = h('button', {
        class: 'wide',
        type: 'button',
        text: choice.text,
        'data-nav': '',
        onclick: () => {
          if (!choice.keepOpen) this.close();
          choice.run?.();
        },
      });
      return button;
    });
    this.root.replaceChildren(
      h(
        'div',
        { class: 'menu-box' },
        h('h2', { text: title }),
        text ? h('p', { text }) : null,
        ...buttons,
      ),
    );
    this.root.hidden = false;
    buttons[0]?.focus();
  }

  close() {
    if (!this.isOpen) return;
    this.root.hidden = true;
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true });
    this.#onClose?.();
  }
}
