import { useOpsFeed } from '../live/ops-feed-provider';

/** A text that changes whenever anybody is refused or banned; `undefined` until the feed has spoken. */
export function useRefusals(): string | undefined {
  return useOpsFeed(({ event }) => event?.rates.map(({ refused, banned }) => `${refused}/${banned}`).join());
}
