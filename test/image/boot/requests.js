/** Requests that a board makes to its own TV. */
import { BOOT_MS } from './board.js';

/** Ticks after which a match runs. */
const MATCH_TICKS = 60;

/** Starts a match in a board, as the admin does. */
export const START_MATCH = `
  const token = require("fs").readFileSync("/data/pitv/admin-token", "utf8").trim();
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  await fetch(url, { method: "POST", body: JSON.stringify({ game: "collide" }), headers });`;

/**
 * Asks a board for its match, and waits until it runs.
 * @param {import('./board.js').Tv} tv @param {string} [first] a program to run before
 * @returns {Promise<{id: number, ticks: number}>}
 */
export async function askMatch(tv, first = '') {
  const program = `(async () => {
    const url = "http://127.0.0.1/api/matches";
    ${first}
    for (;;) {
      const [match] = (await (await fetch(url)).json()).matches;
      if (match?.ticks > ${MATCH_TICKS}) return console.log(JSON.stringify(match));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })()`;
  return JSON.parse(await tv.sh(`node -e '${program}'`, { timeoutMs: BOOT_MS }));
}

/** Returns a program for the board that uploads a bundle as the admin page does. @param {string} file */
export const upload = (file) => `
  const fs = require("fs");
  const url = "http://127.0.0.1/api/system/update";
  const authorization = "Bearer " + fs.readFileSync("/data/pitv/admin-token", "utf8").trim();
  (async () => {
    const bytes = fs.statSync("${file}").size;
    let offset = 0;
    let upload = "";
    let slowestMs = 0;
    for await (const body of fs.createReadStream("${file}", { highWaterMark: 1 << 18 })) {
      const startedAt = performance.now();
      const answer = await fetch(url + "?offset=" + offset + "&upload=" + upload, { method: "PUT", body, headers: { authorization } });
      if (!answer.ok) throw new Error(await answer.text());
      upload = (await answer.json()).upload;
      offset += body.length;
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(url, { method: "POST", body: JSON.stringify({ bytes, upload }), headers });
    if (!answer.ok) throw new Error(await answer.text());
    console.log(bytes + " bytes, the slowest part of 256 KiB in " + Math.round(slowestMs) + " ms");
  })();`;
