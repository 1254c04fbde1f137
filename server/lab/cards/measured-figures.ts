/** The main figures of a card, each as `value` of `of`. */
export interface MeasuredFigures {
  naive: readonly [value: number, of: number];
  product: readonly [value: number, of: number];
}

/**
 * The measured figures of each card, so that the page shows them before a run. Runs on a clock of their own give the same
 * figures each time: a test compares them.
 */
export const measuredFigures = {
  'four-commands': { naive: [100, 10], product: [10, 10] },
  'get-then-incr': { naive: [100, 10], product: [10, 10] },
  'timestamp-member': { naive: [100, 10], product: [10, 10] },
  'seeded-member': { naive: [60, 10], product: [10, 10] },
  'random-member': { naive: [1_918, 1_900], product: [1_900, 1_900] },
  'double-burst': { naive: [100, 50], product: [50, 50] },
  // 40 s of calls, 5 in 10 s.
  'self-extending-block': { naive: [5, 20], product: [20, 20] },
  // 60 s of calls: 5 in 12 s until the key expires, 5 in 10 s in the product.
  'expiry-on-success': { naive: [25, 30], product: [30, 30] },
  // 10 hits of each node fill the window. The node ahead drops half a window of them too early.
  'node-clock': { naive: [30, 20], product: [20, 20] },
  'count-to-now': { naive: [41, 20], product: [20, 20] },
  'bucket-units': { naive: [3_600, 10], product: [10, 10] },
  'never-drains': { naive: [10, 69], product: [69, 69] },
  'lost-state': { naive: [90, 10], product: [10, 10] },
  'cross-slot': { naive: [3, 1], product: [1, 1] },
  'ban-again': { naive: [6, 9], product: [9, 9] },
  'warning-admits': { naive: [7, 5], product: [5, 5] },
  'chosen-key': { naive: [100, 5], product: [5, 5] },
  anonymous: { naive: [3, 30], product: [30, 30] },
  'shared-key': { naive: [0, 3], product: [3, 3] },
  'zombie-keys': { naive: [19, 0], product: [0, 0] },
  'redis-down': { naive: [100, 20], product: [0, 20] },
  'pulse-starves': { naive: [31, 60], product: [60, 60] },
  // 20 s of calls run at the same time: 2 in each 5 s.
  'window-in-flight': { naive: [8, 2], product: [2, 2] },
  'failures-charged': { naive: [0, 5], product: [5, 5] },
  'one-plan': { naive: [5, 20], product: [20, 20] },
  'unshared-limits': { naive: [30, 20], product: [20, 20] },
} satisfies Record<string, MeasuredFigures>;
