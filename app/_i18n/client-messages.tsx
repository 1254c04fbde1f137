import { NextIntlClientProvider } from 'next-intl';
import { getMessages } from 'next-intl/server';
import type { ReactNode } from 'react';
import type { Messages } from './messages';

interface Props {
  /** The namespaces that client components below read. All others stay on the server. */
  only: readonly (keyof Messages)[];
  children: ReactNode;
}

/** Sends messages to the client components of a page. Replaces the messages of an outer provider. */
export async function ClientMessages({ only, children }: Props) {
  const all = await getMessages();
  const sent = Object.fromEntries(only.map((namespace) => [namespace, all[namespace]]));
  return <NextIntlClientProvider messages={sent}>{children}</NextIntlClientProvider>;
}
