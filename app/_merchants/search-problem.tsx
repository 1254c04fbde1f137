import { lazy, type ReactNode, Suspense } from 'react';
import { ProblemNote } from '../_components/problem-note';
import type { Problem } from '../_trpc/problem';

/** Almost nobody needs it. */
const StoreAway = lazy(() => import('./store-away'));

interface Props {
  problem: Problem;
  /** The page to come back to after signing in. */
  here: string;
  /** Of what is said in the place of an answer. */
  heading: 'h1' | 'h2';
  /** Asks the same again. */
  ask(): Promise<unknown>;
  /** The button that asks again, where nothing asks again by itself. */
  children: ReactNode;
}

/** Why a look-up brought nothing, and what follows. Only what may pass by itself is asked again by itself. */
export function SearchProblem({ problem, here, heading, ask, children }: Props) {
  if (problem.kind === 'unavailable') {
    return (
      <Suspense>
        <StoreAway heading={heading} ask={ask} />
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
