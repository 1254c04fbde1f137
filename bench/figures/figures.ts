import type { Figure } from '../harness/lab';
import { adapters } from './adapters';
import { decisions } from './decisions';
import { exactness } from './exactness';
import { growth } from './growth';
import { http } from './http';
import { leases } from './leases';
import { ledger } from './ledger';
import { memory } from './memory';
import { queue } from './queue';
import { viewers } from './viewers';

/** All figures, in the order of docs/benchmarks.md. */
export const figures: readonly Figure[] = [
  decisions,
  memory,
  exactness,
  http,
  adapters,
  viewers,
  ledger,
  growth,
  leases,
  queue,
];
