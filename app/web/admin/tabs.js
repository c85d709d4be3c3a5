import { byId, h } from '../lib/dom.js';

/**
 * @typedef {object} Tab
 * @property {string} id of the element that is shown
 * @property {string} title
 * @property {(shown: boolean) => void} [onShown]
 */

/**
 * Makes the tabs of the page. The address names the current one, so that a reload shows it again.
 * @param {Tab[]} tabs the first one is the default
 */
export function setUpTabs(tabs) {
  const buttons = tabs.map(({ id, title }, at) =>
    h('button', {
      type: 'button',
      id: `tab-${id}`,
      role: 'tab',
      text: title,
      'aria-controls': id,
      onclick: () => show(at),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = (at + step + tabs.length) % tabs.length;
        show(next);
        buttons[next].focus();
      },
    }),
  );
  byId('tabs').replaceChildren(...buttons);

  /** @param {number} chosen */
  function show(chosen) {
    for (const [at, { id, onShown }] of tabs.entries()) {
      const shown = at === chosen;
      byId(id).hidden = !shown;
      byId(id).setAttribute('role', 'tabpanel');
      byId(id).setAttribute('aria-labelledby', `tab-${id}`);
      buttons[at].setAttribute('aria-selected', String(shown));
      buttons[at].tabIndex = shown ? 0 : -1;
      onShown?.(shown);
    }
    history.replaceState(null, '', chosen === 0 ? location.pathname : `#${tabs[chosen].id}`);
  }
  const asked = tabs.findIndex(({ id }) => `#${id}` === location.hash);
  show(Math.max(0, asked));
}
