import { isInstalled, versionsOf } from '../contenders/contender';
import { type ContenderName, contenderOf, titleOf } from '../contenders/contenders';
import type { Figure, Lab } from '../harness/lab';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { type Compared, measureBetween, type Spread, spreadBy, spreadOf } from '../harness/rounds';
import type { Slice } from '../servers/worker';
import { startWorker, type Worker } from '../servers/worker-process';
import { type DecisionCase, decisionCases } from './decision-cases';

/** `fill`: the share of the hits that a case adds before the measurement. */
const efforts = {
  full: { rounds: 9, sliceMs: 200, warmUpMs: 1_000, fill: 1 },
  smoke: { rounds: 1, sliceMs: 10, warmUpMs: 10, fill: 0.01 },
};

/** One contender in one case, at one level of concurrency. `rate` and `p50` are ratios to the yardstick of the same round. */
interface Row {
  contender: ContenderName;
  inFlight: number;
  rate: Spread;
  p50: Spread | undefined;
  /** The same ratios by round. `p50`: only with one call in flight. */
  rounds: { rate: readonly number[]; p50: readonly number[] };
  perSecond: Spread;
  p50Us: Spread | undefined;
  /** CPU time of the calling process for one call. */
  cpuUs: Spread;
  /** CPU time of Redis for one call. */
  redisUs: Spread;
}

interface Measured {
  given: DecisionCase;
  rows: readonly Row[];
}

const YARDSTICK: ContenderName = 'ceiling';

export const decisions: Figure = {
  name: 'decisions',
  ownLoad: 2,
  async measure(lab) {
    const workers = new Map<ContenderName, Worker>();
    const workerOf = async (name: ContenderName) => {
      const worker = workers.get(name) ?? (await startWorker(lab, name));
      workers.set(name, worker);
      return worker;
    };
    const measured: Measured[] = [];
    for (const [gate, given] of (lab.size === 'smoke' ? onceEach() : decisionCases).entries())
      measured.push(await measureCase(given, { lab, workerOf, gate }));
    return {
      text: describe(measured),
      goals: measured.flatMap(goalsOf),
    };
  },
};

