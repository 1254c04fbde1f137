import type { IncomingHttpHeaders } from 'node:http';

const JSON_LINES_TYPE = 'application/jsonl';

/** Returns true for tRPC's `httpBatchStreamLink`, which reads the answer of a batch only as JSON Lines. */
export function acceptsJsonLines(headers: IncomingHttpHeaders): boolean {
  const { accept, 'trpc-accept': trpcAccept } = headers;
  if (trpcAccept !== undefined) return trpcAccept === JSON_LINES_TYPE;
  if (!accept?.includes(JSON_LINES_TYPE)) return false;
  return accept.split(',').some((type) => type.trim() === JSON_LINES_TYPE);
}

export interface JsonLines {
  status: number;
  /** Sent as `application/json`, like tRPC's own streams. */
  body: string;
}

/**
 * Encodes the answer of a batch for that link, from the JSON of each call and the status of the JSON batch. All calls are
 * complete, so the answer is one line: the head of tRPC's stream with every value in it.
 * For a status other than 2xx the link reads one error for all calls. So a single error keeps its status, and several
 * calls get 207, with a separate status in each.
 */
export function encodeJsonLines(answers: readonly string[], status: number): JsonLines {
  const [only, ...others] = answers;
  const isOk = status >= 200 && status < 300;
  if (!isOk && only !== undefined && others.length === 0) return { status, body: only };
  const head = answers.map((answer, index) => `"${index}":[[${answer}]]`).join(',');
  return { status: isOk ? status : 207, body: `{${head}}\n` };
}
