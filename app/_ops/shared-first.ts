import type { Policy } from './types';

/** Policies in the order in which operators look for them: a window that everybody shares is what a flood fills first. */
export function sharedFirst(policies: readonly Policy[]): Policy[] {
  const isShared = ({ levels }: Policy) => levels.some(({ level }) => level === 'global');
  return policies.toSorted((one, other) => Number(isShared(other)) - Number(isShared(one)));
}
