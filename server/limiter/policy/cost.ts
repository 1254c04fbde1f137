import { FloodgateError } from '../floodgate-error';
import { formatValue, isWhole } from '../options';
import type { ResolvedPolicy } from './policy';

/** The cost of a call is not one that its policy declares: an error in `cost`. Nothing is charged. */
export class InvalidCostError extends FloodgateError {
  static override readonly code = 'INVALID_COST';
  constructor(policy: string, { cost, maxCost }: { cost: unknown; maxCost: number }) {
    super(
      `Policy "${policy}": the cost of this call is ${formatValue(cost)}. Return a whole number from 1 to maxCost, which is ${maxCost}.`,
    );
    this.name = 'InvalidCostError';
  }
}

/** Throws an `InvalidCostError` if calls of a policy cannot have a cost. */
export function validateCost(
  { name, cost: maxCost, costOf }: Pick<ResolvedPolicy, 'name' | 'cost' | 'costOf'>,
  cost: number,
): void {
  if (costOf ? isWhole(cost, 1, maxCost) : cost === maxCost) return;
  throw new InvalidCostError(name, { cost, maxCost });
}
