import { answer } from './experiment';

/** Asks Redis, and counts how often. */
export interface Asking {
  <Answer>(asked: Promise<Answer>): Promise<Answer>;
  roundTrips(): number;
}

/** An asking of one call. */
export function createAsking(): Asking {
  let roundTrips = 0;
  const ask = <Answer>(asked: Promise<Answer>): Promise<Answer> => {
    roundTrips += 1;
    return answer(asked);
  };
  return Object.assign(ask, { roundTrips: () => roundTrips });
}
