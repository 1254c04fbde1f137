import { setTimeout as sleep } from 'node:timers/promises';

/** About four characters are a token. */
export const countTokens = (text: string) => Math.ceil(text.length / 4);

/** Stands for the stream of a model: repeats the words of the prompt, one each 10 ms. */
export async function* streamModel(
  prompt: string,
  { maxTokens, signal }: { maxTokens: number; signal: AbortSignal },
) {
  for (const text of prompt.split(/(?<= )/).slice(0, maxTokens)) {
    await sleep(10);
    if (signal.aborted) return;
    yield { text, tokens: 1 };
  }
}
