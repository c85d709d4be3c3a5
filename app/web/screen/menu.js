import { button, byId, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

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

/** The menu of the running match, and the settings of sound and replays. */
export class MatchMenu {
  #parts;

  /**
   * @param {object} parts
   * @param {Menu} parts.menu
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('../lib/sound.js').Sound} parts.sound
   * @param {(message: object) => void} parts.send
   * @param {() => void} parts.showLobby
   * @param {() => void} parts.watchReplay
   */
  constructor(parts) {
    this.#parts = parts;
    const button = byId('lobby-sound');
    button.onclick = () =>
      parts.menu.open(textOf('screen.sound'), [...this.#soundChoices, { text: textOf('ok') }]);
    setText(button, this.#soundText());
    byId('open-menu').onclick = () => this.open();
    byId('watch-replay').onclick = () => parts.watchReplay();
  }

  /** Opens the menu. */
  open() {
    const { menu, stage, send, showLobby, watchReplay } = this.#parts;
    const { watched } = stage;
    if (!watched) return;
    const { isPaused } = stage.pause;
    menu.open(watched.game.title, [
      ...(isPaused ? [] : [{ text: textOf('menu.continue') }]),
      { text: textOf(isPaused ? 'pause.end' : 'pause.begin'), run: () => this.pause() },
      ...this.#soundChoices,
      { text: textOf('replay.watch'), run: watchReplay },
      this.#setting(this.#replaysText, () => stage.replay.toggle()),
      ...(watched.mayStop
        ? [{ text: textOf('menu.stop'), run: () => send({ t: 'stop', match: watched.match }) }]
        : []),
      {
        text: textOf('menu.lobby'),
        run: () => {
          send({ t: 'watch', match: null });
          showLobby();
        },
      },
    ]);
  }

  /** Pauses the match, or has it go on. */
  pause() {
    const { menu, stage, send } = this.#parts;
    if (!stage.watched) return;
    menu.close();
    send({ t: 'pause', match: stage.watched.match, on: !stage.pause.isPaused });
  }

  /** Opens the menu, or closes it. */
  toggle() {
    const { menu } = this.#parts;
    if (menu.isOpen) menu.close();
    else this.open();
  }

  /** @returns {Choice[]} */
  get #soundChoices() {
    const { sound } = this.#parts;
    return [
      { text: this.#soundText(), keepOpen: true, run: () => this.toggleSound() },
      { text: this.#musicText(), keepOpen: true, run: () => this.toggleMusic() },
      this.#setting(this.#volumeText, () => sound.changeVolume()),
    ];
  }

  #soundText = () => textOf(this.#parts.sound.enabled ? 'screen.sound.on' : 'screen.sound.off');
  #musicText = () =>
    textOf(this.#parts.sound.musicEnabled ? 'screen.music.on' : 'screen.music.off');
  #volumeText = () => textOf('screen.volume', { percent: this.#parts.sound.volume });
  #replaysText = () =>
    textOf(this.#parts.stage.replay.enabled ? 'menu.replays.on' : 'menu.replays.off');

  /** Switches the sound on or off, and shows it in the lobby and in the open menu. */
  toggleSound() {
    this.#change(this.#soundText, () => this.#parts.sound.toggle());
    setText(byId('lobby-sound'), this.#soundText());
  }

  /** Switches the music on or off. */
  toggleMusic() {
    this.#change(this.#musicText, () => this.#parts.sound.toggleMusic());
  }

  /**
   * Makes a choice of a menu that changes a setting.
   * @param {() => string} text @param {() => void} change
   * @returns {Choice}
   */
  #setting = (text, change) => ({
    text: text(),
    keepOpen: true,
    run: () => this.#change(text, change),
  });

  /** Changes a setting, and its text in the open menu. @param {() => string} text @param {() => void} change */
  #change(text, change) {
    const before = text();
    change();
    this.#parts.sound.play('choose');
    const buttons = [...this.#parts.menu.root.querySelectorAll('button')];
    const button = buttons.find(({ textContent }) => textContent === before);
    if (button) setText(button, text());
  }
}
