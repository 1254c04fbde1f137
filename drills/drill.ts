import type { Admin } from './node-clients';
import type { SeenTicket } from './ticket-record';
import type { LedgerKind, Topology, TopologyOptions } from './topology';

/** The size of a drill's sale, and the limit of its window `global`. */
export interface SaleSize {
  shoppers: number;
  stock: number;
  limit: number;
  windowMs: number;
}

/** The declared limit, and far more shoppers than stock. */
export const fullSize: SaleSize = { shoppers: 2_000, stock: 150, limit: 100, windowMs: 10_000 };
/** For `npm test`: fewer shoppers and a shorter window. */
export const shortSize: SaleSize = { shoppers: 200, stock: 45, limit: 30, windowMs: 3_000 };

/** A fault that is injected into a running sale. The sale must survive it. */
export interface Drill extends Omit<TopologyOptions, 'ledger' | 'logDir'> {
  /** The name on the command line. */
  name: string;
  /** The fault in one sentence, for the table. */
  description: string;
  /** The ledgers that the drill supports. The first is the default. */
  ledgers: readonly LedgerKind[];
  /**
   * True keeps the declared read limit. Each read of the drill then needs its own address, so `nodeEnv` must trust this
   * machine as a proxy. Default: false, which raises the limit.
   */
  keepsReadLimit?: boolean;
  /** Returns the size of the sale on a ledger. Default: the size of the run. */
  sizeOn?(ledger: LedgerKind): SaleSize | undefined;
  /** The queue of the sale. Default: every shopper calls again. */
  queue?: QueuePlan;
  /** Returns the id of a shopper. Default: `shopper-<index>`. */
  shopperId?: (index: number) => string;
  /** Injects the fault during the sale. Resolves when the fault is over. */
  inject(scene: Scene): Promise<void>;
}

/** The part of a crowd that waits in the queue, and what its turns must keep. */
export interface QueuePlan {
  /** Returns true for a shopper who joins the queue of a full window. The others call again. */
  joins: (index: number) => boolean;
  /** The longest time for which a place may be free while a ticket waits, in ms. Default: not judged. */
  maxFreeMs?: number;
  /** True if the fault empties Redis, so all waiting tickets are lost. Default: false, no ticket may be lost. */
  losesTickets?: boolean;
}

/** The running sale, as `inject` sees it, and the callbacks that report on the fault. */
export interface Scene {
  topology: Topology;
  couponId: string;
  /** Waits until this many orders are confirmed or the sale is over. Resolves with false after a timeout. */
  waitForConfirmed(count: number): Promise<boolean>;
  /** Waits until this many tickets wait in the queue. Resolves with false after a timeout. */
  waitForWaiting(count: number): Promise<boolean>;
  /** Returns the tickets that wait by the latest answers. */
  listWaiting(): SeenTicket[];
  /** Changes the limit of the window, and resolves when it is effective on every node. */
  changeLimit(limit: number): Promise<void>;
  /** States that a fault delays turns for this long from now. Default: from the fault until 2 s after `inject`. */
  markDelay(forMs: number): void;
  /** Signs a `Cookie` header that the nodes accept. */
  cookieOf(userId: string, role?: 'shopper' | 'admin'): string;
  admin: Admin;
  /** Runs `work` while a store is down, and checks that `/readyz` reports the outage. */
  duringOutage<Result>(of: 'redis' | 'postgres', work: () => Promise<Result>): Promise<Result>;
  /** Marks the instant at which Redis lost data. From then on, windows count from zero. */
  markDataLoss(): void;
  /** Marks the instant of the fault. Default: the call of `inject`. */
  markFault(): void;
  /** Adds a note to the result line of the drill. */
  note(text: string): void;
  /** Reports a broken guarantee. The drill fails. */
  reportProblem(text: string): void;
}
