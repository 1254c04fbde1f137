import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { StepError } from './steps.mjs';

interface Target {
  file: string;
  maxBytes: number;
}

/** Writes a PNG with a palette: a page has few colours, so a palette saves most bytes without a visible difference. */
export async function writeStill(png: Buffer, target: Target): Promise<void> {
  await writePicture(await sharp(png).png({ palette: true, effort: 10 }).toBuffer(), target);
}

/** Writes a picture. Throws if it is too large. */
export async function writePicture(bytes: Buffer, { file, maxBytes }: Target): Promise<void> {
  if (bytes.length > maxBytes)
    throw new StepError(`${file} would have ${bytes.length} bytes; ${maxBytes} are allowed.`);
  await writeFile(file, bytes);
}
