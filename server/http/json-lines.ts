import type { IncomingHttpHeaders } from 'node:http';

const JSON_LINES_TYPE = 'application/jsonl';

/** Whether the client is tRPC's `httpBatchStreamLink`, which reads the answer of a batch as JSON Lines only. */
export function acceptsJsonLines(headers: IncomingHttpHeaders): boolean {
  const { accept, 'trpc-accept': trpcAccept } = headers;
  if (trpcAccept !== undefined) return trpcAccept === JSON_LINES_TYPE;
  if (!accept?.includes(JSON_LINES_TYPE)) return false;
  return accept.split(',').some((type) => type.trim() === JSON_LINES_TYPE);
}

export interface JsonLines {
  status: number;
  /** Sent as `application/json`, as tRPC sends its own streams. */
  body: string;
}

/**
 * The answer of a batch for that link, from the JSON of each call and the status that the batch has in JSON.
 * All calls are decided by now, so the answer is one line: tRPC's head of a stream, with every value in it.
 * Of another status than 2xx the link reads one error, for all calls. So the error of a single call keeps its status,
 * and several calls get 207, in which each has its own.
 */
export function encodeJsonLines(answers: readonly string[], status: number): JsonLines {
  const [only, ...others] = answers;
  const isOk = status >= 200 && status < 300;
  if (!isOk && only !== undefined && others.length === 0) return { status, body: only };
  const head = answers.map((answer, index) => `"${index}":[[${answer}]]`).join(',');
  return { status: isOk ? status : 207, body: `{${head}}\n` };
}
