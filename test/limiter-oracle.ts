/*
 * The limiter by its definitions, for comparison with the product. It imports nothing of the product, and stores every
 * admitted unit as long as it can matter. All instants are epoch ms of one clock, all durations ms.
 *
 * Levels. A call is decided on all its levels at one instant. It is admitted if every enforced level has room for its
 * units, and then charges all of them; otherwise it charges none. A shadow level refuses no call; it is charged by an
 * admitted call if it has room. A peek is a call of 0 units: admitted, charges nothing.
 * retryAfterMs of a level without room is exact: if nothing else is decided, the same call has no room 1 ms earlier, and
 * then it has. Of a level that was charged or peeked, it is the time until one unit has room. A settle or release by
 * another call may make room earlier, so on a level with reservations or leases it is an upper bound.
 *
 * Cost by call. Each call charges its own cost on every level. A cost above the limit is refused, and waits one window.
 *
 * Personal numbers. Each call brings the limit and window of each level, and is decided by them over all units that the
 * window holds, whatever numbers charged those. A unit that has left the window at an admitted call never returns; until
 * then a longer window counts it again. A bucket whose window changed rounds its used units up to whole ones. A lower
 * limit of a bucket applies to units that return after the next admitted call: until then they return by the former limit.
 *
 * Settle. A call reserves its greatest cost: it is charged like any cost, at its instant. Settling it to `kept` units
 * before the end of its lease returns the other units at once; the kept ones keep their instant. From the end of the
 * lease on, and the second time, it changes nothing: all units are spent.
 * If it keeps more than it reserved, the units above are charged at the instant of the settling, at most one limit on each
 * level that the call charged, whether they have room or not: the window may then hold more than its limit, and later calls
 * wait until all fits. The bound of a window counts the units that decisions admit, and not these.
 * It changes nothing on a level that was cleared since the call, in the order of the commands. Of all algorithms but the
 * sliding log, the same if a call that charged the level since, or the settling, has another limit or window; of a counter, a
 * limit by call does not matter.
 * - sliding-log: `reserved - kept` units of the call leave, if they are still stored.
 * - sliding-counter: the same.
 * - fixed-window: the same, while the window of the call lasts.
 * - token-bucket: since the call, at most `limit / windowMs` units per ms have returned by time, and those that the call
 *   keeps first; what is left of the others returns. Worked: 10 per 1 000 ms, 10 reserved at 0. Settled to 0 at 300: 3 have
 *   returned, the other 7 do now. Settled to 5 at 300: the 5 that are not kept return, and 2 kept units are left. Settled to 5
 *   at 700: 7 have returned, the other 3 do now. So no call is admitted that would be refused if the call had cost only
 *   `kept`.
 * - leaky-bucket: not allowed. Calls behind the reservation keep their start, so calls that follow the settling would start
 *   next to them, and more than the limit would start in a window.
 *
 * In flight. A level admits a call if fewer than `limit` leases are held, and the call takes one lease for `windowMs`,
 * whatever it costs. The lease is held until just before its end: at its end there is room. A release returns it at once, a
 * renewal moves its end to `windowMs` after the renewal. A lease that has ended can be neither renewed nor released.
 * retryAfterMs is the time until enough leases have ended by themselves: an upper bound. resetMs is the time until the
 * earliest end.
 *
 * Clear. Empties one window, and ends its leases. Bans, violations and request ids stay.
 *
 * Shared levels. Levels of several policies with one window name charge one window, and all else is as above.
 *
 * Rules of operators, each for one subject of one level; that of a call is the one of its subject at its instant.
 * - numbers: replace the limit, the window, or both, whatever the plan or the level says.
 * - exempt: the level takes no part in the call. The others do. If none does, the call is admitted, and charges and reserves nothing.
 * - deny: before `until`, an enforced level refuses every call, charged request ids included, with the reason `banned` and
 *   the wait until then. The first such level refuses, and no level takes part. From `until` on, the rule has no effect.
 *
 * Request ids. An admitted call charges its id. A call whose id is charged is a replay if its input is the same, else a
 * conflict. Both charge nothing and are refused by no window and no ban, only by a deny rule. A refused call leaves its id
 * unused. A replay keeps the start of the charged call: its wait on every leaky bucket is the time until then; none if no
 * enforced bucket took part in that call, also after a step of the clock.
 *
 * Punishment. Each refusal of a call by the window of an enforced punishing level is a violation, whichever level the refusal
 * names. Violations lapse `lapseMs` after the last. The violation `banAt` starts a ban of `banMs`, and refuses as `banned`
 * itself. During a ban, the level refuses every call, and no level of the call counts a violation. The wait is then the
 * longer one of ban and window. After the ban, the level has no violations.
 */

