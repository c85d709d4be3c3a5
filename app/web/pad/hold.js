/** A button that has to be held down, so that a slip of the thumb does not end a game. */

const HOLD_MS = 800;

/**
 * @param {HTMLElement} button
 * @param {object} actions
 * @param {() => void} actions.onHeld it was held long enough
 * @param {() => void} actions.onTap it was let go too early
 * @param {() => boolean} actions.active whether the Escape key counts as this button now
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
  const letGo = () => {
    if (end()) onTap();
  };
  button.addEventListener('pointerup', letGo);
  button.addEventListener('pointercancel', letGo);
  button.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
  document.addEventListener('keydown', (event) => {
    if (active() && event.key === 'Escape') begin();
  });
  document.addEventListener('keyup', (event) => {
    if (active() && event.key === 'Escape') letGo();
  });
  // A screen reader's activation comes as a click alone.
  button.addEventListener('click', (event) => {
    if (event.detail === 0) onHeld();
  });
}
