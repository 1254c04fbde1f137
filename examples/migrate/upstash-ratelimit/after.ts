import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/fetch';
import { restStore } from 'floodgate-limiter/rest';

const {
  UPSTASH_REDIS_REST_URL: url = '',
  UPSTASH_REDIS_REST_TOKEN: token = '',
  SUBJECT_SECRET,
} = process.env;
const limiter = createLimiter({ store: restStore({ url, token }), secret: SUBJECT_SECRET ?? '' });
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

export const answer = rateLimit({
  limiter,
  policy: greeting,
  subjects: (request: Request) => ({ user: request.headers.get('x-user') ?? 'anonymous' }),
})(() => new Response('Hello.'));
