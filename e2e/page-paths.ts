/** The paths of all pages, of the demo too, by their readers. */
export const pagePaths = {
  visitors: [
    '/',
    '/merchants',
    '/merchants/long-bench-noodles',
    '/merchants/unknown',
    '/no-such-page',
    '/wallet',
    '/sign-in',
    '/dev/mailbox',
  ],
  lab: [
    '/lab',
    '/lab?section=mistakes',
    '/lab?section=storage',
    '/lab?section=ladder',
    '/lab?section=layers',
    '/lab?section=fairness',
    '/lab?section=fairness&step=8',
    '/lab?traffic=preset&preset=leaky-burst',
    '/lab/tour',
    '/lab/handout',
  ],
  operators: ['/ops', '/ops/limits', '/ops/who', '/ops/alerts', '/ops/sales'],
} as const;
