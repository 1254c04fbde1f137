import { eventually } from '../test/until';
import type { SaleSize } from './drill';
import { createNodeClient } from './node-clients';

interface LimitChange {
  policy: string;
  level: string;
  limit: number;
  windowMs: number;
}

export const saleLimit = ({ limit, windowMs }: SaleSize): LimitChange => ({
  ...{ policy: 'coupon.seckill', level: 'global', limit, windowMs },
});

/** The drill reads pages from one address, more often than visitors do. */
export const raisedReadLimit: LimitChange = {
  ...{ policy: 'coupon.read', level: 'ip', limit: 1_000_000, windowMs: 60_000 },
};

/** Changes limits and waits until they are effective on every node. */
export async function setLimits(
  urls: readonly string[],
  changes: readonly LimitChange[],
  { cookie, signal }: { cookie: string; signal: AbortSignal },
): Promise<void> {
  const clients = urls.map((url) => createNodeClient(url).batched(cookie));
  for (const change of changes) await clients[0]?.limit.update.mutate(change);
  const areEffective = async () => {
    const lists = await Promise.all(clients.map((client) => client.limit.list.query()));
    return lists.every(({ policies }) =>
      changes.every(({ policy: name, level: levelName, limit, windowMs }) => {
        const levels = policies.find(({ policy }) => policy === name)?.levels;
        const effective = levels?.find(({ level }) => level === levelName)?.effective;
        return effective?.limit === limit && effective.windowMs === windowMs;
      }),
    );
  };
  await eventually(areEffective, 'the limits are effective on every node', { signal });
}
