/** Takes pictures of real pages for the documentation. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openScope } from '../../bench/harness/polling.js';
import { launchBrowser } from '../../test/e2e/browser.js';

/** @typedef {import('playwright-core').Page} Page */

export const SCREEN = Object.freeze({ width: 960, height: 540 });
export const PHONE = Object.freeze({ width: 390, height: 844 });
const QUALITY = 80;
const STYLE = `
  body { margin: 0; height: ${SCREEN.height}px; background: #14102e }
  body { display: flex; align-items: flex-end; justify-content: flex-end }
  img { position: relative; display: block; border-radius: 18px; border: 5px solid #1b2232; height: 330px; margin: 0 22px 22px 0 }
  .screen { position: absolute; z-index: -1; top: 0; left: 0; height: auto; border: 0; border-radius: 0 }
  .row { justify-content: center; align-items: center }
  .row img { height: 490px; margin: 0 18px }`;

/**
 * @typedef {object} Studio
 * @property {any} context that of a test, for its helpers
 * @property {import('playwright-core').Browser} browser
 * @property {(name: string, screen: Page | Buffer | null, ...phones: (Page | Buffer)[]) => Promise<void>} save writes
 *   a file of this folder: a screen with its phones, or phones in a row. Each is a page, or its screenshot
 */

/** Starts a browser, has pictures taken, and ends what was started. @param {(studio: Studio) => Promise<void>} take */
export async function takePictures(take) {
  const context = openScope();
  try {
    const browser = await launchBrowser(context);
    await take({
      context,
      browser,
      async save(name, screen, ...phones) {
        const pages = screen ? [screen, ...phones] : phones;
        const pictures = await Promise.all(
          pages.map((page) => (Buffer.isBuffer(page) ? page : page.screenshot())),
        );
        const images = pictures.map((bytes, i) => {
          const look = pages[i] === screen ? 'screen' : 'phone';
          return `<img class="${look}" src="data:image/png;base64,${bytes.toString('base64')}">`;
        });
        const page = await browser.newPage({ viewport: SCREEN });
        const body = `<body class="${screen ? '' : 'row'}">${images.join('')}`;
        await page.setContent(`<!doctype html><style>${STYLE}</style>${body}`);
        const format = name.endsWith('.webp') ? 'webp' : 'jpeg';
        const devtools = await page.context().newCDPSession(page);
        const { data } = await devtools.send('Page.captureScreenshot', {
          format,
          quality: QUALITY,
        });
        const path = fileURLToPath(new URL(name, import.meta.url));
        await writeFile(path, Buffer.from(data, 'base64'));
        await page.close();
      },
    });
  } finally {
    await context.close();
  }
}
