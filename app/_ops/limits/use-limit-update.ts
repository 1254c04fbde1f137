import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../_trpc/client';
import type { Level, LimitChange } from '../types';
import { type FormProblem, useProblem } from '../use-problem';

type Change = Omit<LimitChange, 'policy' | 'level'>;

export interface LimitUpdate {
  update(change: Change): void;
  reset(): void;
  isUpdating: boolean;
  isResetting: boolean;
  problem: FormProblem | undefined;
}

/** Returns functions that set or reset the override of a level. */
export function useLimitUpdate(
  level: { policy: string; level: string },
  onUpdated: (level: Level) => void,
): LimitUpdate {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function onSuccess({ level }: { level: Level }): void {
    void queryClient.invalidateQueries(trpc.limit.list.queryFilter());
    void queryClient.invalidateQueries(trpc.ops.audit.pathFilter());
    onUpdated(level);
  }

  const update = useMutation(trpc.limit.update.mutationOptions({ onSuccess }));
  const reset = useMutation(trpc.limit.reset.mutationOptions({ onSuccess }));
  return {
    update: (change) => update.mutate({ ...level, ...change }),
    reset: () => reset.mutate(level),
    isUpdating: update.isPending,
    isResetting: reset.isPending,
    problem: useProblem(update.error ?? reset.error),
  };
}
