import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { waitForPaint } from '../_sale/wait-for-paint';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import type { Coupon } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import { useRefusalStores } from '../_window/refusals';
import { type ClickResult, type PurchaseContext, sendClick } from './send-click';

/** The result of the last click. */
export type PurchaseResult = { kind: 'none' } | ClickResult;

export interface Purchase {
  /** Sends one click with a new request id. */
  press(): Promise<void>;
  /** Sends one click that waits in the queue if the shared window is full. */
  join(): Promise<void>;
  /** Replaces the result of the last click. */
  setResult(result: PurchaseResult): void;
  busy: boolean;
  result: PurchaseResult;
}

const none: PurchaseResult = { kind: 'none' };

/** Buys a coupon. The result of a click stays until the next result, or until the next round opens. */
export function usePurchase({ id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>): Purchase {
  const context = usePurchaseContext();
  const refusals = useRefusalStores();
  const [last, setLast] = useState({ couponId, result: none });

  // Not a mutation of the query library: its state would arrive a frame after the click.
  const [busy, setBusy] = useState(false);

  async function send(queue: boolean): Promise<void> {
    setBusy(true);
    await waitForPaint();
    setResult(await sendClick({ id: couponId, kind, queue }, { ...context, refusals }));
    setBusy(false);
  }

  function setResult(next: PurchaseResult): void {
    setLast({ couponId, result: next });
  }

  const result = last.couponId === couponId ? last.result : none;
  return { press: () => send(false), join: () => send(true), setResult, busy, result };
}

/** Returns what the calls of a shopper need. */
export function usePurchaseContext(): PurchaseContext {
  return { client: useTRPCClient(), viewer: useViewer(), trpc: useTRPC(), queryClient: useQueryClient() };
}
