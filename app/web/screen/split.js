import { Connection } from '../lib/connection.js';
import { byId, h, loadItem, saveItem, toast } from '../lib/dom.js';
import { drawLinkMarks } from '../lib/notes.js';
import { endText, errorText } from '../lib/reports.js';
import { Stage, matchHandlers } from './stage.js';

/**
 * Two matches side by side. The second one has a copy of the stage, and a connection of its own: each side skips frames
 * for itself on a slow network. One side is chosen: its sounds are heard, and the menu is about it.
 */

const PREFIX = 'side-';
/** The match on the right, for a reload of the page. */
const ITEM = 'pitv.screen.side';
/** A match that is shown later than this after a load of the page, ms, was chosen. */
const RELOAD_MS = 10_000;

/** @typedef {import('../lib/types.js').MatchId} MatchId */

export class Split {
  /** The match on the right; null: there is only one. @type {MatchId | null} */
  match = null;
  #parts;
  /** Of the match on the right. @type {Connection | null} */
  #connection = null;
  #isSideChosen = false;
  #before = loadItem(ITEM);
  /** @type {Stage | undefined} */
  #side;

  /**
   * @param {object} parts
   * @param {Stage} parts.stage of the match on the left
   * @param {Connection} parts.connection of the match on the left
   * @param {() => object} parts.hello what the connection of a screen says first
   * @param {() => void} parts.onChange called when another match is chosen, or something about one has changed
   * @param {() => void} parts.onOver called when the match on the right is over
   */
  constructor(parts) {
    this.#parts = parts;
    copyStage(parts.stage.root); // before it shows anything
    byId('game').onclick = () => this.choose(false);
    byId(`${PREFIX}game`).onclick = () => this.choose(true);
  }

  /** The stage of the chosen match. */
  get chosen() {
    return this.#isSideChosen && this.#side ? this.#side : this.#parts.stage;
  }

  /** Sends a request about the chosen match. @param {object} message */
  request(message) {
    const { connection } = this.#parts;
    (this.#isSideChosen && this.#connection ? this.#connection : connection).request(message);
  }

  /** Shows a match at the right of the other one. @param {MatchId} match */
  open(match) {
    this.close();
    const { stage, hello, onChange, onOver } = this.#parts;
    this.#side ??= new Stage(stage.sound, (id) => byId(PREFIX + id));
    const side = this.#side;
    const onGone = () => {
      this.close();
      onOver();
    };
    const onShown = () => (this.match === match ? onChange() : side.hide()); // it was closed meanwhile
    const connection = new Connection({
      hello: () => ({ ...hello(), second: match }),
      handlers: {
        ...matchHandlers(side, { onShown, onChange, onGone }),
        ended(message) {
          if (message.reason !== 'done') toast(endText(message));
          onGone();
        },
        error(error) {
          toast(errorText(error), 'error');
          if (connection.state !== 'open') onGone(); // the match is over
        },
      },
      onFrame: (bytes) => side.push(bytes) || connection.send({ t: 'watch', match }),
      onState() {
        const level = drawLinkMarks({ [`${PREFIX}stage-link`]: '' }, connection);
        side.drawStill(level === 'lost' || !byId('cut-off').hidden);
      },
    });
    this.match = match;
    saveItem(ITEM, String(match));
    this.#connection = connection;
    document.body.classList.add('split');
    connection.open();
    this.choose(false);
  }

  /**
   * Shows the match on the right again after a reload.
   * @param {import('../lib/types.js').MatchEntry[]} matches that run
   */
  restore(matches) {
    const before = matches.find(({ id }) => String(id) === this.#before);
    this.#before = null;
    if (before && this.match === null && performance.now() < RELOAD_MS) this.open(before.id);
  }

  /** Shows the match on the left alone. */
  close() {
    this.choose(false);
    this.#connection?.close();
    this.#connection = this.match = null;
    saveItem(ITEM, null);
    this.#side?.hide();
    document.body.classList.remove('split');
    this.#parts.onChange();
  }

  /** Shows the match on the right alone. It takes the place of the other one when the TV sends it. */
  showRight() {
    this.#parts.connection.request({ t: 'watch', match: this.match });
  }

  /** Shows the chosen match alone. */
  showChosen() {
    if (this.#isSideChosen) this.showRight();
    else this.close();
  }

  /** Chooses a side; does nothing while there is one match. @param {boolean} isSide whether it is the right one */
  choose(isSide) {
    if (this.match === null) return;
    this.#isSideChosen = isSide;
    this.#parts.stage.hear(!isSide);
    this.#side?.hear(isSide);
    this.#parts.onChange();
  }
}

/** Copies the stage of the page, without the buttons of the pointer. @param {HTMLElement} root */
function copyStage(root) {
  const copy = h('section', { id: root.id, class: root.className, hidden: true }); // a page has one main part
  copy.append(...root.cloneNode(true).childNodes);
  for (const button of copy.querySelectorAll('button')) button.remove();
  for (const element of [copy, ...copy.querySelectorAll('[id]')]) element.id = PREFIX + element.id;
  root.after(copy);
}
