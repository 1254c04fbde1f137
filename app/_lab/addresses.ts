/** The sections of the lab, in the order of their links. The first is the default. */
export const sections = [
  'compare',
  'mistakes',
  'storage',
  'ladder',
  'layers',
  'fairness',
  'examine',
] as const;

export type Section = (typeof sections)[number];

interface Step {
  /** The texts are at `labText.tour.steps`. */
  name: string;
  minutes: number;
  /** The address of the lab with the scenario of the step. */
  href: string;
}

/** The steps of the tour, in order. They take ten minutes together. */
export const tourSteps = [
  { name: 'why', minutes: 1, href: '/lab?traffic=preset&preset=seckill' },
  { name: 'algorithms', minutes: 2, href: '/lab?traffic=edge' },
  {
    name: 'cells',
    minutes: 1,
    href: '/lab?traffic=steady&limit=10&window=10000&load=150&windows=4&subwindows=1',
  },
  { name: 'queue', minutes: 1, href: '/lab?traffic=preset&preset=leaky-burst' },
  { name: 'atomicity', minutes: 2, href: '/lab?section=mistakes&card=four-commands' },
  { name: 'time', minutes: 1, href: '/lab?section=mistakes&card=node-clock' },
  { name: 'failure', minutes: 1, href: '/lab?section=mistakes&card=redis-down' },
  { name: 'fairness', minutes: 1, href: '/lab?section=fairness' },
] as const satisfies readonly Step[];

/** Returns the address of a step, counted from 0. On it, the lab shows the next and the previous step. */
export function getStepHref(index: number): string | undefined {
  const step = tourSteps[index];
  return step && `${step.href}&step=${index + 1}`;
}

/** Returns the index of the step that a URL names, or `undefined` if it names none. */
export function parseStep(query: URLSearchParams): number | undefined {
  const number = Number(query.get('step') ?? '');
  return Number.isInteger(number) && tourSteps[number - 1] ? number - 1 : undefined;
}