/** The algorithms of levels; `in-flight` counts calls that run, not units in a window. */
export type OracleAlgorithm =
  | 'sliding-log'
  | 'sliding-counter'
  | 'fixed-window'
  | 'token-bucket'
  | 'leaky-bucket'
  | 'in-flight';

/** Of a level in flight: `limit` leases of `windowMs`. */
export interface LevelNumbers {
  limit: number;
  windowMs: number;
  subWindows: number;
}

/** The rule of an operator for the subject of a call at one level. */
export type OracleRule =
  | { kind: 'numbers'; limit?: number | undefined; windowMs?: number | undefined }
  | { kind: 'exempt' }
  | { kind: 'deny'; until: number };

export interface OraclePunishment {
  warnAt: number;
  banAt: number;
  banMs: number;
  lapseMs: number;
}

/** The decision of decide.lua on one level. */
export interface Verdict extends LevelVerdict {
  now: number;
  allowed: boolean;
}

/** One level in the reply of decide.lua. */
export interface LevelVerdict {
  used: number;
  retryAfterMs: number;
  resetMs: number;
  delayMs: number;
}

/** The state of a window for a call, before or after its charge. */
interface Reading extends LevelVerdict {
  now: number;
  hasRoom: boolean;
}

interface WindowCall {
  clock: number;
  cost: number;
  numbers: LevelNumbers;
  /** The call, in later settlings, releases and renewals. */
  id: string;
}

interface OracleWindow {
  read(call: WindowCall): Reading;
  /** Charges a call that has room. */
  charge(call: WindowCall): Reading;
  /** Returns units of a call that reserved `reserved` units at `at` and keeps fewer. */
  settle(call: WindowCall, reservation: { at: number; reserved: number; kept: number }): void;
}

/** One admitted unit. */
interface Unit {
  id: string;
  hit: number;
  /** Of a sliding counter: the last instant of its sub-window, which later admitted calls may lower. */
  subWindowEnd: number;
}

/** The instant at which a unit leaves. `newest` is the last hit. */
const returnInstants = {
  'sliding-log': ({ hit }: Unit, { windowMs }: LevelNumbers) => hit + windowMs,
  'sliding-counter': ({ subWindowEnd }: Unit, numbers: LevelNumbers, newest: number) =>
    Math.min(subWindowEnd, subWindowEndOf(newest, numbers)) + numbers.windowMs,
  'fixed-window': (_unit: Unit, { windowMs }: LevelNumbers, newest: number) =>
    (Math.floor(newest / windowMs) + 1) * windowMs,
};

/** Returns the last millisecond of the sub-window of an instant. */
function subWindowEndOf(instant: number, { windowMs, subWindows }: LevelNumbers): number {
  const subWindowMs = Math.ceil(windowMs / subWindows);
  return (Math.floor(instant / subWindowMs) + 1) * subWindowMs - 1;
}

