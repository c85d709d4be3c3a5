import { button, byId, fill, focus, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { InstantReplay } from './instant-replay.js';

/**
 * A menu with a few choices, for example over a running game.
 *
 * @typedef {{text: string, run?: () => void, keepOpen?: boolean}} Choice
 */
export class Menu {
  root = byId('menu');
  /** @type {Element | null} */
  #focusedBefore = null;
  #state = '';

  /** @param {() => unknown} onClose what had the focus before may be gone then */
  constructor(onClose) {
    this.onClose = onClose;
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /**
   * Opens the menu, or changes the open one if the texts differ.
   * @param {string} title @param {Choice[]} choices the first one gets the focus, or the one that had it
   * @param {string} [text]
   */
  open(title, choices, text) {
    const state = JSON.stringify([title, text, choices]);
    if (this.isOpen && state === this.#state) return;
    this.#state = state;
    const focused = this.isOpen ? document.activeElement?.textContent : undefined;
    if (!this.isOpen) this.#focusedBefore = document.activeElement;
    const buttons = choices.map((choice) => {
      const onclick = () => {
        if (!choice.keepOpen) this.close();
        choice.run?.();
      };
      return button(choice.text, onclick, 'wide', { 'data-nav': '' });
    });
    fill(this.root, h('div.menu-box', h('h2', title), text && h('p.muted', text), buttons));
    this.root.hidden = false;
    (buttons.find(({ textContent }) => textContent === focused) ?? buttons[0])?.focus();
  }

  close() {
    if (!this.isOpen) return;
    this.root.hidden = true;
    focus(this.#focusedBefore);
    this.onClose();
  }
}

/** @typedef {'sound' | 'music' | 'volume' | 'replays'} Setting */

/** The menu of the running match, and the settings of sound and replays. */
export class MatchMenu {
  #parts;
  /** The menu as it was drawn, and the match that it is about. @type {{box?: Element | null, match?: unknown}} */
  #drawn = {};

  /**
   * @param {object} parts
   * @param {Menu} parts.menu
   * @param {import('./split.js').Split} parts.split
   * @param {import('../lib/sound.js').Sound} parts.sound
   * @param {() => import('../lib/types.js').MatchEntry[]} parts.matches those that run
   * @param {() => void} parts.watchReplay
   * @param {() => void} parts.leave shows the lobby
   */
  constructor(parts) {
    this.#parts = parts;
    const button = byId('lobby-sound');
    button.onclick = () =>
      parts.menu.open(textOf('screen.sound'), [...this.#soundChoices, { text: textOf('ok') }]);
    setText(button, this.#settings.sound.text());
    byId('open-menu').onclick = () => this.open();
    byId('watch-replay').onclick = () => parts.watchReplay();
  }

  /** Opens the menu. */
  open() {
    const { menu, split, watchReplay, leave } = this.#parts;
    const { watched, pause } = split.chosen;
    if (!watched) return;
    const { game, match, mayStop } = watched;
    const stop = mayStop ? { t: 'stop', match } : { t: 'pause', match, on: true, ask: true };
    menu.open(game.title, [
      ...(pause.isPaused ? [] : [{ text: textOf('menu.continue') }]),
      { text: textOf(pause.isPaused ? 'pause.end' : 'pause.begin'), run: () => this.pause() },
      ...this.#splitChoices,
      ...this.#soundChoices,
      { text: textOf('replay.watch'), run: watchReplay },
      this.#setting('replays'),
      { text: textOf(mayStop ? 'menu.stop' : 'menu.ask'), run: () => split.request(stop) },
      { text: textOf('menu.lobby'), run: leave },
    ]);
    this.#drawn = { box: menu.root.firstElementChild, match };
  }

  /** Draws the open menu again if its choices have changed, and closes it if another match is chosen. */
  update() {
    const { menu, split } = this.#parts;
    const { box, match } = this.#drawn;
    if (!menu.isOpen || menu.root.firstElementChild !== box) return;
    if (split.chosen.watched?.match !== match) menu.close();
    else this.open();
  }

  /** Another match that runs. */
  get #other() {
    const { split, matches } = this.#parts;
    return matches().find(({ id }) => id !== split.chosen.watched?.match);
  }

  /** @returns {Choice[]} */
  get #splitChoices() {
    const { split } = this.#parts;
    if (!this.#other) return [];
    return split.match === null
      ? [{ text: textOf('menu.split'), run: () => this.#other && split.open(this.#other.id) }]
      : [{ text: textOf('menu.one'), run: () => split.showChosen() }];
  }

  /** Pauses the match, or has it go on. */
  pause() {
    const { menu, split } = this.#parts;
    const { watched, pause } = split.chosen;
    if (!watched) return;
    menu.close();
    split.request({ t: 'pause', match: watched.match, on: !pause.isPaused });
  }

  /** Opens the menu, or closes it. */
  toggle() {
    const { menu } = this.#parts;
    if (menu.isOpen) menu.close();
    else this.open();
  }

  /** @returns {Choice[]} */
  get #soundChoices() {
    return [this.#setting('sound'), this.#setting('music'), this.#setting('volume')];
  }

  /** What can be set: the text of the present state, and how it is changed. */
  #settings = {
    sound: {
      text: () => textOf(this.#parts.sound.enabled ? 'screen.sound.on' : 'screen.sound.off'),
      change: () => this.#parts.sound.toggle(),
    },
    music: {
      text: () => textOf(this.#parts.sound.musicEnabled ? 'screen.music.on' : 'screen.music.off'),
      change: () => this.#parts.sound.toggleMusic(),
    },
    volume: {
      text: () => textOf('screen.volume', { percent: this.#parts.sound.volume }),
      change: () => this.#parts.sound.changeVolume(),
    },
    replays: {
      text: () => textOf(InstantReplay.enabled ? 'menu.replays.on' : 'menu.replays.off'),
      change: () => InstantReplay.toggle(),
    },
  };

  /** @param {Setting} name @returns {Choice} */
  #setting(name) {
    return { text: this.#settings[name].text(), keepOpen: true, run: () => this.change(name) };
  }

  /** Changes a setting, and its text in the lobby and in the open menu. @param {Setting} name */
  change(name) {
    const { text, change } = this.#settings[name];
    const before = text();
    change();
    this.#parts.sound.play('choose');
    for (const button of [byId('lobby-sound'), ...this.#parts.menu.root.querySelectorAll('button')])
      if (button.textContent === before) setText(button, text());
  }
}
