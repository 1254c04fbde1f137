import { z } from 'zod';

/** The schema of a `requestId`. It lower-cases, because a UUID in capitals is the same UUID. */
export const requestIdInput = z.uuid().toLowerCase();
