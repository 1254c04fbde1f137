import express, { type Request } from 'express';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/express';
import { connectRedis } from 'floodgate-limiter/node-redis';
import { countTokens, streamModel } from './model.js';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

export const limiter = createLimiter({
  store: connectRedis(REDIS_URL),
  secret: SUBJECT_SECRET,
  // A model takes seconds, and a settling that Redis does not answer keeps its reservation.
  timeoutMs: 2_000,
});

export const budget = definePolicy({
  name: 'llm',
  levels: [{ level: 'tenant', algorithm: 'sliding-counter', limit: 100_000, windowMs: 60_000 }],
  // Each call reserves the cost that it states, and keeps the tokens that it used.
  maxCost: 8_000,
  settle: 'units',
  settleMs: 120_000,
  message: { en: 'The tokens of this minute are used up.' },
});

const MAX_ANSWER = 4_000;
const promptOf = ({ query }: Request) => String(query.prompt ?? '').slice(0, 16_000);

export const app = express();
app.get(
  '/complete',
  rateLimit({
    limiter,
    policy: budget,
    subjects: (req) => ({
      // Stands for your authentication: never the tenant that a caller names.
      tenant: req.get('x-tenant') ?? 'anonymous',
      cost: countTokens(promptOf(req)) + MAX_ANSWER,
    }),
    settle: ({ locals }) => Number(locals.tokens),
  }),
  async (req, res) => {
    const prompt = promptOf(req);
    const leaving = new AbortController();
    res.once('close', () => leaving.abort());
    res.locals.tokens = countTokens(prompt);
    res.type('text/plain');
    for await (const { text, tokens } of streamModel(prompt, {
      maxTokens: MAX_ANSWER,
      signal: leaving.signal,
    })) {
      res.locals.tokens += tokens;
      res.write(text);
    }
    res.end();
  },
);
