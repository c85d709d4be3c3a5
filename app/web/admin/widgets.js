/** Parts of the tabs: tables, buttons that ask, tabs and polling. */
import { button as makeButton, byId, byIdAs, fill, h, redraw, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { errorMessage } from '../lib/request.js';

/** A second press has to follow within this time. */
const SURE_MS = 5000;

/** @typedef {import('../lib/language.js').TextKey} TextKey */
/**
 * Texts that have another one, which asks.
 * @typedef {{[K in TextKey]: `${K}.sure` extends TextKey ? K : never}[TextKey]} AskingKey
 */

/**
 * Makes a button that acts on the second press; the first one asks.
 * @param {AskingKey} key of its text; KEY.sure asks
 * @param {() => unknown} onConfirm
 * @param {import('../lib/language.js').Values} [values] of both texts
 * @param {string} [id] of the button
 * @returns {HTMLButtonElement}
 */
export function confirmButton(key, onConfirm, values, id) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const text = textOf(key, values);
  const button = makeButton(text, press, 'stop', { id });
  const reset = () => {
    clearTimeout(timer);
    timer = undefined;
    setText(button, text);
  };
  function press() {
    if (timer) {
      reset();
      return onConfirm();
    }
    setText(button, textOf(`${key}.sure`, values));
    timer = setTimeout(reset, SURE_MS);
  }
  return button;
}

/**
 * A column of a table: its title, and what it shows of an item.
 * @template T
 * @typedef {readonly [title: string, value: (item: T) => string | number | undefined]} Column
 */

/**
 * Returns the cells of a table; what is not known is empty.
 * @template T @param {readonly Column<T>[]} columns @param {T[]} items one for each row
 * @returns {string[][]}
 */
export const rowsOf = (columns, items) =>
  items.map((item) => columns.map(([, value]) => String(value(item) ?? '')));

/**
 * Returns the button of the page with the same id, if there is one: it may just ask whether it was meant.
 * @param {HTMLElement | null | undefined} button
 */
const present = (button) => (button?.id && document.getElementById(button.id)) || button;

/**
 * Draws a table, or updates its texts while its rows have the same buttons: none is replaced while it is being pressed.
 * @template T
 * @param {string} id of the table
 * @param {readonly Column<T>[]} columns @param {T[]} items one for each row
 * @param {(item: T) => HTMLElement | null} [action] makes the button at the end of each row
 */
export function drawTable(id, columns, items, action) {
  const table = byIdAs(id, HTMLTableElement);
  const titles = columns.map(([title]) => title);
  const buttons = items.map((item) => action?.(item));
  redraw(table, [titles, buttons.map((button) => button?.id ?? '')], () => {
    const head = titles.map((text) => h('th', { scope: 'col' }, text));
    const cells = () => titles.map(() => h('td'));
    const body = buttons.map((button) =>
      h('tr', cells(), action && h('td.action', present(button))),
    );
    const width = titles.length + (action ? 1 : 0);
    const none = h('tr', h('td.muted', { colSpan: width }, textOf('admin.none')));
    return [
      h('thead', h('tr', head, action && h('td'))),
      h('tbody', body.length > 0 ? body : none),
    ];
  });
  for (const [i, row] of rowsOf(columns, items).entries()) {
    for (const [j, text] of row.entries()) setText(table.tBodies[0].rows[i].cells[j], text);
  }
}

/**
 * Makes the tabs of the page. The address names the current one, so that a reload shows it again.
 * @param {{id: string, title: string, polling?: Polling}[]} tabs the first one is the default; id: of the element that
 *   is shown; polling: runs while it is shown
 */
export function setUpTabs(tabs) {
  const buttons = tabs.map(({ id, title }, at) =>
    makeButton(title, () => show(at), undefined, {
      id: `tab-${id}`,
      role: 'tab',
      'aria-controls': id,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = (at + step + tabs.length) % tabs.length;
        show(next);
        buttons[next].focus();
      },
    }),
  );
  fill(byId('tabs'), buttons);

  /** @param {number} chosen */
  function show(chosen) {
    for (const [at, { id, polling }] of tabs.entries()) {
      const shown = at === chosen;
      byId(id).hidden = !shown;
      byId(id).setAttribute('role', 'tabpanel');
      byId(id).setAttribute('aria-labelledby', `tab-${id}`);
      buttons[at].setAttribute('aria-selected', String(shown));
      buttons[at].tabIndex = shown ? 0 : -1;
      polling?.show(shown);
    }
    history.replaceState(null, '', chosen === 0 ? location.pathname : `#${tabs[chosen].id}`);
  }
  const asked = tabs.findIndex(({ id }) => `#${id}` === location.hash);
  show(Math.max(0, asked));
}

/** Requests the state of a tab again and again while the tab is shown. */
export class Polling {
  shown = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** The problem of the last action, or ''. Each update shows it until the next action. */
  #problem = '';

  /**
   * @param {number} everyMs
   * @param {() => Promise<any>} load requests the state
   * @param {(state: any) => unknown} draw called while the tab is shown
   * @param {HTMLElement} message shows the problem of each request, or of the last action
   */
  constructor(everyMs, load, draw, message) {
    this.everyMs = everyMs;
    this.load = load;
    this.draw = draw;
    this.message = message;
  }

  /** Begins or ends. @param {boolean} shown */
  show(shown) {
    this.shown = shown;
    clearTimeout(this.#timer);
    if (shown) void this.refresh();
  }

  /** Requests the state now. */
  async refresh() {
    clearTimeout(this.#timer);
    const draw = (/** @type {any} */ state) => this.shown && this.draw(state);
    const problem = await this.load()
      .then(draw)
      .then(() => '', errorMessage);
    clearTimeout(this.#timer);
    if (!this.shown) return;
    setText(this.message, problem || this.#problem);
    this.#timer = setTimeout(() => this.refresh(), this.everyMs);
  }

  /** Does something, and requests the state then. @param {() => Promise<unknown>} action */
  async act(action) {
    this.#problem = await action().then(() => '', errorMessage);
    await this.refresh();
  }
}
