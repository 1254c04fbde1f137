import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../_trpc/client';
import type { Level, LimitChange } from '../types';
import { type FormProblem, useProblem } from '../use-problem';

type Change = Omit<LimitChange, 'policy' | 'level'>;

export interface Tuning {
  update(change: Change): void;
  reset(): void;
  isUpdating: boolean;
  isResetting: boolean;
  problem: FormProblem | undefined;
}

/** Puts other numbers of a level in force, or those again that its policy declares. */
export function useTuning(level: { policy: string; level: string }, onTuned: (level: Level) => void): Tuning {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function tuned({ level }: { level: Level }): void {
    void queryClient.invalidateQueries(trpc.limit.list.queryFilter());
    void queryClient.invalidateQueries(trpc.ops.audit.pathFilter());
    onTuned(level);
  }

  const update = useMutation(trpc.limit.update.mutationOptions({ onSuccess: tuned }));
  const reset = useMutation(trpc.limit.reset.mutationOptions({ onSuccess: tuned }));
  return {
    update: (change) => update.mutate({ ...level, ...change }),
    reset: () => reset.mutate(level),
    isUpdating: update.isPending,
    isResetting: reset.isPending,
    problem: useProblem(update.error ?? reset.error),
  };
}
