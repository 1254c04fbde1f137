import { z } from 'zod';
import {
  type Alert,
  type AlertBoard,
  alertRules,
  nextRuleState,
  type Rule,
  type RuleState,
  rules,
} from './rules';

/** A measured value of a rule. */
export interface Reading {
  rule: Alert['rule'];
  /** The `target` of the rule's alert. */
  target: string;
  /** `undefined` if it could not be measured. */
  value: number | undefined;
}

/** The alerts, and the states of the rules. */
export interface AlertState extends AlertBoard {
  /** Instant of the last evaluation, epoch ms by Redis's clock. */
  at: number;
  /** States by rule and target, without quiet ones. */
  watches: Record<string, RuleState>;
}

const MAX_RECENT = 50;

export const noAlerts: AlertState = { at: 0, watches: {}, active: [], recent: [] };

/** Applies readings to a state. Returns the new state and the changed alerts. `idOf` returns the id of a raised alert. */
export function applyReadings(
  before: AlertState,
  { readings, now, idOf }: { readings: readonly Reading[]; now: number; idOf: (of: Reading) => string },
): { state: AlertState; changed: Alert[] } {
  let state: AlertState = { ...before, at: now, watches: { ...before.watches } };
  const changed: Alert[] = [];
  for (const reading of readings) {
    const { rule: name, target, value } = reading;
    const rule: Rule = rules[name];
    const key = `${name}:${target}`;
    const watch = state.watches[key] ?? { phase: 'quiet' };
    const { state: ruleState, change } = nextRuleState(watch, rule, { value, now });
    if (ruleState.phase === 'quiet') delete state.watches[key];
    else state.watches[key] = ruleState;
    if (change === 'raised' && value !== undefined) {
      const alert = {
        ...{ id: idOf(reading), rule: name, target, raisedAt: now, value, threshold: rule.raiseAt },
        highSince: watch.phase === 'rising' ? watch.since : now,
        ...{ values: [toShortNumber(value)], spanMs: MIN_SPAN_MS },
        summary: rule.summary({ target, value }),
      };
      changed.push(alert);
      state = { ...state, active: [...state.active, alert] };
      continue;
    }
    const raised = state.active.find((one) => one.rule === name && one.target === target);
    if (!raised) continue;
    const normalSince =
      ruleState.phase === 'falling' || change === 'cleared' ? (raised.normalSince ?? now) : undefined;
    const alert = value === undefined ? raised : { ...addValue(raised, { value, now }), normalSince };
    state = { ...state, active: state.active.map((one) => (one === raised ? alert : one)) };
    if (change === 'cleared') {
      const cleared = { ...alert, clearedAt: now };
      changed.push(cleared);
      state = withRecent({ ...state, active: state.active.filter((one) => one !== alert) }, cleared);
    }
  }
  return { state, changed };
}

const MAX_VALUES = 40;
const MIN_SPAN_MS = 1_000;

/** Adds a value to the course of an alert. Spans without a value repeat the one before. A full list merges pairs of spans. */
export function addValue<Course extends Pick<Alert, 'raisedAt' | 'value' | 'values' | 'spanMs'>>(
  alert: Course,
  { value, now }: { value: number; now: number },
): Course {
  let { values, spanMs } = alert;
  const spansUntil = (ms: number) => Math.max(values.length, Math.floor((now - alert.raisedAt) / ms) + 1);
  while (spansUntil(spanMs) > MAX_VALUES) {
    values = values
      .filter((_, index) => index % 2 === 0)
      .map((one, index) => Math.max(one, values[2 * index + 1] ?? one));
    spanMs *= 2;
  }
  const spans = spansUntil(spanMs);
  const last = values.at(-1) ?? 0;
  const passed = Array.from({ length: spans - values.length }, () => last);
  const shown = toShortNumber(value);
  const newest = passed.length > 0 ? shown : Math.max(last, shown);
  return { ...alert, value, spanMs, values: [...values, ...passed].with(-1, newest) };
}

/** Three decimals show a share as a percentage with one. */
function toShortNumber(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** Adds a cleared alert to a state. Returns the same state if it has one of the same target and time, by any node. */
export function withRecent(state: AlertState, cleared: Alert): AlertState {
  if (state.recent.some((one) => isSameOutage(one, cleared))) return state;
  return { ...state, recent: [cleared, ...state.recent].slice(0, MAX_RECENT) };
}

/** Returns true if two cleared alerts of one rule and target overlap. */
function isSameOutage(one: Alert, other: Alert): boolean {
  return (
    one.rule === other.rule &&
    one.target === other.target &&
    one.highSince <= (other.clearedAt ?? Infinity) &&
    other.highSince <= (one.clearedAt ?? Infinity)
  );
}

const alertShape = z.object({
  ...{ id: z.string(), rule: z.enum(alertRules), target: z.string(), raisedAt: z.number() },
  ...{ highSince: z.number(), normalSince: z.number().optional() },
  ...{ values: z.array(z.number()), spanMs: z.number() },
  ...{ clearedAt: z.number().optional(), value: z.number(), threshold: z.number(), summary: z.string() },
});

const stateShape = z.object({
  at: z.number(),
  watches: z.record(
    z.string(),
    z.discriminatedUnion('phase', [
      z.object({ phase: z.literal('quiet') }),
      z.object({ phase: z.literal('rising'), since: z.number() }),
      z.object({ phase: z.literal('raised') }),
      z.object({ phase: z.literal('falling'), since: z.number() }),
    ]),
  ),
  active: z.array(alertShape),
  recent: z.array(alertShape),
}) satisfies z.ZodType<AlertState>;

/** Parses a stored state; `undefined` for the format of another version. */
export function parseAlertState(text: string): AlertState | undefined {
  return stateShape.safeParse(JSON.parse(text)).data;
}
