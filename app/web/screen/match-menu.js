/** The menu of the running match, and the setting of the sound. */
import { byId, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';

export class MatchMenu {
  #parts;

  /**
   * @param {object} parts
   * @param {import('./menu.js').Menu} parts.menu
   * @param {import('./clips.js').ClipsView} parts.clips
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('../lib/sound.js').Sound} parts.sound
   * @param {(message: object) => void} parts.send
   * @param {() => void} parts.showLobby
   */
  constructor(parts) {
    this.#parts = parts;
    const button = byId('lobby-sound');
    button.onclick = () => this.toggleSound();
    setText(button, this.#soundText);
    byId('open-menu').onclick = () => this.open();
    byId('save-clip').onclick = () => this.openClips();
  }

  /** Opens the menu. */
  open() {
    const { menu, clips, stage, send, showLobby } = this.#parts;
    const { watched } = stage;
    if (!watched) return;
    menu.open(watched.game.title, [
      { text: textOf('menu.continue') },
      { text: this.#soundText, keepOpen: true, run: () => this.toggleSound() },
      ...clips.choices(watched.match),
      { text: textOf('menu.stop'), run: () => send({ t: 'stop', match: watched.match }) },
      {
        text: textOf('menu.lobby'),
        run: () => {
          send({ t: 'watch', match: null });
          showLobby();
        },
      },
    ]);
  }

  /** Opens the menu, or closes it. */
  toggle() {
    const { menu } = this.#parts;
    if (menu.isOpen) menu.close();
    else this.open();
  }

  /** Opens the menu for a clip of the match. */
  openClips() {
    const { menu, clips, stage } = this.#parts;
    if (stage.watched) menu.open(textOf('clips.ofMatch'), clips.choices(stage.watched.match));
  }

  get #soundText() {
    return textOf(this.#parts.sound.enabled ? 'screen.sound.on' : 'screen.sound.off');
  }

  /** Switches the sound on or off, and shows it in the lobby and in the open menu. */
  toggleSound() {
    const { menu, sound } = this.#parts;
    const before = this.#soundText;
    sound.toggle();
    sound.play('choose');
    setText(byId('lobby-sound'), this.#soundText);
    const inMenu = [...menu.root.querySelectorAll('button')].find(
      (button) => button.textContent === before,
    );
    if (inMenu) setText(inMenu, this.#soundText);
  }
}
