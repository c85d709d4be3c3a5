/** The menu of the running match, and the settings of sound and replays. */
import { byId, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

export class MatchMenu {
  #parts;

  /**
   * @param {object} parts
   * @param {import('./menu.js').Menu} parts.menu
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('../lib/sound.js').Sound} parts.sound
   * @param {(message: object) => void} parts.send
   * @param {() => void} parts.showLobby
   * @param {() => void} parts.watchReplay
   */
  constructor(parts) {
    this.#parts = parts;
    const button = byId('lobby-sound');
    button.onclick = () => this.toggleSound();
    setText(button, this.#soundText);
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
      { text: this.#soundText, keepOpen: true, run: () => this.toggleSound() },
      { text: textOf('replay.watch'), run: watchReplay },
      { text: this.#replaysText, keepOpen: true, run: () => this.#toggleReplays() },
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

  get #soundText() {
    return textOf(this.#parts.sound.enabled ? 'screen.sound.on' : 'screen.sound.off');
  }

  /** Switches the sound on or off, and shows it in the lobby and in the open menu. */
  toggleSound() {
    const { sound } = this.#parts;
    const before = this.#soundText;
    sound.toggle();
    sound.play('choose');
    setText(byId('lobby-sound'), this.#soundText);
    this.#rename(before, this.#soundText);
  }

  get #replaysText() {
    const { enabled } = this.#parts.stage.replay;
    return textOf(enabled ? 'menu.replays.on' : 'menu.replays.off');
  }

  #toggleReplays() {
    const before = this.#replaysText;
    this.#parts.stage.replay.toggle();
    this.#rename(before, this.#replaysText);
  }

  /** Changes the text of a button in the open menu. @param {string} from @param {string} to */
  #rename(from, to) {
    const buttons = [...this.#parts.menu.root.querySelectorAll('button')];
    const button = buttons.find(({ textContent }) => textContent === from);
    if (button) setText(button, to);
  }
}
