/** Runs in the page of compare-drawing.js. */

/**
 * Draws frames, one at each picture of the display, half-way between it and the one before.
 * @param {{view: object, width: number, height: number, isLow: boolean}} scene @param {string[]} texts frames in base64
 * @param {number} count of pictures
 */
export async function drawPictures({ view, width, height, isLow }, texts, count) {
  const [{ Renderer }, { FrameView, InterpolatedBodies }] = await Promise.all([
    // @ts-expect-error This is a path of the page's server, and so is the next one.
    import('/lib/renderer.js'),
    // @ts-expect-error
    import('/lib/frame-view.js'),
  ]);
  const frames = texts.slice(0, count).map((text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new FrameView(bytes.buffer);
  });
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('canvas'));
  const renderer = new Renderer(canvas, view);
  if (isLow) renderer.setDetail?.('low');
  renderer.resize(width, height, { x: 6, y: 56, width: width - 12, height: height - 62 });
  renderer.setPlayers(
    ['#ff6b6b', '#4dabf7', '#ffd43b', '#69db7c'],
    ['Ann', 'Ben', 'Cleo', 'Dan', null, null, null, null],
  );
  const bodies = new InterpolatedBodies();
  for (let i = 1; i < frames.length; i++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    bodies.fill(frames[i - 1], frames[i], 0.5, 60);
    renderer.draw(frames[i], bodies, 1000 / 60);
  }
}