/** Creates a window that stores every admitted unit until the unit leaves. */
function createUnitWindow(algorithm: keyof typeof returnInstants): OracleWindow {
  let units: Unit[] = [];
  let newest = 0;

  function read({ clock, cost, numbers }: WindowCall): Reading {
    const { limit, windowMs } = numbers;
    const now = Math.max(clock, newest);
    const returns = units
      .map((unit) => returnInstants[algorithm](unit, numbers, newest))
      .filter((instant) => instant > now);
    const must = returns.length + Math.max(cost, 1) - limit;
    const last = must > returns.length ? clock + windowMs : (returns[must - 1] ?? clock);
    const [first = clock] = returns;
    const retryAfterMs = last - clock;
    return {
      now,
      hasRoom: must <= 0,
      used: returns.length,
      retryAfterMs,
      resetMs: first - clock,
      delayMs: 0,
    };
  }

  return {
    read,
    charge(call) {
      const { cost, numbers, id } = call;
      const { now } = read(call);
      const newestEnd = subWindowEndOf(newest, numbers);
      units = units
        .filter((unit) => returnInstants[algorithm](unit, numbers, newest) > now)
        .map((unit) => ({ ...unit, subWindowEnd: Math.min(unit.subWindowEnd, newestEnd) }));
      const subWindowEnd = subWindowEndOf(now, numbers);
      for (let unit = 0; unit < cost; unit += 1) units.push({ id, hit: now, subWindowEnd });
      newest = now;
      return read({ ...call, cost: 0 });
    },
    settle({ id }, { reserved, kept }) {
      let leaving = reserved - kept;
      units = units.filter((unit) => unit.id !== id || leaving-- <= 0);
    },
  };
}

/** A number of units as a fraction, so that it is exact. */
interface Fraction {
  over: bigint;
  under: bigint;
}

const roundUp = ({ over, under }: Fraction) => Number((over + under - 1n) / under);
const atLeastZero = ({ over, under }: Fraction): Fraction => ({ over: over > 0n ? over : 0n, under });

/** Returns `units + count / per`. */
function plus({ over, under }: Fraction, count: number, per = 1): Fraction {
  return { over: over * BigInt(per) + BigInt(count) * under, under: under * BigInt(per) };
}

/** Creates a bucket, whose used units return evenly. */
function createBucket({ isQueue }: { isQueue: boolean }): OracleWindow {
  let newest = 0;
  let used: Fraction = { over: 0n, under: 1n };
  let before: LevelNumbers | undefined;

  /** Returns the used units at an instant, and the limit by which they return. */
  function drain(now: number, { limit, windowMs }: LevelNumbers): { left: Fraction; rate: number } {
    const whole = before && before.windowMs !== windowMs ? { over: BigInt(roundUp(used)), under: 1n } : used;
    const rate = Math.max(limit, before?.limit ?? limit);
    return { left: atLeastZero(plus(whole, -(now - newest) * rate, windowMs)), rate };
  }

  function readAt({ clock, cost, numbers }: WindowCall): Reading & { left: Fraction } {
    const { limit, windowMs } = numbers;
    const now = Math.max(clock, newest);
    const { left, rate } = drain(now, numbers);
    /** Returns the time from the clock until at most `count` units are used. */
    const msUntil = (count: number) => {
      const { over, under } = plus(left, -count);
      return over <= 0n
        ? 0
        : now + roundUp({ over: over * BigInt(windowMs), under: under * BigInt(rate) }) - clock;
    };
    const shown = roundUp(left);
    const retryAfterMs = cost > limit ? windowMs : msUntil(limit - Math.max(cost, 1));
    const hasRoom = retryAfterMs === 0;
    // A call starts when the queue before it is empty.
    const startsIn = shown > 0 ? msUntil(0) : now - clock;
    const resetMs = shown > 0 ? msUntil(shown - 1) : 0;
    return {
      left,
      now,
      hasRoom,
      used: shown,
      retryAfterMs,
      resetMs,
      delayMs: isQueue && hasRoom ? startsIn : 0,
    };
  }

  const toReading = ({ left: _left, ...reading }: ReturnType<typeof readAt>): Reading => reading;

  return {
    read: (call) => toReading(readAt(call)),
    charge(call) {
      const { left, now, delayMs } = readAt(call);
      newest = now;
      used = plus(left, call.cost);
      before = call.numbers;
      return { ...toReading(readAt({ ...call, cost: 0 })), delayMs };
    },
    settle({ clock, numbers }, { at, reserved, kept }) {
      if (isQueue) throw new RangeError('a leaky bucket settles nothing');
      const now = Math.max(clock, newest);
      const unreturned = atLeastZero(
        plus({ over: BigInt(reserved), under: 1n }, -(now - at) * numbers.limit, numbers.windowMs),
      );
      const { left } = drain(now, numbers);
      const most = BigInt(reserved - kept);
      const returned = unreturned.over > most * unreturned.under ? { over: most, under: 1n } : unreturned;
      newest = now;
      used = atLeastZero({
        over: left.over * returned.under - returned.over * left.under,
        under: left.under * returned.under,
      });
    },
  };
}

