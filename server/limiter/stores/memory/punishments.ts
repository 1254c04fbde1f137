import type { StoreBan, StoreLevel } from '../store';
import type { Memory, Punishment } from './memory';

const NONE: Punishment = { violations: 0, lastMs: 0, bannedUntil: 0 };

/** The rules of a level that punishes. */
type Rules = NonNullable<StoreLevel['punishment']>;

/** Reads the violations and the ban of a subject. Violations lapse together; the end of a ban clears them. */
export function readPunishment(
  { punishments }: Memory,
  { key, lapseMs, clock }: Pick<Rules, 'lapseMs'> & { key: string; clock: number },
): Punishment {
  const stored = punishments.get(key);
  if (!stored) return NONE;
  const endsAt = stored.bannedUntil > 0 ? stored.bannedUntil : stored.lastMs + lapseMs;
  return endsAt <= clock ? NONE : stored;
}

/** Counts one violation, which may start a ban. Must not be called during a ban. */
export function countViolation(
  memory: Memory,
  former: Punishment,
  call: Rules & { key: string; bansKey: string; member: string; clock: number },
): Punishment {
  const { key, clock, banAt, banMs, lapseMs } = call;
  const violations = former.violations + 1;
  const lastMs = Math.max(former.lastMs, clock);
  const isBanned = violations >= banAt;
  const punishment = { violations, lastMs, bannedUntil: isBanned ? clock + banMs : 0 };
  memory.punishments.set(key, punishment, isBanned ? banMs : lapseMs);
  if (isBanned) addBan(memory, call, punishment);
  return punishment;
}

function addBan(
  { bans }: Memory,
  { bansKey, member, clock }: { bansKey: string; member: string; clock: number },
  { violations, bannedUntil }: Punishment,
): void {
  const others = [...(bans.get(bansKey) ?? [])].filter(([, endsAt]) => endsAt > clock);
  const all = new Map([...others, [`${member}#${violations}`, bannedUntil] as const]);
  bans.set(bansKey, all, Math.max(...all.values()) - clock);
}

/** Bans a subject. A ban that has not ended gets the new end. */
export function banSubject(
  memory: Memory,
  keys: { bans: string; violations: string },
  { member, banMs, lapseMs, clock }: { member: string; banMs: number; lapseMs: number; clock: number },
): StoreBan {
  const former = readPunishment(memory, { key: keys.violations, lapseMs, clock });
  const punishment = { ...former, bannedUntil: clock + banMs };
  memory.punishments.set(keys.violations, punishment, banMs);
  addBan(memory, { bansKey: keys.bans, member, clock }, punishment);
  return { member: `${member}#${former.violations}`, bannedUntil: punishment.bannedUntil };
}

/** Lists the active bans of a policy, the first to end first. */
export function listBans({ bans }: Memory, bansKey: string, clock: number): StoreBan[] {
  const active = [...(bans.get(bansKey) ?? [])].filter(([, bannedUntil]) => bannedUntil > clock);
  return active
    .map(([member, bannedUntil]) => ({ member, bannedUntil }))
    .sort((one, other) => one.bannedUntil - other.bannedUntil || (one.member < other.member ? -1 : 1));
}

/** Ends a ban and deletes its violations. Returns false if there is no such ban. */
export function liftBan(
  { bans, punishments }: Memory,
  keys: { bans: string; violations: string },
  { member, bannedUntil }: StoreBan,
): boolean {
  const remaining = new Map(bans.get(keys.bans));
  if ((remaining.get(member) ?? 0) !== bannedUntil) return false;
  remaining.delete(member);
  bans.set(keys.bans, remaining);
  punishments.delete(keys.violations);
  return true;
}
