/**
 * Returns the options that `spawnService` passes as the only argument.
 *
 * @template T
 * @returns {T}
 */
export function readWrapperOptions() {
  return JSON.parse(process.argv[2] ?? '{}');
}

/**
 * Reports to the parent that the service is ready.
 *
 * @param {{ url: string, port: number, pid: number, about: string }} ready
 */
export function reportReady(ready) {
  // An error means that the parent has just exited, which `onParentGone` also detects.
  process.send?.(ready, () => undefined);
}

/**
 * Runs `end` once when the parent requests a stop or has exited, then exits, after 2.5 seconds at the latest. It ignores
 * terminal signals, because the parent stops the server before its databases.
 *
 * @param {() => Promise<void> | void} end
 */
export function onParentGone(end) {
  let isStopping = false;
  const finish = async () => {
    if (isStopping) return;
    isStopping = true;
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
