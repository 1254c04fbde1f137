import http from 'node:http';
import { StepError } from '../steps.mjs';

/** @typedef {import('../../../server/live/live-hub.ts').LiveState} LiveState */

/**
 * Reads the first event of the app's live stream, and closes the stream.
 *
 * @param {URL} url
 * @returns {Promise<LiveState>}
 */
export async function readFirstEvent(url) {
  const answer = await get(url);
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    const data = /^event: windows\ndata: (.+)\n\n/m.exec(text)?.[1];
    if (data !== undefined) return JSON.parse(data);
  }
  throw new StepError(`The live feed of ${url.origin} ended before its first event.`);
}

/**
 * @param {URL} url
 * @returns {Promise<http.IncomingMessage>}
 */
function get(url) {
  return new Promise((resolve, reject) => http.get(url, resolve).once('error', reject));
}
