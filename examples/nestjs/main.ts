import 'reflect-metadata';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
  Module,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createClientAddress, createLimiter, definePolicy } from 'floodgate-limiter';
import { answerOf } from 'floodgate-limiter/http';
import { connectRedis } from 'floodgate-limiter/ioredis';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

const limiter = createLimiter({ store: connectRedis(REDIS_URL), secret: SUBJECT_SECRET });
const clientAddress = createClientAddress({ trustedProxies: [] });
const policy = definePolicy({
  name: 'greet',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});

class RateLimitGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest();
    const decided = limiter.check(policy, { ip: clientAddress(request.raw ?? request) });
    const { status, headers, body } = answerOf(await decided.catch((error: Error) => error), { policy });
    for (const [name, value] of Object.entries(headers)) http.getResponse().header(name, value);
    if (body !== undefined) throw new HttpException(JSON.parse(body), status);
    return true;
  }
}

@Controller()
class GreetingController {
  @Get('greet')
  @UseGuards(RateLimitGuard)
  greet(): string {
    return 'Hello.';
  }
}

@Module({ controllers: [GreetingController] })
class AppModule {}

async function main(): Promise<void> {
  // Names what Redis lacks. The server starts also without Redis: `onStoreError` of each policy decides.
  await limiter.ready().catch((error) => console.error(error.message));
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(PORT, '127.0.0.1');
  console.info(`${await app.getUrl()}/greet`);
}
void main();
