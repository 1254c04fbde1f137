import { z } from 'zod';
import { emailAddress } from './email-address';
import { StartError } from './errors';
import { parseSentinelUrl } from './store-urls';

/** `a, b` → `['a', 'b']`; an empty text is an empty list. */
const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

const flag = z.enum(['0', '1']).transform((value) => value === '1');

const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.int().min(min).max(max));

const redisUrl = z.url({ protocol: /^rediss?$/ });
const isRedis = (urls: readonly string[]) =>
  urls.length > 0 &&
  (urls.every((url) => redisUrl.safeParse(url).success) ||
    (urls.length === 1 && parseSentinelUrl(urls[0] ?? '') !== undefined));

/** A range of all addresses, also of all IPv4 addresses as IPv6 ones. The limiter refuses rarer spellings of these. */
const allAddresses = /\/0$|^::ffff:[^/]*\/([0-8]?\d|9[0-6])$/i;
const proxyRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine((range) => !allAddresses.test(range));

/** The schema of each variable. The error of an invalid variable shows its description as an example. */
const schema = z.object({
  PORT: wholeNumber({ min: 0, max: 65_535 }).default(3000).describe('3000'),
  HOST: z.string().min(1).default('127.0.0.1').describe('127.0.0.1'),
  REDIS_URL: z
    .string()
    .transform((text) => (parseSentinelUrl(text) ? [text.trim()] : list(text)))
    .refine(isRedis, 'must begin with redis:// or rediss://, or be redis+sentinel://host:port,host:port/name')
    .describe(
      'redis://127.0.0.1:6379, several separated by commas for a cluster, or redis+sentinel://host:port,host:port/name',
    ),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .describe('postgres://user:password@127.0.0.1:5432/floodgate'),
  SESSION_SECRETS: z
    .string()
    .transform(list)
    .pipe(z.array(z.string().min(32)).min(1))
    .describe('at least 32 random characters; several separated by commas, the first signs and all verify'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(list)
    .pipe(
      z.array(
        z
          .string()
          .refine(
            (text) => proxyRange.safeParse(text).success,
            'must be an address or a CIDR range of some addresses: a range of all lets every client forge its address',
          ),
      ),
    )
    .describe('10.0.0.0/8,fd00::/8'),
  PUBLIC_ORIGIN: z
    .url({ protocol: /^https?$/ })
    .transform((url) => new URL(url).origin)
    .optional()
    .describe('https://sale.example.com'),
  ADMIN_EMAILS: z
    .string()
    .default('')
    .transform(list)
    .pipe(z.array(emailAddress))
    .describe('ops@example.com,lead@example.com'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, hostname: /./ })
    .pipe(
      z.string().refine((url) => {
        const from = new URL(url).searchParams.get('from');
        return from === null || emailAddress.safeParse(from).success;
      }, 'its from parameter must be an e-mail address'),
    )
    .optional()
    .describe('smtps://user:password@mail.example.com?from=sale@example.com'),
  FLOODGATE_DEMO: flag.default(false).describe('1'),
  FLOODGATE_PGLITE: flag
    .default(false)
    .describe('1 where DATABASE_URL is an embedded PGlite: one session in all'),
  ALERT_WEBHOOK_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => {
      const { username, password } = new URL(url);
      return username === '' && password === '';
    }, 'must not contain a user or a password: the receiver identifies the sender by the signature')
    .optional()
    .describe('https://hooks.example.com/floodgate'),
  LIVE_STREAMS_PER_ADDRESS: wholeNumber({ min: 1, max: 1_000_000 }).default(200).describe('200'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info').describe('info'),
  NODE_ENV: z.enum(['development', 'production', 'test']).default('production').describe('production'),
});

export type Env = z.infer<typeof schema>;

/** The names of all variables. */
export const envNames = Object.keys(schema.shape);

/** The variables that `npm start` provides if they are not set; the secrets only with a database of its own. */
const providedByStart = schema.partial({ REDIS_URL: true, DATABASE_URL: true, SESSION_SECRETS: true });

/** An environment variable is missing or invalid. The message names each variable, the problem and an example. */
export class EnvError extends StartError {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Adds the variables of a `.env` file to the environment. A variable that is already set keeps its value. Without a
 * file, nothing happens.
 */
export function loadEnvFile(file = '.env'): void {
  try {
    process.loadEnvFile(file);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    if ('code' in cause && cause.code === 'ENOENT') return;
    throw new StartError(`${file} cannot be read: ${cause.message}`, { cause });
  }
}

/** Reads the environment once; nothing else in the product reads `process.env`. An empty variable counts as unset. */
export function readEnv(source: Readonly<Record<string, string | undefined>> = process.env): Env {
  return parse(schema, withoutEmpty(source));
}

/** Throws an `EnvError` if the environment of `npm start` is not usable. A database may be missing: it starts one. */
export function checkEnvOfStart(source: Readonly<Record<string, string | undefined>> = process.env): void {
  const set = withoutEmpty(source);
  parse(set.REDIS_URL && set.DATABASE_URL ? schema : providedByStart, set);
}

function withoutEmpty(source: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const isSet = (entry: [string, string | undefined]): entry is [string, string] => Boolean(entry[1]?.trim());
  return Object.fromEntries(Object.entries(source).filter(isSet));
}

function parse<Result>(variables: z.ZodType<Result>, set: Readonly<Record<string, string>>): Result {
  const result = variables.safeParse(set);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    const example = schema.shape[name as keyof Env]?.description;
    const problem = set[name] === undefined ? 'is required' : `is not usable: ${message}`;
    return `${name} ${problem}. Example: ${name}=${example}`;
  });
  throw new EnvError([...new Set(problems)]);
}
