import { isUnavailable } from '../../db/unavailable';
import type { ChangedGates } from './changed-gates';

/** The last coupon of a slice. */
export interface SliceEnd {
  id: string;
  endsAt: Date;
}

/** Time for which a job reads a changed gate in each run: longer than two runs. */
const CHANGED_FOR_MS = 3_000;
/** Gates of a slice: with 2,000 gates, a job reads each at least every 125 s. More of them would be most of what an idle node does. */
export const SLICE: number = 16;

interface DueGatesOptions<Row extends { id: string }> {
  changedGates: Pick<ChangedGates, 'within' | 'gaps'>;
  /** May return the last known rows while Postgres is down. */
  listAll: () => Promise<Row[]>;
  /** Lists these coupons, and those that Postgres says have changed. */
  listChanged: (couponIds: string[]) => Promise<Row[]>;
  /** Lists at most `SLICE` coupons by their end, then by id, after a coupon or from the start. */
  listSlice: (after: SliceEnd | undefined) => Promise<(Row & SliceEnd)[]>;
}

/**
 * Creates the function that lists the gates that a job has to read in its next run: the changed ones and the next slice of
 * all, which finds what no notification has reported; after a gap, and while Postgres is down, all.
 */
export function createDueGates<Row extends { id: string }>({
  changedGates,
  listAll,
  listChanged,
  listSlice,
}: DueGatesOptions<Row>): () => Promise<Row[]> {
  let closedGaps = 0;
  let after: SliceEnd | undefined;

  async function listAllOnce(gaps: number): Promise<Row[]> {
    const all = await listAll();
    closedGaps = gaps;
    return all;
  }

  return async function listDue() {
    const gaps = changedGates.gaps();
    if (gaps !== closedGaps) return listAllOnce(gaps);
    try {
      const changed = await listChanged(changedGates.within(CHANGED_FOR_MS));
      const slice = await listSlice(after);
      after = slice.length < SLICE ? undefined : slice.at(-1);
      return [...new Map<string, Row>([...changed, ...slice].map((row) => [row.id, row])).values()];
    } catch (error) {
      // The changes of this run may be too old for the next one.
      closedGaps = 0;
      if (!isUnavailable(error)) throw error;
      return listAllOnce(gaps);
    }
  };
}
