import { isInstalled, versionsOf } from '../contenders/contender.mjs';
import { contenders } from '../contenders/contenders.mjs';
import { barPlot } from '../report/bars.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { table } from '../report/table.mjs';
import { decisionCases } from './cases.mjs';
import { createCrew } from './crew.mjs';
import { efforts, measureCase } from './measure-case.mjs';

/** @typedef {Awaited<ReturnType<typeof measureCase>> & { given: import('./cases.mjs').DecisionCase }} Measured */

/** @type {import('../run/figure').Figure} */
export const decisions = {
  name: 'decisions',
  title: 'Decisions',
  ownLoad: 2,
  async measure(lab) {
    /** @type {Measured[]} */
    const measured = [];
    const crew = createCrew(lab);
    for (const [gate, given] of (lab.size === 'smoke' ? onceEach() : decisionCases).entries())
      measured.push({ given, ...(await measureCase(given, { lab, crew, gate })) });
    return {
      text: describe(measured, efforts[lab.size]),
      goals: measured.flatMap(goalsOf),
      plots: Object.fromEntries(measured.map((one) => [`decisions-${one.given.name}.svg`, plot(one)])),
      data: measured.map(({ given: { name }, yardstick, rows }) => ({ name, yardstick, rows })),
    };
  },
};

/** Lists each contender once, in its first case: enough for a smoke test. */
function onceEach() {
  /** @type {Set<import('./cases.mjs').ContenderName>} */
  const seen = new Set();
  return decisionCases.flatMap((given) => {
    const names = given.contenders.filter((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return names.length > 0 ? [{ ...given, contenders: names, inFlight: given.inFlight.slice(0, 1) }] : [];
  });
}

/**
 * Returns the goals of a case with the figures that a run reached.
 *
 * @param {object} measured
 * @param {import('./cases.mjs').DecisionCase} measured.given
 * @param {readonly Pick<import('./measure-case.mjs').Row, 'contender' | 'inFlight' | 'rate' | 'p50'>[]} measured.rows
 */
export function goalsOf({ given, rows }) {
  return given.goals.flatMap(({ what, of, inFlight, figure, bound: declared, notBelow }) => {
    const rowOf = (/** @type {string} */ name) =>
      rows.find((one) => one.contender === name && one.inFlight === inFlight);
    const row = rowOf(of);
    const peer = notBelow && rowOf(notBelow)?.rate.median;
    const bound = 'min' in declared ? { min: Math.max(declared.min, peer ?? 0) } : declared;
    const reached = figure === 'rate' ? row?.rate : row?.p50;
    const inCase = given.yardstick === 'ceiling' && figure === 'rate' ? ' ÷ `EVALSHA return 1`' : '';
    return reached ? [{ what: `${what}${inCase}`, bound, reached }] : [];
  });
}

/**
 * @param {readonly Measured[]} measured
 * @param {import('./measure-case.mjs').Effort} effort
 */
function describe(measured, { rounds, sliceMs }) {
  const used = new Set(measured.flatMap(({ rows }) => rows.map(({ contender }) => contender)));
  const wanted = decisionCases.flatMap(({ contenders: names, yardstick }) => [...names, yardstick]);
  const absent = [...new Set(wanted)].filter((name) => !isInstalled(contenders[name]));
  return `Each contender has a separate process. Only one runs at a time, on one Redis. A case has ${rounds} rounds. In each round
every contender runs for ${sliceMs} ms between two runs of the yardstick, every other round in reverse order. A ratio compares a
run with the mean of the yardstick's runs right before and after it. Every number is the median of the rounds, with the
quartiles in brackets. All but \`@trpc-limiter/redis\` are on ioredis with the product's options. *Alone*:
each decision is a separate script call, as on a connection with sequential calls. By default, the limiter sends the calls of
one event-loop tick in one script call
([022](decisions/022-decision-batches.md)).

${table(
  ['contender', 'version', 'how it counts'],
  [...used].map((name) => {
    const { name: title, about, isOurs } = contenders[name];
    return [title, isOurs ? 'this one' : versionsOf(contenders[name]).replaceAll(', ', '<br>') || '', about];
  }),
  { text: [1, 2] },
)}
${absent.length > 0 ? `\nNot installed, and left out: ${absent.map((name) => contenders[name].name).join(', ')}.\n` : ''}
${measured.map(describeCase).join('\n\n')}`;
}

/** @param {Measured} measured */
function describeCase({ given, yardstick, rows }) {
  const sections = given.inFlight.map((inFlight) => {
    const own = rows.filter((row) => row.inFlight === inFlight);
    const isSingle = inFlight === 1;
    return `${inFlight} in flight:

${table(
  [
    'contender',
    isSingle ? 'p50 ÷ yardstick' : '÷ yardstick',
    isSingle ? 'p50, µs' : 'decisions/s',
    'CPU of the caller, µs',
    'CPU of Redis, µs',
  ],
  own.map((row) => [
    nameOf(row.contender, yardstick),
    withSpread((isSingle ? row.p50 : undefined) ?? row.rate),
    digits((isSingle ? row.p50Us : row.perSecond)?.median ?? Number.NaN),
    digits(row.cpuUs.median),
    digits(row.redisUs.median),
  ]),
)}`;
  });
  return `### ${given.title}

${capital(given.about)}. Yardstick: ${contenders[yardstick].name}.

![${given.title}: decisions per second as a ratio to the yardstick](benchmarks/decisions-${given.name}.svg)

${sections.join('\n\n')}`;
}

/** @param {Measured} measured */
function plot({ given, yardstick, rows }) {
  const inFlight = given.inFlight.includes(64) ? 64 : given.inFlight[0];
  return barPlot({
    title: `${given.title}: decisions/s ÷ ${contenders[yardstick].name}, ${inFlight} in flight`,
    bars: rows
      .filter((row) => row.inFlight === inFlight && row.contender !== yardstick)
      .map(({ contender, rate }) => ({
        label: contenders[contender].name,
        value: rate,
        isOurs: contenders[contender].isOurs,
      })),
    line: { at: 1, label: '1' },
  });
}

/**
 * @param {import('./cases.mjs').ContenderName} contender
 * @param {import('./cases.mjs').ContenderName} yardstick
 */
function nameOf(contender, yardstick) {
  const { name, isOurs } = contenders[contender];
  if (contender === yardstick) return `*${name}*`;
  return isOurs ? `**${name}**` : name;
}

/** @param {string} words */
function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
