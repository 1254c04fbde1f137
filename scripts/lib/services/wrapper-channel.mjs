/**
 * What a wrapper was asked to run: the one argument `spawnService` passes.
 *
 * @template T
 * @returns {T}
 */
export function readWrapperOptions() {
  return JSON.parse(process.argv[2] ?? '{}');
}

/**
 * Tells the parent that the service answers.
 *
 * @param {{ url: string, port: number, pid: number, about: string }} ready
 */
export function reportReady(ready) {
  // A parent that died this very moment is seen by `onParentGone`; the error here says the same.
  process.send?.(ready, () => undefined);
}

/**
 * Runs `end` once when the parent asks for the end or is gone, then exits, after 2.5 seconds at the latest.
 * Terminal signals are left to the parent, which ends the server before its databases.
 *
 * @param {() => Promise<void> | void} end
 */
export function onParentGone(end) {
  let ending = false;
  const finish = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), 2_500).unref();
    await end();
    process.exit(0);
  };
  process.on('disconnect', finish);
  process.on('SIGTERM', finish);
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);
  if (!process.connected) void finish();
}
