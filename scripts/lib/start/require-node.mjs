import { StepError } from '../step-error.mjs';

/** Stops with a sentence where an older Node would stop with a syntax error in some package. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepError(`Floodgate needs Node 20.19 or newer; this is ${process.version}.`, {
    hint: 'Install a newer one: https://nodejs.org',
  });
}
