import type { Algorithm } from '../types';

/** Display position of each algorithm. A missing algorithm does not compile. */
const positions = {
  'sliding-log': 0,
  'sliding-counter': 1,
  'fixed-window': 2,
  'token-bucket': 3,
  'leaky-bucket': 4,
} as const satisfies Record<Algorithm, number>;

export const algorithms: readonly Algorithm[] = Object.keys(positions).filter(isAlgorithm);

function isAlgorithm(name: string): name is Algorithm {
  return name in positions;
}
