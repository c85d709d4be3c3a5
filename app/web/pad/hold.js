/** A button that has to be held, so that an accidental touch does not end a game. */

const HOLD_MS = 800;

/**
 * Makes a button fire after it has been held.
 * @param {HTMLElement} button
 * @param {object} actions
 * @param {() => void} actions.onHeld called when it has been held long enough
 * @param {() => void} actions.onTap called when it was released too early
 * @param {() => boolean} actions.active returns whether the Escape key acts as this button
 */
export function holdButton(button, { onHeld, onTap, active }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  button.style.setProperty('--hold-ms', `${HOLD_MS}ms`);
  const begin = () => {
    if (timer !== undefined) return;
    button.setAttribute('data-held', 'true');
    timer = setTimeout(() => {
      end();
      onHeld();
    }, HOLD_MS);
  };
  const end = () => {
    if (timer === undefined) return false;
    clearTimeout(timer);
    timer = undefined;
    button.setAttribute('data-held', 'false');
    return true;
  };
  button.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    button.setPointerCapture(event.pointerId);
    begin();
  });
  const release = () => {
    if (end()) onTap();
  };
  button.addEventListener('pointerup', release);
  button.addEventListener('pointercancel', release);
  button.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
  document.addEventListener('keydown', (event) => {
    if (active() && event.key === 'Escape') begin();
  });
  document.addEventListener('keyup', (event) => {
    if (active() && event.key === 'Escape') release();
  });
  // Screen readers activate a button with a click only.
  button.addEventListener('click', (event) => {
    if (event.detail === 0) onHeld();
  });
}
