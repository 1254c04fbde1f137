import { adapters } from '../adapters/figure.mjs';
import { decisions } from '../decisions/figure.mjs';
import { exactness } from '../exactness/figure.mjs';
import { growth } from '../growth/figure.mjs';
import { http } from '../http/figure.mjs';
import { ledger } from '../ledger/figure.mjs';
import { memory } from '../memory/figure.mjs';
import { queue } from '../queue/figure.mjs';
import { viewers } from '../viewers/figure.mjs';

/**
 * All figures, in the order of docs/benchmarks.md.
 *
 * @type {readonly import('./figure').Figure[]}
 */
export const figures = [decisions, memory, exactness, http, adapters, viewers, ledger, growth, queue];
