import { byId, h } from '../lib/dom.js';

/**
 * A menu with a few choices, for example over a running game.
 *
 * @typedef {{text: string, run?: () => void, keepOpen?: boolean}} Choice
 */
export class Menu {
  /** @type {(() => void) | undefined} */
  #onClose;
  /** @type {Element | null} */
  #focusedBefore = null;

  constructor() {
    this.root = byId('menu');
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /**
   * Opens the menu.
   * @param {string} title @param {Choice[]} choices the first one gets the focus
   * @param {{text?: string, onClose?: () => void}} [more]
   */
  open(title, choices, { text, onClose } = {}) {
    this.#onClose = onClose;
    if (!this.isOpen) this.#focusedBefore = document.activeElement;
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
    if (this.#focusedBefore instanceof HTMLElement)
      this.#focusedBefore.focus({ preventScroll: true });
    this.#onClose?.();
  }
}
