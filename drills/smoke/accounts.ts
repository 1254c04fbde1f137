import { TRPCClientError } from '@trpc/client';
import { z } from 'zod';
import { StepError } from '../../scripts/lib/steps.mjs';
import type { AppRouter } from '../../server/router';
import { openBrowser } from '../../test/open-browser';
import type { Account } from '../bots';
import { createNodeClient } from '../node-clients';

const mailboxSchema = z.array(z.object({ to: z.string(), code: z.string() }));

/** Signs in with one click, which only demo mode has. The same name is the same shopper. */
export async function signInDemo(
  url: string,
  user: { name: string; role?: 'shopper' | 'admin' },
): Promise<Account> {
  const browser = openBrowser({ url });
  try {
    await browser.client.auth.signInDemo.mutate(user);
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const { data }: TRPCClientError<AppRouter> = error;
    if (data?.code !== 'NOT_FOUND') throw error;
    throw new StepError(`${url} runs without demo mode, so it has no sign-in that a program can use.`, {
      hint: 'Start the instance with FLOODGATE_DEMO=1 and without PUBLIC_ORIGIN. A demo is open to everyone who reaches it.',
      cause: error,
    });
  }
  return toAccount(url, browser.cookies);
}

/** Signs in with the code that the mailbox of the demo shows. Returns undefined if the demo has a mail server instead. */
export async function signInByCode(url: string, email: string): Promise<Account | undefined> {
  const readMailbox = () => fetch(`${url}/dev/mailbox.json`);
  if ((await readMailbox()).status === 404) return undefined;
  const browser = openBrowser({ url });
  await browser.client.auth.sendCode.mutate({ email });
  const mails = mailboxSchema.parse(await (await readMailbox()).json());
  const code = mails.find(({ to }) => to === email)?.code;
  if (code === undefined) throw new StepError(`${url}/dev/mailbox.json shows no code for ${email}.`);
  await browser.client.auth.verifyCode.mutate({ email, code });
  return toAccount(url, browser.cookies);
}

function toAccount(url: string, cookies: ReadonlyMap<string, string>): Account {
  return { node: createNodeClient(url), cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
}
