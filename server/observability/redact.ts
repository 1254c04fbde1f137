import { isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const REDACTED = '"[redacted]"';

/*
 * A line may contain text that a visitor chose, so each pattern takes time linear in the length of the line: a lookbehind
 * lets it start only where a run of its characters starts, and no two adjacent quantifiers match the same characters.
 */

/** Fields whose whole value is secret or personal, in any object of a line, whatever their value is. */
const SECRET_FIELDS =
  /"(cookie|set-cookie|authorization|password|secret|e-?mail|ip|address|remoteAddress|x-forwarded-for|forwarded)":("(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*"|[^"[\]])*\])/gi;
const EMAIL =
  /(?<![\p{L}\d.!#$%&'*+=?^_`{|}~-])[\p{L}\d.!#$%&'*+=?^_`{|}~-]+@(?:[\p{L}\d-]+\.)+\p{L}{2,}(?:[\p{L}\d.!#$%&'*+=?^_`{|}~-]*@(?:[\p{L}\d-]+\.)+\p{L}{2,})*/gu;
const URL_CREDENTIALS = /(\w:\/\/)[^\s/@"]+@/g;
const IPV4_LIKE = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g;
/** A run of the characters of IPv6 addresses, with a colon. */
const IPV6_LIKE = /(?<![\w:.])[\da-f.]*:[\da-f:.]+(?!\w)/gi;
/** What follows an address in a sentence, such as `peer ::1: closed.`. */
const TRAILING_PUNCTUATION = /[.:]$/;

/** What this machine calls itself says nothing about a caller, and operators need it. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set([
  '0.0.0.0',
  '127.0.0.1',
  '::',
  '::1',
  ...Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []),
]);

/**
 * Removes what a log must not keep from one line of JSON: cookies and other secrets by the name of their field,
 * e-mails, addresses and the credentials in URLs wherever they stand, so also inside the messages of errors.
 * It reads text, not objects: no depth and no library's own error fields can slip past it.
 */
export function redactLine(line: string): string {
  return redactText(line.replace(SECRET_FIELDS, (_all, name: string) => `"${name}":${REDACTED}`));
}

/** The same for plain text, as a message that leaves the process. */
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
