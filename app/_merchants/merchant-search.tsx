'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import { TextField } from '../_components/ui/field';
import layout from '../_components/ui/layout.module.css';
import { Badge, Skeleton } from '../_components/ui/status';
import { keepNumber } from '../_i18n/language';
import { Picture, pictureOfMerchant } from '../_pictures/picture';
import { useTRPC } from '../_trpc/client';
import type { Merchant } from '../_trpc/types';
import { WindowLayout } from '../_window/window-layout';
import { LookupStatus, useLookup } from './lookup-status';
import styles from './merchants.module.css';

const DEBOUNCE_MS = 300;

interface SearchProps {
  /** The limit of searches, in a sentence. */
  rule: string;
}

/** Searches while the visitor types, through the limited procedure. */
export function MerchantSearch({ rule }: SearchProps) {
  const t = useTranslations('merchants');
  const trpc = useTRPC();
  const [typed, setTyped] = useState(useSearchParams().get('q') ?? '');
  const text = typed.trim();
  const [query, setQuery] = useState(text);

  const search = useInfiniteQuery(
    trpc.merchant.list.infiniteQueryOptions(
      { q: query || undefined },
      {
        getNextPageParam: ({ nextCursor }) => nextCursor,
        placeholderData: keepPreviousData,
        refetchOnWindowFocus: false,
        // A failed search shows its problem and when it can be repeated.
        retry: false,
        staleTime: 0,
        // Passes React Query's signal on, so that a new text cancels the running search.
        trpc: { abortOnUnmount: true },
      },
    ),
  );
  const lookup = useLookup(search);
  const { problem, retryInSeconds } = lookup;
  const isWaiting = retryInSeconds > 0;
  const { data: pages } = search;
  const [last, setLast] = useState({ pages, query });
  // A running or failed search leaves the last results on the page, with the text that they match.
  if (pages && !search.isPlaceholderData && (pages !== last.pages || query !== last.query)) {
    setLast({ pages, query });
  }
  // New results render in slices, or they would block a phone.
  const found = useDeferredValue(last);
  const merchants = found.pages?.pages.flatMap((page) => page.merchants) ?? [];

  // While the limit refuses, the text waits in its field.
  useEffect(() => {
    if (isWaiting) return;
    const timer = setTimeout(() => setQuery(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, isWaiting]);
  useQueryInUrl(query);
  useRepeatOnce({ lookup, isAnswered: search.isSuccess && !search.isFetching, repeat: submit });

  /** Searches at once: sets a new text, or repeats the same one. */
  function submit(): void {
    if (isWaiting) return;
    if (query === text) void search.refetch();
    else setQuery(text);
  }

  function status(): string {
    if (search.isFetching) return t('searching');
    if (!pages) return '';
    if (found !== last) return t('searching');
    return search.hasNextPage
      ? t('foundMore', { count: merchants.length })
      : t('found', { count: merchants.length });
  }

  return (
    <WindowLayout onPhone="between" rule={rule}>
      <form
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          type="search"
          label={t('search')}
          placeholder={t('placeholder')}
          maxLength={64}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" closed={isWaiting}>
          <Search size={18} aria-hidden="true" />
          {t('submit')}
        </Button>
      </form>

      <div className={classNames(layout.hint, styles.feedback)}>
        <LookupStatus
          lookup={lookup}
          here="/merchants"
          heading="h2"
          retry={submit}
          retryText={text ? t('againFor', { query: text }) : t('again')}
        >
          {status()}
        </LookupStatus>
        {problem && found.pages && <p className={layout.whole}>{t('older')}</p>}
      </div>

      {!found.pages && !problem && <Loading />}
      {found.pages && (
        <div className={problem && styles.outdated}>
          <MerchantList merchants={merchants} query={found.query} onShowAll={() => setTyped('')} />
        </div>
      )}
      {search.hasNextPage && (
        <Button busy={search.isFetchingNextPage} onClick={() => search.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </WindowLayout>
  );
}

/** Keeps the text of the search in the address, so that Back from a merchant and a change of language find it again. */
function useQueryInUrl(query: string): void {
  useEffect(() => {
    const url = new URL(window.location.href);
    if ((url.searchParams.get('q') ?? '') === query) return;
    if (query) url.searchParams.set('q', query);
    else url.searchParams.delete('q');
    window.history.replaceState(null, '', url);
  }, [query]);
}

interface RepeatOptions {
  lookup: Pick<ReturnType<typeof useLookup>, 'problem' | 'retryInSeconds' | 'isFetching'>;
  /** The last call was admitted. */
  isAnswered: boolean;
  repeat(): void;
}

/** Repeats a refused search once when the window has room. If that is refused, too, the visitor decides. */
function useRepeatOnce({ lookup, isAnswered, repeat }: RepeatOptions): void {
  const { problem, retryInSeconds, isFetching } = lookup;
  const hasRepeated = useRef(false);
  const wasWaiting = useRef(false);
  const isRefused = problem?.kind === 'refused';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per end of a wait
  useEffect(() => {
    if (isAnswered) hasRepeated.current = false;
    const isOver = wasWaiting.current && retryInSeconds === 0;
    wasWaiting.current = retryInSeconds > 0;
    if (!isOver || !isRefused || isFetching || hasRepeated.current) return;
    hasRepeated.current = true;
    repeat();
  }, [isRefused, retryInSeconds, isAnswered, isFetching]);
}

interface Props {
  merchants: Merchant[];
  query: string;
  /** Clears the search. */
  onShowAll(): void;
}

/** Lists the merchants that a search found. */
function MerchantList({ merchants, query, onShowAll }: Props) {
  const t = useTranslations('merchants');
  if (merchants.length === 0) {
    return (
      <div className={classNames(layout.stack3, layout.soft, styles.nothing)}>
        <p>{t('none', { query })}</p>
        {query && <Button onClick={onShowAll}>{t('showAll')}</Button>}
      </div>
    );
  }
  return (
    <ul className={styles.list}>
      {merchants.map(({ id, name, category, address, couponCount }) => (
        <li key={id}>
          <Link
            prefetch={false}
            className={classNames(layout.soft, styles.merchant)}
            href={`/merchants/${encodeURIComponent(id)}`}
          >
            <span className={styles.listPicture}>
              <Picture name={pictureOfMerchant({ id, category })} />
            </span>
            <span className={classNames(layout.stack1, styles.words)}>
              <span className={classNames(layout.strong, styles.name)}>{name}</span>
              <span
                className={classNames(layout.small, styles.where)}
              >{`${category} ·\u00a0${keepNumber(address)}`}</span>
              <span className={styles.count}>
                <Badge tone={couponCount > 0 ? 'accent' : 'neutral'}>
                  {t('coupons', { count: couponCount })}
                </Badge>
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Placeholders in the size of the usual list. */
function Loading() {
  return (
    <div className={styles.list}>
      {[1, 2, 3, 4, 5, 6].map((index) => (
        <div key={index} className={styles.placeholder}>
          <Skeleton shape="panel" />
        </div>
      ))}
    </div>
  );
}
