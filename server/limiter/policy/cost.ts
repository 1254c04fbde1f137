import { FloodgateError } from '../floodgate-error';
import { formatValue, isWhole } from '../options';
import type { PolicyCall, ResolvedPolicy } from './policy';

/** The cost of a call is not one that its policy declares: an error in the call or in `cost`. Nothing is charged. */
export class InvalidCostError extends FloodgateError {
  static override readonly code = 'INVALID_COST';
  constructor(policy: string, { cost, fix }: { cost: unknown; fix: string }) {
    super(`Policy "${policy}": the cost of this call is ${formatValue(cost)}. ${fix}`);
    this.name = 'InvalidCostError';
  }
}

/** The `cost` of a policy with a `maxCost` alone: that of the call. */
export function statedCost({ context }: PolicyCall<Readonly<Record<string, unknown>>>): number {
  // `readCost` checks it.
  return context.cost as number;
}

/**
 * Returns the cost of a call: the given one, else that of its policy, or its greatest. Throws an `InvalidCostError` if calls
 * of the policy cannot have it, or if the call must state its own and does not.
 */
export function readCost(
  { name, cost: maxCost, costOf }: Pick<ResolvedPolicy, 'name' | 'cost' | 'costOf'>,
  cost: number | undefined,
): number {
  const isStated = costOf === statedCost;
  if (cost === undefined && !isStated) return maxCost;
  if (cost !== undefined && (costOf ? isWhole(cost, 1, maxCost) : cost === maxCost)) return cost;
  const range = `a whole number from 1 to maxCost, which is ${maxCost}.`;
  if (isStated)
    throw new InvalidCostError(name, { cost, fix: `State it in the call, { …, cost }: ${range}` });
  if (costOf) throw new InvalidCostError(name, { cost, fix: `Return ${range}` });
  const fix = `Every call of this policy costs ${maxCost}: omit it, or declare maxCost instead of cost.`;
  throw new InvalidCostError(name, { cost, fix });
}
