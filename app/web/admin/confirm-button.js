import { button as createButton, setText } from '../lib/dom.js';

/** A second press has to follow within this time. */
const SURE_MS = 5000;

/**
 * Makes a button that acts on the second press; the first one asks.
 * @param {object} options
 * @param {string} options.text
 * @param {string} options.sure the text after the first press
 * @param {() => unknown} options.onConfirm
 * @param {Record<string, any>} [options.props] more of the button, see h()
 * @returns {HTMLButtonElement}
 */
export function confirmButton({ text, sure, onConfirm, props }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const button = createButton(text, press, 'stop', props);
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
    setText(button, sure);
    timer = setTimeout(reset, SURE_MS);
    return undefined;
  }
  return button;
}
