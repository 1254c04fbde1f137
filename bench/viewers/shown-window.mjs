/** The window that is shown: every 40 ms one more hit enters it, some 200 are in it. */
export const shownPolicy = {
  name: 'bench.live',
  levels: [{ level: 'global', limit: 250, windowMs: 10_000 }],
  message: { en: 'Wait.' },
};

export const HIT_EVERY_MS = 40;

/** Begins the keys of the limiter that shows it and of the one that fills it. */
export const prefix = 'viewers:';
