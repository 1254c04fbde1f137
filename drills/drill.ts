import type { Admin } from './node-clients';
import type { LedgerKind, Topology, TopologyOptions } from './topology';

/** The size of a drill's sale, and the limit of its window `global`. */
export interface SaleSize {
  shoppers: number;
  stock: number;
  limit: number;
  windowMs: number;
}

/** One fault, and the sale that has to survive it. */
export interface Drill {
  /** As on the command line. */
  name: string;
  /** What happens, in one sentence for the table. */
  description: string;
  store: TopologyOptions['store'];
  /** The ledgers on which it makes sense; the first is the one that it runs on where nothing else is said. */
  ledgers: readonly LedgerKind[];
  nodeEnv?: TopologyOptions['nodeEnv'];
  behindNginx?: TopologyOptions['behindNginx'];
  /**
   * Whether the declared limit of reads holds. The drill's own reads then need an address each: `nodeEnv` has to trust
   * this machine as a proxy. Default: false, the limit is raised.
   */
  keepsReadLimit?: boolean;
  /** Default: the size of the run. */
  size?: SaleSize;
  /** The id of a shopper. Default: a plain name. */
  shopperId?: (place: number) => string;
  /** Injects the fault, in the middle of the sale. Ends when the fault is over. */
  inject(scene: Scene): Promise<void>;
}

/** What a fault is injected into, and what it has to say about it. */
export interface Scene {
  topology: Topology;
  couponId: string;
  /** Whether this many shoppers have come to see a confirmation, or the sale is over. */
  waitForConfirmed(count: number): Promise<boolean>;
  /** A `Cookie` header that the product believes. */
  cookieOf(userId: string, role?: 'shopper' | 'admin'): string;
  admin: Admin;
  /** A store is away while this work is done, and `/readyz` has to say so. */
  duringOutage<Result>(of: 'redis' | 'postgres', work: () => Promise<Result>): Promise<Result>;
  /** Redis has just lost data: what it admits from now on, it counts anew. */
  markDataLoss(): void;
  /** The fault happens now, and not when its preparations began. */
  markFault(): void;
  /** What the drill saw, for its line. */
  note(text: string): void;
  /** Something that must not be; the drill fails. */
  reportProblem(text: string): void;
}