interface Leases extends OracleWindow {
  release(id: string, clock: number): boolean;
  renew(id: string, clock: number): boolean;
}

/** Creates a window of leases. The clock never runs backwards. */
function createLeases(): Leases {
  let leases: { id: string; end: number; leaseMs: number }[] = [];

  function held(clock: number) {
    leases = leases.filter(({ end }) => end > clock);
    return leases;
  }

  function read({ clock, numbers: { limit } }: WindowCall): Reading {
    const used = held(clock).length;
    const ends = leases.map(({ end }) => end).toSorted((one, other) => one - other);
    const [earliest = clock] = ends;
    const hasRoom = used < limit;
    const retryAfterMs = hasRoom ? 0 : (ends[used - limit] ?? clock) - clock;
    return { now: clock, hasRoom, used, retryAfterMs, resetMs: earliest - clock, delayMs: 0 };
  }

  return {
    read,
    charge(call) {
      const { id, clock, numbers } = call;
      leases.push({ id, end: clock + numbers.windowMs, leaseMs: numbers.windowMs });
      return read(call);
    },
    settle: () => undefined,
    release(id, clock) {
      const before = held(clock).length;
      leases = leases.filter((lease) => lease.id !== id);
      return leases.length < before;
    },
    renew(id, clock) {
      const lease = held(clock).find((one) => one.id === id);
      if (lease) lease.end = clock + lease.leaseMs;
      return lease !== undefined;
    },
  };
}

/** The violations of one subject at one level. */
interface Violations {
  violations: number;
  /** 0 without a violation. */
  lastMs: number;
  /** 0 without a ban. */
  bannedUntil: number;
}

const noViolations: Violations = { violations: 0, lastMs: 0, bannedUntil: 0 };

/** Creates the store of a subject's violations at one level. */
function createViolations({ banAt, banMs, lapseMs }: OraclePunishment) {
  let stored = noViolations;

  /** Returns the violations that count at an instant. */
  function read(clock: number): Violations {
    const { lastMs, bannedUntil } = stored;
    return (bannedUntil > 0 ? bannedUntil : lastMs + lapseMs) > clock ? stored : noViolations;
  }

  return {
    read,
    /** Counts a violation outside a ban. */
    count(clock: number): void {
      const { violations, lastMs } = read(clock);
      const bannedUntil = violations + 1 >= banAt ? clock + banMs : 0;
      stored = { violations: violations + 1, lastMs: Math.max(lastMs, clock), bannedUntil };
    },
  };
}

function createWindow(algorithm: OracleAlgorithm): OracleWindow {
  if (algorithm === 'in-flight') return createLeases();
  if (algorithm === 'token-bucket' || algorithm === 'leaky-bucket')
    return createBucket({ isQueue: algorithm === 'leaky-bucket' });
  return createUnitWindow(algorithm);
}

/** Creates the oracle of one level: decides a call of `cost` units and charges it if it fits; cost 0 peeks. */
export function createOracle(algorithm: OracleAlgorithm) {
  const window = createWindow(algorithm);
  return function call(clock: number, cost: number, numbers: LevelNumbers): Verdict {
    const one = { clock, cost, numbers, id: '' };
    const { hasRoom, ...read } = window.read(one);
    if (!hasRoom || cost === 0) return { ...read, allowed: cost === 0 };
    const { hasRoom: _hasRoom, ...charged } = window.charge(one);
    return { ...charged, allowed: true };
  };
}

