/**
 * @typedef {object} Frame
 * @property {Buffer} png
 * @property {number} shownMs  The time until the next frame.
 */

/** Short enough for visible motion, long enough for a small file. */
const FRAME_MS = 160;

/**
 * Takes screenshots while an action runs on the page. Each frame lasts for the measured time until the next, so that the
 * clip plays at the speed of the page.
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
  return shots.map(({ png, at }, index) => ({
    png,
    shownMs: Math.round((shots[index + 1]?.at ?? at + 2_000) - at),
  }));
}
