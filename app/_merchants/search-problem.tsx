import { lazy, type ReactNode, Suspense } from 'react';
import { ProblemNote } from '../_components/problem-note';
import type { Problem } from '../_trpc/problem';

/** Rarely needed, so loaded lazily. */
const StoreDown = lazy(() => import('./store-down'));

interface Props {
  problem: Problem;
  /** The page to return to after signing in. */
  here: string;
  /** The heading level of the message. */
  heading: 'h1' | 'h2';
  /** Repeats the query. */
  retry(): Promise<unknown>;
  /** The retry button, for problems that are not retried automatically. */
  children: ReactNode;
}

/** Explains why a lookup failed. Only an unavailable store is retried automatically. */
export function SearchProblem({ problem, here, heading, retry, children }: Props) {
  if (problem.kind === 'unavailable') {
    return (
      <Suspense>
        <StoreDown heading={heading} retry={retry} />
      </Suspense>
    );
  }
  return (
    <>
      <ProblemNote problem={problem} here={here} />
      {children}
    </>
  );
}
