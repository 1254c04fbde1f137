import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { StepError } from '../steps.mjs';

/**
 * Writes a PNG with a palette: a page has few colours, so a palette saves most bytes without a visible difference.
 *
 * @param {Buffer} png
 * @param {{ file: string, maxBytes: number }} target
 */
export async function writeStill(png, { file, maxBytes }) {
  await write(await sharp(png).png({ palette: true, effort: 10 }).toBuffer(), { file, maxBytes });
}

/**
 * @param {import('./record.mjs').Frame[]} frames
 * @param {{ file: string, maxBytes: number }} target
 */
export async function writeClip(frames, { file, maxBytes }) {
  const pages = frames.map(({ png }) => png);
  const delay = frames.map(({ shownMs }) => shownMs);
  const clip = await sharp(pages, { join: { animated: true } })
    .webp({ quality: 75, effort: 4, delay, loop: 0 })
    .toBuffer();
  await write(clip, { file, maxBytes });
}

/**
 * @param {Buffer} bytes
 * @param {{ file: string, maxBytes: number }} target
 */
async function write(bytes, { file, maxBytes }) {
  if (bytes.length > maxBytes) {
    throw new StepError(`${file} would have ${bytes.length} bytes; ${maxBytes} are allowed.`);
  }
  await writeFile(file, bytes);
}
