#!/usr/bin/env node
/** The command `floodgate-limiter examine URL`. */
import { openSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { examine } from './examine';
import { createHttpTarget } from './http-target';
import { describeExamination, formatPage, formatText } from './report';
import { ExamineError, MAX_PARALLEL, MAX_WINDOWS, rounds } from './session';

const USAGE = `Usage: floodgate-limiter examine URL [--method GET] [--header 'Name: value']... [--body TEXT]
  [--refused 429]... [--window SECONDS] [--max-limit 500] [--max-calls 3000] [--mine] [--json] [--html FILE]

Calls one URL until it refuses, and says which rate limiter answers and how far it is from its limit.
Use it on a route without side effects, of a server without other callers meanwhile. The options:
https://github.com/floodgate-limiter/floodgate/blob/main/docs/rate-limits.md#examine-a-server
`;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Reads the arguments. Throws an error that names the wrong one. */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      method: { type: 'string', default: 'GET' },
      header: { type: 'string', multiple: true, default: [] },
      body: { type: 'string' },
      refused: { type: 'string', multiple: true, default: ['429'] },
      window: { type: 'string' },
      'max-limit': { type: 'string', default: '500' },
      'max-calls': { type: 'string', default: '3000' },
      mine: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      html: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, address = ''] = positionals;
  if (values.help || command !== 'examine' || positionals.length !== 2) throw new ExamineError(USAGE);
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new ExamineError(`${address} is no URL. Use one like http://127.0.0.1:3000/api.`);
  const url = new URL(address);
  if (!LOOPBACK.test(url.hostname) && !values.mine)
    throw new ExamineError(`${url.hostname} is not this machine. Examine only your own servers: add --mine.`);
  const headers = values.header.map((header): [string, string] => {
    const [, name, value] = /^([^:]+):(.*)$/.exec(header) ?? [];
    if (!name || value === undefined) throw new ExamineError(`--header is ${header}. Use 'Name: value'.`);
    return [name.trim(), value.trim()];
  });
  const readNumber = (name: string, text: string) => {
    if (Number(text) > 0) return Number(text);
    throw new ExamineError(`--${name} is ${text}. Use a number above 0.`);
  };
  return {
    url,
    request: { method: values.method, headers, ...(values.body !== undefined && { body: values.body }) },
    options: {
      refusedBy: values.refused.map((status) => readNumber('refused', status)),
      maxCalls: readNumber('max-calls', values['max-calls']),
      maxLimit: readNumber('max-limit', values['max-limit']),
      windowMs: values.window === undefined ? undefined : 1_000 * readNumber('window', values.window),
    },
    isJson: values.json,
    // Before the calls, which take a minute.
    page: values.html === undefined ? undefined : openSync(values.html, 'w'),
  };
}

async function main(): Promise<void> {
  const { url, request, options, isJson, page } = readArguments();
  process.stderr.write(
    `At most ${options.maxCalls} calls, ${MAX_PARALLEL} of them at once, in about ${MAX_WINDOWS} windows.\n`,
  );
  let calls = 0;
  const onCall = ({ round }: { round: string }) => {
    calls += 1;
    const bar = '▪'.repeat(rounds.indexOf(round) + 1).padEnd(rounds.length, '·');
    if (process.stderr.isTTY) process.stderr.write(`\r${bar} ${calls} calls, ${round} \x1b[K`);
  };
  const examination = await examine(createHttpTarget(url, request), { ...options, onCall });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  if (page !== undefined) writeFileSync(page, formatPage(url.href, examination));
  const json = { url: url.href, report: describeExamination(examination), ...examination };
  process.stdout.write(isJson ? `${JSON.stringify(json)}\n` : formatText(url.href, examination));
}

main().then(
  // Idle connections would keep the process alive.
  () => process.exit(0),
  (error: unknown) => {
    const { message, cause, code }: { message?: string; cause?: unknown; code?: unknown } = Object(error);
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    // Of an argument, or of the file of the page.
    const isExpected = error instanceof ExamineError || typeof code === 'string';
    process.stderr.write(
      isExpected ? `${message}\n` : `The server cannot be examined: ${message}${reason}\n`,
    );
    process.exit(1);
  },
);
