import net from 'node:net';
import { StepError } from '../step-error.mjs';

/** @typedef {(text: string) => string | undefined} FindProblem  Returns the problem of a value. */

/**
 * The settings of the server with examples. server/env.ts is authoritative. These rules need no packages, so that
 * `npm start` finds a mistake before it installs and builds. A test compares both.
 *
 * @type {Record<string, { problem: FindProblem, example: string }>}
 */
const settings = {
  PORT: { problem: wholeNumber(0, 65_535), example: '3000' },
  HOST: { problem: () => undefined, example: '127.0.0.1' },
  REDIS_URL: {
    problem: redisUrl,
    example:
      'redis://127.0.0.1:6379, several separated by commas for a cluster, or redis+sentinel://host:port,host:port/name',
  },
  DATABASE_URL: {
    problem: url(['postgres:', 'postgresql:']),
    example: 'postgres://user:password@127.0.0.1:5432/floodgate',
  },
  SESSION_SECRETS: {
    problem: listOf((text) => (text.length < 32 ? 'a secret has fewer than 32 characters' : undefined)),
    example: 'at least 32 random characters; several separated by commas, the first signs and all verify',
  },
  TRUSTED_PROXIES: { problem: listOf(addressRange, { mayBeEmpty: true }), example: '10.0.0.0/8,fd00::/8' },
  PUBLIC_ORIGIN: { problem: url(['http:', 'https:']), example: 'https://sale.example.com' },
  ADMIN_EMAILS: { problem: listOf(email, { mayBeEmpty: true }), example: 'ops@example.com,lead@example.com' },
  SMTP_URL: {
    problem: smtpUrl,
    example: 'smtps://user:password@mail.example.com?from=sale@example.com',
  },
  FLOODGATE_DEMO: { problem: oneOf(['0', '1']), example: '1' },
  FLOODGATE_PGLITE: { problem: oneOf(['0', '1']), example: '1' },
  ALERT_WEBHOOK_URL: { problem: webhookUrl, example: 'https://hooks.example.com/floodgate' },
  LIVE_STREAMS_PER_ADDRESS: { problem: wholeNumber(1, 1_000_000), example: '200' },
  LOG_LEVEL: {
    problem: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    example: 'info',
  },
};

/** The names of the settings. `NODE_ENV` is not one of them, because other programs also read it. */
export const settingNames = Object.keys(settings);

/**
 * Throws an error with one line for each unusable setting: its name, the problem and an example. An empty value counts as
 * unset.
 *
 * @param {Record<string, string | undefined>} env
 */
export function checkSettings(env) {
  const problems = Object.entries(settings).flatMap(([name, { problem, example }]) => {
    const value = env[name] ?? '';
    const found = value.trim() === '' ? undefined : problem(value);
    return found === undefined ? [] : [`${name} is not usable: ${found}. Example: ${name}=${example}`];
  });
  const isSet = (/** @type {string} */ name) => Boolean(env[name]?.trim());
  if (isSet('REDIS_URL') && isSet('DATABASE_URL') && !isSet('SESSION_SECRETS')) {
    problems.push(
      `SESSION_SECRETS is required with REDIS_URL and DATABASE_URL. Example: SESSION_SECRETS=${settings.SESSION_SECRETS?.example}`,
    );
  }
  if (problems.length > 0) throw new StepError(problems.join('\n'));
}

/**
 * @param {number} min
 * @param {number} max
 * @returns {FindProblem}
 */
function wholeNumber(min, max) {
  return (text) => {
    if (!/^\d+$/.test(text)) return 'must be a whole number';
    return Number(text) < min || Number(text) > max ? `must be from ${min} to ${max}` : undefined;
  };
}

/**
 * @param {string[]} values
 * @returns {FindProblem}
 */
function oneOf(values) {
  return (text) => (values.includes(text) ? undefined : `must be one of ${values.join(', ')}`);
}

/**
 * @param {FindProblem} problem  The check of one entry.
 * @param {{ mayBeEmpty?: boolean }} [options]
 * @returns {FindProblem}
 */
function listOf(problem, { mayBeEmpty = false } = {}) {
  return (text) => {
    const entries = text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
    if (entries.length === 0 && !mayBeEmpty) return 'must have an entry';
    return entries.map(problem).find((found) => found !== undefined);
  };
}

/**
 * @param {string[]} protocols
 * @returns {FindProblem}
 */
function url(protocols) {
  return (text) => {
    if (!URL.canParse(text.trim())) return 'must be a URL';
    return protocols.includes(new URL(text.trim()).protocol)
      ? undefined
      : `must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  };
}

/** @type {FindProblem} */
function redisUrl(text) {
  if (!text.trim().startsWith('redis+sentinel:')) return listOf(url(['redis:', 'rediss:']))(text);
  const isValid =
    /^redis\+sentinel:\/\/(?:[^:@/]*(?::[^@/]*)?@)?(?:(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?,?)+(?<!,)\/[\w.-]+$/i;
  return isValid.test(text.trim()) ? undefined : 'must be redis+sentinel://host:port,host:port/name';
}

/** @type {FindProblem} */
function smtpUrl(text) {
  const problem = url(['smtp:', 'smtps:'])(text);
  if (problem) return problem;
  const { hostname, searchParams } = new URL(text.trim());
  const from = searchParams.get('from');
  if (hostname === '') return 'must have a host';
  return from !== null && email(from) ? 'its from parameter must be an e-mail address' : undefined;
}

/** @type {FindProblem} */
function webhookUrl(text) {
  const problem = url(['http:', 'https:'])(text);
  if (problem) return problem;
  const { username, password } = new URL(text.trim());
  return username || password ? 'it must not carry a user or a password' : undefined;
}

/** @type {FindProblem} */
function email(text) {
  return /^[\w'+.-]+@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i.test(text.trim())
    ? undefined
    : 'must be an e-mail address';
}

const mappedIpv4 = new net.BlockList();
mappedIpv4.addSubnet('::ffff:0:0', 96, 'ipv6');

/** @type {FindProblem} */
function addressRange(text) {
  const [address = '', bits, ...rest] = text.split('/');
  const version = net.isIP(address);
  const max = version === 4 ? 32 : 128;
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
  if (version === 0 || !isRange || rest.length > 0) return 'must be an address or a CIDR range';
  const least = version === 6 && mappedIpv4.check(address, 'ipv6') ? 97 : 1;
  return bits !== undefined && Number(bits) < least
    ? 'a range of all addresses lets every client forge its address'
    : undefined;
}
