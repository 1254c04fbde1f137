/** The policy of the window that viewers see. It gets a hit every 40 ms and holds about 200. */
export const shownPolicy = {
  name: 'bench.live',
  levels: [{ level: 'global', limit: 250, windowMs: 10_000 }],
  message: { en: 'Wait.' },
};

export const HIT_EVERY_MS = 40;

/** The key prefix of both limiters: the one that reads the window and the one that fills it. */
export const prefix = 'viewers:';
