import { useState } from 'react';

/** Rows on one page. */
export const PAGE_ROWS = 20;

interface PagingOptions {
  /** The number of loaded rows. */
  loaded: number;
  /** The server has more rows. */
  hasMore: boolean;
  isLoading: boolean;
  loadMore(): Promise<unknown>;
}

export interface Paging {
  /** The shown rows, counted from 0; `to` is exclusive. */
  range: { from: number; to: number };
  loaded: number;
  hasMore: boolean;
  isLoading: boolean;
  hasPrevious: boolean;
  hasNext: boolean;
  showPrevious(): void;
  showNext(): void;
  /** Shows the first page, for example of another list. */
  reset(): void;
}

/** Divides the loaded rows into pages of 20, and loads more before a page would be incomplete. */
export function usePaging({ loaded, hasMore, isLoading, loadMore }: PagingOptions): Paging {
  const [wanted, setIndex] = useState(0);
  // The list may have become shorter.
  const index = Math.min(wanted, Math.max(0, Math.ceil(loaded / PAGE_ROWS) - 1));
  const from = index * PAGE_ROWS;
  const next = from + PAGE_ROWS;
  return {
    range: { from, to: Math.min(next, loaded) },
    ...{ loaded, hasMore, isLoading },
    hasPrevious: index > 0,
    hasNext: next < loaded || hasMore,
    showPrevious: () => setIndex(index - 1),
    showNext() {
      if (!hasMore || next + PAGE_ROWS <= loaded) return setIndex(index + 1);
      void loadMore().then(() => setIndex(index + 1));
    },
    reset: () => setIndex(0),
  };
}
