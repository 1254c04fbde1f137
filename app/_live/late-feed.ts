import { type LiveFeed, notConnected } from './live-snapshot';

/** A feed whose code is loaded when somebody listens for the first time: no button has to wait for it. */
export function createLateFeed(load: () => Promise<LiveFeed>): LiveFeed {
  let loading: Promise<void> | undefined;
  let feed: LiveFeed | undefined;

  return {
    snapshot: () => feed?.snapshot() ?? notConnected,
    subscribe(listener) {
      let leave: (() => void) | undefined;
      let hasLeft = false;
      loading ??= load().then((loaded) => {
        feed = loaded;
      });
      void loading.then(() => {
        if (!hasLeft) leave = feed?.subscribe(listener);
      });
      return () => {
        hasLeft = true;
        leave?.();
      };
    },
  };
}
