import type { OpsEvent } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';

/** Returns a text that changes with every refusal, ban or lifted ban; `undefined` before the first event. */
export function useRefusalSignal(): string | undefined {
  return useOpsFeed(({ event }) => event && signalOf(event));
}

function signalOf({ rates, bans }: OpsEvent): string {
  return [bans, ...rates.map(({ refused, banned }) => `${refused}/${banned}`)].join();
}
