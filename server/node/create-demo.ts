import type { Db } from '../db/client';
import { createCrowd } from '../demo/crowd';
import { createRounds } from '../demo/rounds';
import type { DemoVerbs } from '../demo/router';
import type { Env } from '../env';
import type { User } from '../trpc/context';
import type { Subsystem } from './subsystem';

/** Creates the crowd and the rounds of a demo. Outside demo mode the crowd has no procedure, and no round opens. */
export function createDemo({
  env,
  db,
  loopbackUrl,
  createCookieHeader,
  ensureGate,
}: {
  env: Env;
  db: Db;
  loopbackUrl: () => string;
  createCookieHeader: (user: User) => string;
  ensureGate: (couponId: string) => Promise<boolean>;
}): Subsystem<DemoVerbs> {
  const rounds = createRounds({ db, onOpened: ensureGate });
  return {
    verbs: { demo: env.FLOODGATE_DEMO, crowd: createCrowd({ db, baseUrl: loopbackUrl, createCookieHeader }) },
    jobs: env.FLOODGATE_DEMO
      ? [{ name: 'Opening the next round', run: rounds.openNextRounds, everyMs: 1_000 }]
      : [],
  };
}
