import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../_trpc/client';
import { type FormProblem, useProblem } from '../form-problems';

/** A mutation of coupons. */
export interface CouponChange<Input> {
  submit(input: Input): void;
  isBusy: boolean;
  problem: FormProblem | undefined;
}

interface Answer {
  coupon: { title: string };
}

interface Mutation<Input> {
  mutate(input: Input): void;
  isPending: boolean;
  error: unknown;
}

/** Returns the mutations of coupons. `onDone` is called with the title after the ledger has the change. */
export function useCouponChanges(onDone: (title: string) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function done({ coupon }: Answer): void {
    void queryClient.invalidateQueries(trpc.ops.coupons.pathFilter());
    onDone(coupon.title);
  }

  return {
    create: useChange(useMutation(trpc.coupon.create.mutationOptions({ onSuccess: done }))),
    update: useChange(useMutation(trpc.coupon.update.mutationOptions({ onSuccess: done }))),
    close: useChange(useMutation(trpc.coupon.close.mutationOptions({ onSuccess: done }))),
  };
}

function useChange<Input>({ mutate, isPending, error }: Mutation<Input>): CouponChange<Input> {
  return { submit: mutate, isBusy: isPending, problem: useProblem(error) };
}
