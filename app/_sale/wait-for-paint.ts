/** In a hidden tab there are no frames. */
const MAX_FRAME_MS = 100;

/** Resolves when the browser has painted the current state. */
export function waitForPaint(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_FRAME_MS);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      // A task after the frame's callbacks runs after its paint.
      setTimeout(resolve);
    });
  });
}