/** Lists each contender once, in its first case: enough for a smoke test. */
function onceEach(): DecisionCase[] {
  const seen = new Set<ContenderName>();
  return decisionCases.flatMap((given) => {
    const names = given.contenders.filter((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return names.length > 0 ? [{ ...given, contenders: names, inFlight: given.inFlight.slice(0, 1) }] : [];
  });
}

/** Returns the goals of a case with the figures that a run reached. */
export function goalsOf({
  given,
  rows,
}: {
  given: DecisionCase;
  rows: readonly Pick<Row, 'contender' | 'inFlight' | 'rounds'>[];
}): Goal[] {
  return given.goals.flatMap(({ what, of, inFlight, figure, bound, against = [YARDSTICK] }) => {
    const roundsOf = (name: ContenderName) =>
      rows.find((one) => one.contender === name && one.inFlight === inFlight)?.rounds[figure];
    const own = roundsOf(of);
    const others = against.filter(roundsOf);
    if (!own || others.length === 0) return [];
    const better = figure === 'rate' ? Math.max : Math.min;
    const bestOf = (round: number) => better(...others.flatMap((name) => roundsOf(name)?.[round] ?? []));
    const reached = spreadOf(own.map((ratio, round) => ratio / bestOf(round)));
    return [{ what: `${what} ÷ ${others.map(nameOf).join(' or ')}`, bound, reached }];
  });
}

function nameOf(contender: ContenderName): string {
  return contender === YARDSTICK ? '`EVALSHA return 1`' : contenderOf(contender).name;
}

/** Measures all contenders of a case. `gate`: the number of the case in their processes. */
async function measureCase(
  given: DecisionCase,
  on: { lab: Lab; workerOf: (name: ContenderName) => Promise<Worker>; gate: number },
): Promise<Measured> {
  const { lab, workerOf, gate } = on;
  const { fill, warmUpMs, sliceMs, rounds } = efforts[lab.size];
  const installed = [YARDSTICK, ...given.contenders].filter((name) => isInstalled(contenderOf(name)));
  await lab.empty();
  const slice = { gate, subjects: given.subjects, levels: given.levels.length };
  const workers: Worker[] = [];
  for (const name of installed) {
    lab.note(`${given.name}, ${name} begins`);
    const worker = await workerOf(name);
    workers.push(worker);
    const { redisUrl } = lab;
    await worker.call('open', { gate, redisUrl, prefix: `${name}:`, levels: given.levels });
    if (given.fillHits && name !== YARDSTICK)
      await worker.call('fill', {
        ...{ gate, subjects: given.subjects, hits: Math.ceil(given.fillHits * fill) },
      });
    // Concurrent calls warm up the JIT compiler. Sequential calls would take minutes.
    await worker.call('runSlice', { ...slice, inFlight: 64, forMs: warmUpMs });
  }
  const yard = await workerOf(YARDSTICK);
  const rows: Row[] = [];
  for (const inFlight of given.inFlight) {
    for (const worker of workers) await worker.call('runSlice', { ...slice, inFlight, forMs: sliceMs });
    const taken = await measureBetween(
      workers.filter((worker) => worker !== yard),
      {
        yardstick: yard,
        rounds,
        note: (text) => lab.note(`${given.name}, ${inFlight} in flight, ${text}`),
        async measure(worker): Promise<Taken> {
          const before = await lab.redisCpuUs();
          const measured = await worker.call('runSlice', { ...slice, inFlight, forMs: sliceMs });
          return { ...measured, redisUs: ((await lab.redisCpuUs()) - before) / measured.calls };
        },
      },
    );
    for (const [{ name: contender }, slices] of taken) rows.push(toRow({ contender, inFlight }, slices));
  }
  return { given, rows };
}

type Taken = Slice & { redisUs: number };

function toRow(what: Pick<Row, 'contender' | 'inFlight'>, slices: readonly Compared<Taken>[]): Row {
  const own = slices.map((slice) => slice.own);
  const latencyOf = ({ p50Us }: Taken) => p50Us ?? Number.NaN;
  const hasLatency = own.every(({ p50Us }) => p50Us !== undefined);
  /** The ratios to the mean of the yardstick before and after. */
  const ratios = (read: (slice: Taken) => number) =>
    slices.map(({ own, yardstick: [before, after] }) => (2 * read(own)) / (read(before) + read(after)));
  const rounds = { rate: ratios(({ perSecond }) => perSecond), p50: hasLatency ? ratios(latencyOf) : [] };
  return {
    ...what,
    rate: spreadOf(rounds.rate),
    p50: hasLatency ? spreadOf(rounds.p50) : undefined,
    rounds,
    perSecond: spreadBy(own, ({ perSecond }) => perSecond),
    p50Us: hasLatency ? spreadBy(own, latencyOf) : undefined,
    cpuUs: spreadBy(own, ({ cpuUs }) => cpuUs),
    redisUs: spreadBy(own, ({ redisUs }) => redisUs),
  };
}

function describe(measured: readonly Measured[]): string {
  const used = new Set(measured.flatMap(({ rows }) => rows.map(({ contender }) => contender)));
  return `${table(
    ['contender', 'version', 'how it counts'],
    [...used].map((name) => {
      const contender = contenderOf(name);
      const version = contender.isOurs ? 'this one' : versionsOf(contender).replaceAll(', ', '<br>');
      return [contender.name, version, contender.about];
    }),
    { text: [1, 2] },
  )}

${measured.map(describeCase).join('\n\n')}`;
}

function describeCase({ given, rows }: Measured): string {
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
    row.contender === YARDSTICK ? `*${titleOf(YARDSTICK)}*` : titleOf(row.contender),
    withSpread((isSingle ? row.p50 : undefined) ?? row.rate),
    digits((isSingle ? row.p50Us : row.perSecond)?.median ?? Number.NaN),
    digits(row.cpuUs.median),
    digits(row.redisUs.median),
  ]),
)}`;
  });
  return `### ${given.title}

${capital(given.about)}.

${sections.join('\n\n')}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
