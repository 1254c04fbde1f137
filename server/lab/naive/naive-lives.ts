/** How long what a mistaken version writes lives, should nobody delete it: far longer than an experiment. */
export const NAIVE_LIVES_MS = 60_000;