/** One level of a call. */
export interface OracleLevel {
  /** The name of its window. Levels with one name charge one window and have one algorithm. */
  window: string;
  algorithm: OracleAlgorithm;
  numbers: LevelNumbers;
  isShadow?: boolean;
  /** True if each call has its own limit. */
  hasOwnLimit?: boolean;
  /** A level that punishes charges its window alone. */
  punishment?: OraclePunishment | undefined;
  rule?: OracleRule | undefined;
}

export interface OracleCall {
  clock: number;
  /** Units; of a call that settles, its greatest cost. 0 peeks. */
  cost: number;
  /** In checking order. */
  levels: readonly OracleLevel[];
  /** Unique. Needed to settle, release and renew the call. */
  id?: string;
  /** The lease of a reservation. Default: the call does not settle. */
  settleMs?: number;
  /** The request id, unique among all policies and callers, and the input. Default: the call has none. */
  request?: { id: string; input: string } | undefined;
}

export interface CallVerdict {
  allowed: boolean;
  /** Of an admitted call whose request id was charged before. */
  repeats: 'nothing' | 'same input' | 'other input';
  /** The latest instant of its levels. */
  now: number;
  /** In the order of the call. */
  levels: OracleLevelVerdict[];
}

export interface OracleLevelVerdict extends LevelVerdict {
  refuses: boolean;
  /** False if the level is exempt, or the call was denied by another level. Its numbers are then 0. */
  takesPart: boolean;
  /** Of a level that punishes or denies. */
  punished: { violations: number; isWarning: boolean; bannedUntil: number } | undefined;
}

const noPart: OracleLevelVerdict = {
  ...{ takesPart: false, refuses: false, punished: undefined },
  ...{ used: 0, retryAfterMs: 0, resetMs: 0, delayMs: 0 },
};

/** Returns the refusal of a call by a deny rule, or `undefined`. */
function findDenial({ clock, cost, levels }: OracleCall): CallVerdict | undefined {
  const denies = ({ rule, isShadow }: OracleLevel) =>
    rule?.kind === 'deny' && rule.until > clock && !isShadow ? rule.until : 0;
  const denying = cost > 0 ? levels.find(denies) : undefined;
  if (!denying) return undefined;
  const bannedUntil = denies(denying);
  return {
    ...{ allowed: false, repeats: 'nothing', now: clock },
    levels: levels.map((level) => {
      if (level !== denying) return noPart;
      const punished = { violations: 0, isWarning: false, bannedUntil };
      return { ...noPart, takesPart: true, refuses: true, retryAfterMs: bannedUntil - clock, punished };
    }),
  };
}

/** Returns a level with the numbers of its rule. */
function withRule(level: OracleLevel): OracleLevel {
  const { rule, numbers } = level;
  if (rule?.kind !== 'numbers') return level;
  const { limit = numbers.limit, windowMs = numbers.windowMs } = rule;
  return { ...level, numbers: { ...numbers, limit, windowMs } };
}

/** A settling, release or renewal of a call. */
interface LaterCall {
  id: string;
  clock: number;
}

interface Settling extends LaterCall {
  kept: number;
  /** The present numbers of each level of the call. Default: those of the call. */
  numbers?: readonly LevelNumbers[] | undefined;
}

/** A charge of a call at one level. */
interface Charge {
  level: OracleLevel;
  /** The level without its rule. */
  source: OracleLevel;
  window: OracleWindow;
  at: number;
  /** Index of the level in the call. */
  index: number;
  /** True if a later charge of the level has other numbers. */
  isOutdated: boolean;
}

/** Returns the numbers that a settling needs unchanged. */
function settledNumbers({ algorithm, hasOwnLimit }: OracleLevel, { limit, windowMs }: LevelNumbers): string {
  if (algorithm === 'sliding-log') return '';
  return `${hasOwnLimit && algorithm !== 'token-bucket' ? 'any' : limit} ${windowMs}`;
}

