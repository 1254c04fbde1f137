import { isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const REDACTED = '"[redacted]"';

/*
 * A line may contain text that a visitor chose, so each pattern takes time linear in the length of the line: a lookbehind
 * lets it start only where a run of its characters starts, and no two adjacent quantifiers match the same characters.
 */

/** Fields whose whole value is secret or personal, in any object of a line. */
const SECRET_FIELDS =
  /"(cookie|set-cookie|authorization|password|secret|e-?mail|ip|address|remoteAddress|x-forwarded-for|forwarded)":("(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*"|[^"[\]])*\])/gi;
const EMAIL =
  /(?<![\p{L}\d.!#$%&'*+=?^_`{|}~-])[\p{L}\d.!#$%&'*+=?^_`{|}~-]+@(?:[\p{L}\d-]+\.)+\p{L}{2,}(?:[\p{L}\d.!#$%&'*+=?^_`{|}~-]*@(?:[\p{L}\d-]+\.)+\p{L}{2,})*/gu;
const URL_CREDENTIALS = /(\w:\/\/)[^\s/@"]+@/g;
const IPV4_LIKE = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g;
/** A run of the characters of IPv6 addresses, with a colon. */
const IPV6_LIKE = /(?<![\w:.])[\da-f.]*:[\da-f:.]+(?!\w)/gi;
/** Punctuation after an address in a sentence, such as `peer ::1: closed.`. */
const TRAILING_PUNCTUATION = /[.:]$/;

/** This machine's own addresses: they identify no caller, and operators need them. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set([
  '0.0.0.0',
  '127.0.0.1',
  '::',
  '::1',
  ...Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []),
]);

/**
 * Redacts one line of JSON: cookies and other secrets by the name of their field, and e-mails, addresses and credentials
 * in URLs anywhere, also inside error messages. It works on text, so that neither the depth of an object nor the error
 * fields of a library escape it.
 */
export function redactLine(line: string): string {
  return redactText(line.replace(SECRET_FIELDS, (_all, name: string) => `"${name}":${REDACTED}`));
}

/** Redacts plain text, such as a message that leaves the process. */
export function redactText(text: string): string {
  return text
    .replace(URL_CREDENTIALS, '$1[credentials]@')
    .replace(EMAIL, '[email]')
    .replace(IPV6_LIKE, maskIpv6)
    .replace(IPV4_LIKE, (match) => (isIPv4(match) ? mask(match) : match));
}

function maskIpv6(run: string): string {
  if (isIPv6(run)) return mask(run);
  const address = run.replace(TRAILING_PUNCTUATION, '');
  return isIPv6(address) ? mask(address) + run.slice(address.length) : run;
}

function mask(address: string): string {
  return OWN_ADDRESSES.has(address) ? address : '[address]';
}
