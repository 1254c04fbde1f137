/**
 * @typedef {object} Frame
 * @property {Buffer} png
 * @property {number} shownMs  Until the next one.
 */

/** Enough for digits and ticks to read as motion, few enough for a small file. */
const FRAME_MS = 160;

/**
 * Takes one screenshot after the other while something happens on the page. A screenshot takes as long as it takes, so
 * each frame is given the time that really passed until the next: the clip runs at the pace of the page.
 *
 * @param {import('playwright').Page} page
 * @param {() => Promise<void>} action
 * @returns {Promise<Frame[]>}
 */
export async function record(page, action) {
  /** @type {{ png: Buffer, at: number }[]} */
  const shots = [];
  let isOver = false;
  const ended = action().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const at = performance.now();
    shots.push({ png: await page.screenshot(), at });
    await page.waitForTimeout(Math.max(0, FRAME_MS - (performance.now() - at)));
  }
  await ended;
  return shots.map(({ png, at }, place) => ({
    png,
    shownMs: Math.round((shots[place + 1]?.at ?? at + 2_000) - at),
  }));
}
