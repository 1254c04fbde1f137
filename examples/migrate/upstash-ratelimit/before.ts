import { Ratelimit } from '@upstash/ratelimit';
import { Redis } from '@upstash/redis';

const limiter = new Ratelimit({
  redis: Redis.fromEnv(),
  prefix: 'before',
  limiter: Ratelimit.slidingWindow(3, '60 s'),
});

export async function answer(request: Request): Promise<Response> {
  const { success, reset } = await limiter.limit(request.headers.get('x-user') ?? 'anonymous');
  if (success) return new Response('Hello.');
  const seconds = Math.ceil((reset - Date.now()) / 1_000);
  return new Response('Too many.', { status: 429, headers: { 'retry-after': String(seconds) } });
}
