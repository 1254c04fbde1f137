import type { Policy } from './types';

/** Sorts policies with a global level first, because a flood fills it first. */
export function sortSharedFirst(policies: readonly Policy[]): Policy[] {
  const isShared = ({ levels }: Policy) => levels.some(({ level }) => level === 'global');
  return policies.toSorted((one, other) => Number(isShared(other)) - Number(isShared(one)));
}
