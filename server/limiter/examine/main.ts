#!/usr/bin/env node
/** The command `floodgate-limiter examine URL`. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { examine } from './examine';
import { createHttpTarget } from './http-target';
import { formatPage, formatText } from './report';
import { ExamineError, MAX_PARALLEL, MAX_WINDOWS } from './session';

const USAGE = `Usage: floodgate-limiter examine URL [options]

Calls one URL until it refuses, and says which rate limiter answers and how far it is from its limit.
Use it on a route without side effects, of a server without other callers meanwhile.

  --method METHOD       default: GET
  --header 'Name: value'  can be repeated
  --body TEXT
  --refused STATUS      a status that refuses, can be repeated; default: 429
  --window SECONDS      default: from the headers, else measured
  --max-limit CALLS     calls until no limit is found; default: 500
  --max-calls CALLS     the sum of all calls; default: 3000
  --mine                the host is mine: needed for every host that is not this machine
  --json                the report as JSON
  --html FILE           the report as one page
`;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Reads the arguments. Throws an `ExamineError` that names the wrong one. */
function readArguments(args: string[]) {
  const { values, positionals } = parseOptions(args);
  const [command, address] = positionals;
  if (command !== 'examine' || address === undefined || positionals.length > 2) throw new ExamineError(USAGE);
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new ExamineError(`${address} is no URL. Use one like http://127.0.0.1:3000/api.`);
  const url = new URL(address);
  if (!LOOPBACK.test(url.hostname) && !values.mine)
    throw new ExamineError(`${url.hostname} is not this machine. Examine only your own servers: add --mine.`);
  const headers = Object.fromEntries(
    values.header.map((header) => {
      const [name, ...rest] = header.split(':');
      if (!name || rest.length === 0) throw new ExamineError(`--header is ${header}. Use 'Name: value'.`);
      return [name.trim(), rest.join(':').trim()];
    }),
  );
  const readNumber = (name: string, text: string) => {
    const number = Number(text);
    if (number > 0) return number;
    throw new ExamineError(`--${name} is ${text}. Use a number above 0.`);
  };
  return {
    request: { url, method: values.method, headers, body: values.body },
    refusedBy: values.refused.map((status) => readNumber('refused', status)),
    maxCalls: readNumber('max-calls', values['max-calls']),
    maxLimit: readNumber('max-limit', values['max-limit']),
    windowMs: values.window === undefined ? undefined : 1_000 * readNumber('window', values.window),
    isJson: values.json,
    page: values.html,
  };
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({
      args,
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
      },
    });
  } catch (cause) {
    throw new ExamineError(`${cause instanceof Error ? cause.message : cause}\n\n${USAGE}`, { cause });
  }
}

async function main(): Promise<void> {
  const { request, isJson, page, ...options } = readArguments(process.argv.slice(2));
  process.stderr.write(
    `At most ${options.maxCalls} calls, ${MAX_PARALLEL} of them at once, in about ${MAX_WINDOWS} windows.\n`,
  );
  let calls = 0;
  const onCall = ({ round }: { round: string }) => {
    calls += 1;
    if (process.stderr.isTTY)
      process.stderr.write(`\r${'▪'.repeat(Math.ceil(calls / 20))} ${calls} calls, ${round} \x1b[K`);
  };
  const examination = await examine(createHttpTarget(request), { ...options, onCall });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const { href } = request.url;
  if (page !== undefined) writeFileSync(page, formatPage(href, examination));
  process.stdout.write(
    isJson ? `${JSON.stringify({ url: href, ...examination })}\n` : formatText(href, examination),
  );
}

main().then(
  // Idle connections would keep the process alive.
  () => process.exit(0),
  (error: unknown) => {
    const isExpected = error instanceof ExamineError;
    const reason = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    process.stderr.write(
      isExpected ? `${error.message}\n` : `The server cannot be examined: ${error}${reason}\n`,
    );
    process.exit(1);
  },
);
