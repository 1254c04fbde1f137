import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ForkedProcess, forkProcess } from '../fork-process';
import type { Spend } from './fullest-window';

/** The leased window that processes spend, and where they write what they spent. */
export interface LeasedPlan {
  redisUrl: string;
  /** A Redis on the same machine, for its clock, without a proxy. */
  clockUrl: string;
  prefix: string;
  limit: number;
  windowMs: number;
  forMs: number;
  /** The shortest time for which a node keeps its rate of calls. */
  steadyMs: number;
  /** The file to which the process adds a line for each spend, before its caller could act on it. */
  spendsFile: string;
}

/** A process that spends units of a leased level, at a rate that changes. */
export interface LeasedNode extends ForkedProcess {
  /** Changes the limit of the level on this node. Resolves when the node uses it. */
  changeLimit(limit: number): Promise<void>;
}

const appliedShape = z.object({ applied: z.number() });

export async function startLeasedNode(plan: LeasedPlan): Promise<LeasedNode> {
  const onApplied = new Map<number, () => void>();
  const node = await forkProcess('drills/leases/node-process.ts', {
    plan,
    onMessage(message) {
      const { data } = appliedShape.safeParse(message);
      if (data) onApplied.get(data.applied)?.();
    },
  });
  let changes = 0;
  return {
    ...node,
    changeLimit(limit) {
      changes += 1;
      const version = changes;
      return new Promise((resolve) => {
        onApplied.set(version, resolve);
        node.child.send({ limit, version });
      });
    },
  };
}

/** Reads what the processes spent. A killed process may have left a part of a line. */
export async function readSpends(file: string): Promise<Spend[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => {
    const [from, until, source] = line.split(' ');
    return { from: Number(from), until: Number(until), isLeased: source === 'lease' };
  });
}
