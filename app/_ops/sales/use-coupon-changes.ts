import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';

/** One way of changing coupons. */
export interface CouponChange<Input> {
  submit(input: Input): void;
  isBusy: boolean;
  problem: Problem | undefined;
}

interface Answer {
  coupon: { title: string };
}

interface Mutation<Input> {
  mutate(input: Input): void;
  isPending: boolean;
  error: unknown;
}

/** What can be done to coupons. `onDone` hears of it once it is in the ledger, in the operator's language. */
export function useCouponChanges(onDone: (title: string) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function done({ coupon }: Answer): void {
    void queryClient.invalidateQueries(trpc.ops.coupons.pathFilter());
    onDone(coupon.title);
  }

  return {
    create: changeOf(useMutation(trpc.coupon.create.mutationOptions({ onSuccess: done }))),
    update: changeOf(useMutation(trpc.coupon.update.mutationOptions({ onSuccess: done }))),
    close: changeOf(useMutation(trpc.coupon.close.mutationOptions({ onSuccess: done }))),
  };
}

function changeOf<Input>({ mutate, isPending, error }: Mutation<Input>): CouponChange<Input> {
  return { submit: mutate, isBusy: isPending, problem: error ? problemOf(error) : undefined };
}
