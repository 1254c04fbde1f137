/** The process of one contender: `worker.ts CONTENDER CLOCK_OFFSET_MS`. */
import { setTimeout as after } from 'node:timers/promises';
import type { Gate, Level } from '../contenders/contender';
import { type ContenderName, contenderOf } from '../contenders/contenders';
import { median } from '../harness/rounds';
import { serveTasks } from '../harness/tasks';

/** Calls between two reads of the clock. A read costs about as much as a cached denial. */
const CALLS_PER_CHECK = 8;
const MAX_PENDING_FILLS = 256;

const [name, clockOffsetMs] = process.argv.slice(2);
if (Number(clockOffsetMs) !== 0) shiftClock(Number(clockOffsetMs));
const gates = new Map<number, Gate>();

const tasks = {
  /** Opens a gate with a number. */
  async open({ gate, ...options }: OnGate & { redisUrl: string; prefix: string; levels: readonly Level[] }) {
    gates.set(gate, await contenderOf(name as ContenderName).open(options));
  },
  runSlice,
  /** Decides once for each subject and hit. */
  async fill({ gate, subjects, hits }: OnGate & { subjects: number; hits: number }) {
    const { decide } = gateOf(gate);
    let next = 0;
    const work = async () => {
      while (next < subjects * hits) {
        const subject = `s${next % subjects}`;
        next += 1;
        await decide([subject]);
      }
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PENDING_FILLS, subjects) }, work));
  },
  playBursts,
};
export type WorkerTasks = typeof tasks;

serveTasks(tasks);

interface OnGate {
  gate: number;
}

export interface SliceOptions extends OnGate {
  /** Time in which calls start, in ms. */
  forMs: number;
  inFlight: number;
  /** Number of subjects of the first level, used in rotation. The other levels have one subject. */
  subjects: number;
  levels: number;
}

export interface Slice {
  calls: number;
  perSecond: number;
  /** CPU time of this process per call, in µs. */
  cpuUs: number;
  /** Median time of one call in µs, only with one call in flight. */
  p50Us: number | undefined;
}

/** Decides for some time, with a number of calls in flight. */
async function runSlice({ gate, forMs, inFlight, subjects, levels }: SliceOptions): Promise<Slice> {
  const { decide } = gateOf(gate);
  const latencies: number[] = [];
  const others = Array.from({ length: levels - 1 }, (_, index) => `all${index}`);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + forMs;
  let calls = 0;
  const decideNext = () => {
    // A step that shares no factor with the number of subjects visits all of them.
    const subject = `s${(calls * 7919) % subjects}`;
    calls += 1;
    return decide([subject, ...others]);
  };
  const work = async () => {
    while (performance.now() < until) {
      for (let call = 0; call < CALLS_PER_CHECK; call += 1) {
        const answer = decideNext();
        // A synchronous answer needs no `await`.
        if (typeof answer !== 'boolean') await answer;
      }
    }
  };
  const workAlone = async () => {
    for (let now = performance.now(); now < until; ) {
      await decideNext();
      const answeredAt = performance.now();
      latencies.push(answeredAt - now);
      now = answeredAt;
    }
  };
  await (inFlight === 1 ? workAlone() : Promise.all(Array.from({ length: inFlight }, work)));
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    calls,
    perSecond: (calls / tookMs) * 1000,
    cpuUs: (user + system) / calls,
    p50Us: latencies.length > 0 ? median(latencies) * 1000 : undefined,
  };
}

export interface Burst {
  /** In ms after the start. */
  atMs: number;
  calls: number;
}

/** Send and answer time of an admitted call, in ms after the start. */
export type AdmittedSpan = readonly [sent: number, answered: number];

/** Sends bursts at given times. `startUs`: time of `atMs` 0, in µs of the machine's monotonic clock. */
async function playBursts({
  gate,
  startUs,
  bursts,
}: OnGate & { startUs: number; bursts: readonly Burst[] }): Promise<AdmittedSpan[]> {
  const { decide } = gateOf(gate);
  const sinceStartMs = () => Number(process.hrtime.bigint() / 1000n - BigInt(startUs)) / 1000;
  const sent: Promise<AdmittedSpan | undefined>[] = [];
  const send = async (): Promise<AdmittedSpan | undefined> => {
    const sentAt = sinceStartMs();
    const isAdmitted = await decide(['s0']);
    return isAdmitted ? [sentAt, sinceStartMs()] : undefined;
  };
  for (const { atMs, calls } of bursts) {
    await after(Math.max(0, atMs - sinceStartMs()));
    for (let call = 0; call < calls; call += 1) sent.push(send());
  }
  const spans = await Promise.all(sent);
  return spans.filter((span) => span !== undefined);
}

function gateOf(number: number): Gate {
  const gate = gates.get(number);
  if (!gate) throw new RangeError(`gate ${number} was not opened`);
  return gate;
}

/** Shifts the clock of this process. Contenders load their packages later. */
function shiftClock(offsetMs: number): void {
  const Real = Date;
  class ShiftedDate extends Real {
    constructor(...args: [] | [number]) {
      super(args[0] ?? Real.now() + offsetMs);
    }

    static override now() {
      return Real.now() + offsetMs;
    }
  }
  Object.assign(globalThis, { Date: ShiftedDate });
}
