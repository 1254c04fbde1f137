import { formatValue, LimiterOptionError, rejectUnknownOptions } from '../options';
import type { NamedCall, Unread } from './named-policy';
import type { Level, ResolvedLevel, ResolvedPolicy } from './policy';
import { LEVEL_FIELDS } from './validate-fields';
import { isPolicyName, NAME_FIX, PolicyError } from './validate-policy';

/**
 * Returns a level whose window several policies charge: `const shop = shared('shop', { level: 'global', … })`, which is then
 * one of the `levels` of each policy. The name is unique among shared levels. Adding it to a policy empties the windows
 * of that policy, because all keys of a shared level have one hash tag.
 */
export function shared<const L extends Unread<Level<NamedCall>>>(
  name: string,
  level: L,
): L & { shared: string };
export function shared<Context>(name: string, level: Omit<Level<Context>, 'shared'>): Level<Context>;
export function shared(name: string, level: object): object {
  const fix = `${NAME_FIX}, as in "shop".`;
  if (!isPolicyName(name)) throw new LimiterOptionError('name', name, fix, 'shared');
  const { shared: _shared, ...fields } = LEVEL_FIELDS;
  rejectUnknownOptions('shared', level, fields);
  return { ...level, shared: name };
}

/** The fields that define the window, and the subjects that it counts. */
const COMMON_FIELDS = [
  'level',
  'by',
  'counts',
  'algorithm',
  'limit',
  'windowMs',
  'subWindows',
  'mode',
] as const;
type CommonField = (typeof COMMON_FIELDS)[number];

/**
 * Creates the check of policies that belong together: a shared level has the same window in all of them. It throws a
 * `PolicyError` for the policy that declares another one than a policy before it. With `onWarning`, outside production, it
 * warns instead and the later declaration counts, because hot reload declares levels again.
 */
export function createSharedLevelCheck({
  onWarning,
}: {
  onWarning?: (message: string) => void;
} = {}): (policy: ResolvedPolicy) => void {
  const declared = new Map<string, { policy: string; level: ResolvedLevel }>();
  const warned = new Set<string>();

  function handle({ message }: PolicyError, warn: (message: string) => void): void {
    if (!warned.has(message))
      warn(`${message} Until then, the last declaration counts; in production, this is an error.`);
    warned.add(message);
  }

  return function checkSharedLevels({ name, levels }) {
    for (const [index, level] of levels.entries()) {
      const { shared } = level;
      if (shared === undefined) continue;
      const first = declared.get(shared);
      const field = first && COMMON_FIELDS.find((one) => !isSame(level[one], first.level[one]));
      if (field) {
        const fix = `It is ${formatValue(first.level[field])} in "${first.policy}", and both charge one window. Declare it once: const level = shared("${shared}", { … }).`;
        const error = new PolicyError(name, { field: `levels[${index}].${field}`, value: level[field], fix });
        if (!onWarning || isProduction()) throw error;
        handle(error, onWarning);
      }
      if (field || !first) declared.set(shared, { policy: name, level });
    }
  };
}

/** Returns true on a runtime without `process`, too: it runs only what was built. */
function isProduction(): boolean {
  const env = globalThis.process?.env;
  return !env || env.NODE_ENV === 'production';
}

/** Compares numbers and names by value, a caller's own function by identity, and `keyedBy` by its schema and function. */
function isSame(one: ResolvedLevel[CommonField], other: ResolvedLevel[CommonField]): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return one.input === other.input && one.subject === other.subject;
}

/**
 * Returns the owner of a level's window and overrides: the policy, or the shared level for all its policies. No policy has
 * a name with `@`.
 */
export function ownerOf({ name }: ResolvedPolicy, { shared }: Pick<ResolvedLevel, 'shared'>): string {
  return shared === undefined ? name : `@${shared}`;
}
