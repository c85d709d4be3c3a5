import { button, byId, h } from '../lib/dom.js';

/**
 * A menu with a few choices, for example over a running game.
 *
 * @typedef {{text: string, run?: () => void, keepOpen?: boolean}} Choice
 */
export class Menu {
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
   * @param {string} [text]
   */
  open(title, choices, text) {
    if (!this.isOpen) this.#focusedBefore = document.activeElement;
    const buttons = choices.map((choice) => {
      const onclick = () => {
        if (!choice.keepOpen) this.close();
        choice.run?.();
      };
      return button(choice.text, onclick, 'wide', { 'data-nav': '' });
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
  }
}
