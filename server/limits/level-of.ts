import { AppError } from '../errors';
import type { Catalogue } from './catalogue';

/** A level by its name, as its policy declares it. */
export interface NamedLevel {
  policy: Catalogue[number];
  /** Its place in the policy. */
  place: number;
  declared: Catalogue[number]['levels'][number];
}

/** Finds a policy by its name. Throws NOT_FOUND. */
export function policyOf(catalogue: Catalogue, name: string): Catalogue[number] {
  const policy = catalogue.find((one) => one.name === name);
  if (!policy) throw new AppError('NOT_FOUND', `There is no policy ${JSON.stringify(name)}.`);
  return policy;
}

/** The level of that name. Throws NOT_FOUND with the sentence that an operator reads. */
export function levelOf(
  catalogue: Catalogue,
  { policy: name, level }: { policy: string; level: string },
): NamedLevel {
  const policy = policyOf(catalogue, name);
  const place = policy.levels.findIndex((one) => one.level === level);
  const declared = policy.levels[place];
  if (!declared) {
    throw new AppError('NOT_FOUND', `Policy ${JSON.stringify(name)} has no level ${JSON.stringify(level)}.`);
  }
  return { policy, place, declared };
}
