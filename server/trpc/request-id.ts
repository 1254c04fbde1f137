import { z } from 'zod';

/** The identity of a repeated call. Lower-case, because a UUID in capitals is the same UUID. */
export const requestIdInput = z.uuid().toLowerCase();