/** A level of a call that takes part, as it was before the charge. */
interface ReadLevel {
  level: OracleLevel;
  window: OracleWindow;
  windowCall: WindowCall;
  reading: Reading;
  violations: ReturnType<typeof createViolations> | undefined;
  isFull: boolean;
  isBanned: boolean;
  refuses: boolean;
  /** The level as the call has it, without its rule. */
  source: OracleLevel;
}

/** Creates the oracle of a limiter: any number of windows, and calls on several of them. */
export function createLimiterOracle() {
  const windows = new Map<string, OracleWindow>();
  const violationsByWindow = new Map<string, ReturnType<typeof createViolations>>();
  const reservations = new Map<string, { until: number; reserved: number; charges: Charge[] }>();
  const leases = new Map<string, { level: OracleLevel; window: Leases }[]>();
  const requests = new Map<string, { input: string; startsAt: number }>();

  function windowOf({ window, algorithm }: OracleLevel): OracleWindow {
    const known = windows.get(window) ?? createWindow(algorithm);
    windows.set(window, known);
    return known;
  }

  function violationsOf({ window, punishment }: OracleLevel) {
    const known = violationsByWindow.get(window) ?? (punishment && createViolations(punishment));
    if (known) violationsByWindow.set(window, known);
    return known;
  }

  function readLevel(source: OracleLevel, { clock, cost, id = '' }: OracleCall): ReadLevel {
    const level = withRule(source);
    const window = windowOf(level);
    const windowCall = { clock, cost, numbers: level.numbers, id };
    const reading = window.read(windowCall);
    const violations = violationsOf(level);
    const isFull = cost > 0 && !reading.hasRoom;
    const isBanned = !level.isShadow && (violations?.read(clock).bannedUntil ?? 0) > 0;
    const refuses = isFull || (cost > 0 && isBanned);
    return { level, window, windowCall, reading, violations, isFull, isBanned, refuses, source };
  }

  /** Charges the levels that have room, or counts the violations. Returns what was charged. */
  function chargeLevels(read: readonly ReadLevel[], { clock, cost }: OracleCall, allowed: boolean) {
    const hasBan = read.some(({ isBanned }) => isBanned);
    for (const { violations, isFull, level } of read)
      if (isFull && !level.isShadow && !hasBan) violations?.count(clock);
    return read.map((one) => {
      const isCharged = allowed && cost > 0 && !one.refuses;
      return { ...one, isCharged, reading: isCharged ? one.window.charge(one.windowCall) : one.reading };
    });
  }

  function toLevelVerdict(
    { level, reading, refuses, violations }: ReadLevel,
    clock: number,
    startsAt: number | undefined,
  ): OracleLevelVerdict {
    const { used, retryAfterMs, resetMs, delayMs } = reading;
    const counted = level.punishment && violations?.read(clock);
    const punished = counted && {
      violations: counted.violations,
      isWarning: counted.violations >= (level.punishment?.warnAt ?? 0),
      bannedUntil: counted.bannedUntil,
    };
    const waitsFor =
      level.algorithm === 'leaky-bucket' && startsAt !== undefined ? startsAt - clock : delayMs;
    return {
      ...{ takesPart: true, refuses, punished, used, resetMs },
      retryAfterMs: Math.max(retryAfterMs, (punished?.bannedUntil ?? 0) - clock),
      delayMs: level.isShadow ? 0 : Math.max(0, waitsFor),
    };
  }

  function chargesOf(
    decided: readonly (ReadLevel & { isCharged: boolean })[],
    { levels }: OracleCall,
  ): Charge[] {
    return decided
      .filter(({ level, isCharged }) => isCharged && level.algorithm !== 'in-flight')
      .map(({ level, window, reading, source }) => ({
        ...{ level, source, window, at: reading.now, index: levels.indexOf(source) },
        isOutdated: false,
      }));
  }

  /** Marks the charges of a window by calls of other numbers. */
  function outdateOthers(level: OracleLevel, window: OracleWindow): void {
    for (const { charges } of reservations.values())
      for (const charge of charges)
        if (
          charge.window === window &&
          settledNumbers(level, level.numbers) !== settledNumbers(charge.level, charge.level.numbers)
        )
          charge.isOutdated = true;
  }

  /** Returns the windows that were not cleared since the call took its leases. */
  function leasesOf(id: string): Leases[] {
    return (leases.get(id) ?? []).flatMap(({ level, window }) =>
      windowOf(level) === window ? [window] : [],
    );
  }

  return {
    decide(sent: OracleCall): CallVerdict {
      const denial = findDenial(sent);
      if (denial) return denial;
      const { clock, id = '', settleMs, request } = sent;
      const charging = request && requests.get(request.id);
      const call = { ...sent, cost: charging ? 0 : sent.cost };
      const { cost } = call;
      const present = sent.levels.filter(({ rule }) => rule?.kind !== 'exempt');
      const read = present.map((level) => readLevel(level, call));
      const allowed = read.every(({ level, refuses }) => !refuses || level.isShadow);
      const decided = chargeLevels(read, call, allowed);
      const charged = decided.filter(({ isCharged }) => isCharged);
      for (const { level, window } of charged) outdateOthers(level, window);
      if (settleMs !== undefined && allowed && cost > 0 && present.length > 0)
        reservations.set(id, { until: clock + settleMs, reserved: cost, charges: chargesOf(decided, call) });
      leases.set(
        id,
        charged.flatMap(({ level, window }) =>
          'renew' in window ? [{ level, window: window as Leases }] : [],
        ),
      );
      const verdicts = decided.map((one) => toLevelVerdict(one, clock, charging?.startsAt));
      if (request && allowed && cost > 0) {
        const hasBucket = decided.some(({ level }) => level.algorithm === 'leaky-bucket' && !level.isShadow);
        const startsAt = hasBucket ? clock + Math.max(0, ...verdicts.map(({ delayMs }) => delayMs)) : 0;
        requests.set(request.id, { input: request.input, startsAt });
      }
      const sameness = charging?.input === request?.input ? 'same input' : 'other input';
      return {
        allowed,
        repeats: charging ? sameness : 'nothing',
        now: Math.max(clock, ...decided.map(({ reading }) => reading.now)),
        levels: sent.levels.map((level) => verdicts[present.indexOf(level)] ?? noPart),
      };
    },

    /** Settles a call to `kept` units. Returns false if this changes nothing. */
    settle({ id, clock, kept, numbers }: Settling): boolean {
      const reservation = reservations.get(id);
      reservations.delete(id);
      if (!reservation || clock >= reservation.until) return false;
      const { reserved, charges } = reservation;
      const settled = charges.filter(({ level, source, window, at, index, isOutdated }) => {
        const given = numbers?.[index];
        const present = given ? withRule({ ...source, numbers: given }).numbers : level.numbers;
        const hasChanged = settledNumbers(level, present) !== settledNumbers(level, level.numbers);
        if (windowOf(level) !== window || isOutdated || hasChanged) return false;
        const call = { clock, cost: Math.min(kept - reserved, present.limit), numbers: present, id };
        if (kept < reserved) window.settle({ ...call, cost: 0 }, { at, reserved, kept });
        else if (kept > reserved) window.charge(call);
        return true;
      });
      return settled.length > 0 || charges.length === 0;
    },

    /** Empties the window of a level. */
    clear(window: string): void {
      windows.delete(window);
    },

    /** Ends the lease of a call. Returns false if it held none. */
    release: ({ id, clock }: LaterCall): boolean =>
      leasesOf(id)
        .map((window) => window.release(id, clock))
        .some(Boolean),

    /** Moves the end of the lease of a call. Returns false if it held none. */
    renew: ({ id, clock }: LaterCall): boolean =>
      leasesOf(id)
        .map((window) => window.renew(id, clock))
        .some(Boolean),
  };
}
