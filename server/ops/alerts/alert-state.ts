import { z } from 'zod';
import { type Alert, type AlertBoard, alertRules } from './alert';
import { nextStep, type Watch } from './hysteresis';
import { type Rule, rules } from './rules';

/** One value that a rule is about. */
export interface Reading {
  rule: Alert['rule'];
  /** As `Alert.target`. */
  target: string;
  /** `undefined` where nobody knows. */
  value: number | undefined;
}

/** Everything that is known of alerts. */
export interface AlertState extends AlertBoard {
  /** When somebody looked last, epoch ms by Redis's clock. */
  at: number;
  /** By rule and target; who is quiet is left out. */
  watches: Record<string, Watch>;
}

/** An alert that has just been raised or has just cleared. */
export type Changed = Alert;

const MOST_RECENT = 50;

export const noAlerts: AlertState = { at: 0, watches: {}, active: [], recent: [] };

/** The state after a look at these values, and what changed by it. `idOf` names an alert that is raised. */
export function lookedAt(
  before: AlertState,
  { readings, now, idOf }: { readings: readonly Reading[]; now: number; idOf: (of: Reading) => string },
): { state: AlertState; changed: Changed[] } {
  let state: AlertState = { ...before, at: now, watches: { ...before.watches } };
  const changed: Changed[] = [];
  for (const reading of readings) {
    const { rule: name, target, value } = reading;
    const rule: Rule = rules[name];
    const key = `${name}:${target}`;
    const { watch, change } = nextStep(state.watches[key] ?? { phase: 'quiet' }, rule, { value, now });
    if (watch.phase === 'quiet') delete state.watches[key];
    else state.watches[key] = watch;
    if (change === 'raised' && value !== undefined) {
      const alert = {
        ...{ id: idOf(reading), rule: name, target, raisedAt: now, value, threshold: rule.raiseAt },
        summary: rule.summary({ target, value }),
      };
      changed.push(alert);
      state = { ...state, active: [...state.active, alert] };
    }
    if (change === 'cleared') {
      const alert = state.active.find((one) => one.rule === name && one.target === target);
      if (!alert) continue;
      const cleared = { ...alert, clearedAt: now, value: value ?? alert.value };
      changed.push(cleared);
      state = withRecent({ ...state, active: state.active.filter((one) => one !== alert) }, cleared);
    }
  }
  return { state, changed };
}

/** The state with one more alert that has cleared; the same where it is known already. */
export function withRecent(state: AlertState, cleared: Alert): AlertState {
  if (state.recent.some(({ id }) => id === cleared.id)) return state;
  return { ...state, recent: [cleared, ...state.recent].slice(0, MOST_RECENT) };
}

const alertShape = z.object({
  ...{ id: z.string(), rule: z.enum(alertRules), target: z.string(), raisedAt: z.number() },
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

/** A state as a node wrote it; `undefined` where one of another version wrote it otherwise. */
export function parseAlertState(text: string): AlertState | undefined {
  return stateShape.safeParse(JSON.parse(text)).data;
}
