import { decisions } from '../decisions/figure.mjs';

/** All parts of the benchmark, in the order of the page. @type {readonly import('./figure').Figure[]} */
export const figures = [decisions];
