import type { Memory } from './memory';

/** Lists the active bans of a policy with their ends, the first to end first. Replies like lua/limiter/list-bans.lua. */
export function listBans(
  { bans }: Memory,
  key: string,
  clock: number,
): [member: string, bannedUntil: number][] {
  const active = [...(bans.get(key) ?? [])].filter(([, bannedUntil]) => bannedUntil > clock);
  return active.sort(([one, oneEnd], [other, otherEnd]) => oneEnd - otherEnd || (one < other ? -1 : 1));
}

/** Ends a ban and deletes its violations. Returns 0 if there is no such ban. Replies like lua/limiter/lift-ban.lua. */
export function liftBan(
  { bans, punishments }: Memory,
  {
    keys: [violationsKey = '', bansKey = ''],
    args: [member = '', bannedUntil],
  }: Record<'keys' | 'args', readonly string[]>,
): 0 | 1 {
  const remaining = new Map(bans.get(bansKey));
  if ((remaining.get(member) ?? 0) !== Number(bannedUntil)) return 0;
  remaining.delete(member);
  bans.set(bansKey, remaining);
  punishments.delete(violationsKey);
  return 1;
}
