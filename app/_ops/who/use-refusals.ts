import type { OpsEvent } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';

/** A text that changes whenever anybody is refused, banned or let in again; `undefined` until the feed has spoken. */
export function useRefusals(): string | undefined {
  return useOpsFeed(({ event }) => event && signalOf(event));
}

function signalOf({ rates, bans }: OpsEvent): string {
  return [bans, ...rates.map(({ refused, banned }) => `${refused}/${banned}`)].join();
}
