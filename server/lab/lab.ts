import { AppError } from '../errors';
import type { Log } from '../observability/log';
import type { LabVerbs } from './router';

export interface Lab extends LabVerbs {
  stop(): Promise<void>;
}

export function createLab(_options: { urls: readonly string[]; log: Log }): Lab {
  const closed = async (): Promise<never> => {
    throw new AppError('SERVICE_UNAVAILABLE', 'The lab is closed.');
  };
  return {
    run: closed,
    progress: closed,
    race: closed,
    mistake: closed,
    roundTrips: closed,
    storages: closed,
    layers: closed,
    stop: () => Promise.resolve(),
  };
}
