import type { Examination } from './examine';
import { algorithmNames } from './models';
import type { SeenCall } from './target';

/** A line of the report. `isGood`: false for a problem. */
export interface ReportLine {
  name: string;
  text: string;
  isGood?: boolean | undefined;
}

const LAB = 'http://localhost:3000/lab?section=mistakes&card=';

/** Describes an examination, line by line. */
export function describeExamination({ finding, facts, calls }: Examination): ReportLine[] {
  const { limit, windowMs, names, countsRefusals, evidence, subWindows } = finding;
  const { worst, edge, burst, bypasses, checks, headers } = facts;
  const advice = adviseOn({ finding, facts });
  const seconds = `${windowMs / 1_000} s`;
  const ratio = worst.count / limit;
  const start = calls[0]?.from ?? 0;
  const at = (time: number) => `${((time - start) / 1_000).toFixed(2)} s`;
  const admitted = calls.filter((call) => call.allowed && call.from >= worst.from && call.to <= worst.to);
  return [
    { name: 'limiter', text: nameLimiter(names, subWindows) },
    { name: 'limit', text: `${limit} calls in ${seconds}` },
    { name: 'evidence', text: evidence.map((one) => describeEvidence(one, at)).join('; ') },
    {
      name: 'refused calls',
      text: countsRefusals ? 'are charged: a caller who repeats is refused for longer' : 'are not charged',
      isGood: !countsRefusals,
    },
    {
      name: 'worst window',
      text: `${worst.count} calls in ${seconds}: ${ratio.toFixed(2)} × the limit, from ${at(worst.from)} to ${at(worst.to)} (${admitted
        .map(({ round }) => round)
        .filter(isFirst)
        .join(', ')})`,
      isGood: ratio <= 1,
    },
    { name: 'at an edge', text: `${edge.count} calls in ${edge.withinMs} ms`, isGood: edge.count <= limit },
    {
      name: 'parallel calls',
      text: `${burst.admitted.join(' and ')} of ${burst.sent} at once were admitted${burst.isRace ? ': a race' : ''}`,
      isGood: !burst.isRace,
    },
    { name: 'headers', text: headers.join(', ') || 'none' },
    ...checks.map(({ claim, isTrue, seen }) => ({ name: claim, text: seen, isGood: isTrue })),
    {
      name: 'a new window by',
      text: bypasses
        ? bypasses.join(', ') || 'none of X-Forwarded-For, Forwarded, X-Real-IP, the case of the path'
        : 'not tried: this limiter delays calls',
      isGood: bypasses && bypasses.length === 0,
    },
    { name: 'change', text: advice.card ? `${advice.text} ${LAB}${advice.card}` : advice.text },
  ];
}

function nameLimiter(
  names: readonly (keyof typeof algorithmNames)[],
  subWindows: number | undefined,
): string {
  if (names.length === 0)
    return 'none of the known ones: see the evidence. Do other callers share the limit?';
  const titles = names.map((name) => algorithmNames[name]);
  if (titles.length > 1) return `undecided: ${titles.join(' or ')}`;
  if (names[0] === 'sliding-counter') return `${titles[0]} (about ${subWindows})`;
  if (names[0] === 'token-bucket')
    return `${titles[0]} (a leaky bucket without delay, GCRA, decides the same)`;
  return String(titles[0]);
}

function describeEvidence(
  { name, contradictions, first }: Examination['finding']['evidence'][number],
  at: (time: number) => string,
): string {
  const call = first ? `, first a ${first.allowed ? 'call admitted' : 'refusal'} at ${at(first.from)}` : '';
  return `${algorithmNames[name]}: ${contradictions} calls against it${call}`;
}

/** Names the greatest problem and its fix. `card`: of the lab, which shows the problem. */
export function adviseOn({
  finding: { names, countsRefusals, limit },
  facts,
}: Pick<Examination, 'finding' | 'facts'>): { text: string; card?: string } {
  const { burst, bypasses = [], worst, checks } = facts;
  if (bypasses.length > 0)
    return {
      text: `Count callers by what they cannot choose: trust ${bypasses[0]} from your own proxies only.`,
      card: 'chosen-key',
    };
  if (burst.isRace)
    return { text: 'Check and charge in one step, as one script of Redis does.', card: 'four-commands' };
  if (countsRefusals) return { text: 'Charge admitted calls only.', card: 'self-extending-block' };
  if (worst.count > limit)
    return names[0] === 'token-bucket' || names[0] === 'leaky-bucket'
      ? {
          text: 'A bucket admits a full burst and its refill in one window. If the limit is a promise, use a sliding log.',
          card: 'pulse-starves',
        }
      : {
          text: 'Let the window slide: a sliding log admits at most the limit in any window.',
          card: 'double-burst',
        };
  const wrong = checks.find(({ isTrue }) => isTrue === false);
  if (wrong) return { text: `Correct what the header says of “${wrong.claim}”: ${wrong.seen}` };
  return { text: 'Nothing: no window had more calls than the limit.' };
}

const isFirst = <Value>(value: Value, index: number, all: readonly Value[]) => all.indexOf(value) === index;

/** Formats the report for a terminal. */
export function formatText(url: string, examination: Examination): string {
  const lines = describeExamination(examination).map(
    ({ name, text, isGood }) =>
      `${isGood === undefined ? ' ' : isGood ? '✓' : '✗'} ${name.padEnd(18)} ${text}`,
  );
  return `${url}: ${examination.calls.length} calls\n${lines.join('\n')}\n`;
}

/** Formats one page that needs no other file: the report, and all calls on a time line. */
export function formatPage(url: string, examination: Examination): string {
  const rows = describeExamination(examination).map(
    ({ name, text, isGood }) =>
      `<tr class="${isGood === undefined ? '' : isGood ? 'good' : 'bad'}"><th>${escapeHtml(name)}</th><td>${escapeHtml(text).replace(/http\S+/, '<a href="$&">$&</a>')}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The limiter of ${escapeHtml(url)}</title>
<style>body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}th{text-align:left;vertical-align:top;padding-right:1.5rem;white-space:nowrap}th::before{display:inline-block;width:1.2em;content:""}.good th::before{content:"✓";color:#087f5b}.bad th::before{content:"✗";color:#c92a2a}svg{width:100%;height:auto}.admitted{fill:#087f5b}.refused{fill:none;stroke:#c92a2a}.worst{fill:#f08c0055}text{fill:currentColor;font-size:12px}line{stroke:currentColor}</style>
<h1>The limiter of ${escapeHtml(url)}</h1><table>${rows.join('')}</table>
<h2>All calls</h2><p>Above the line: admitted. Below it: refused. The fullest window is marked.</p>
${drawTimeline(examination)}</html>
`;
}

const WIDTH = 960;
const ROW = 64;

/** Draws the calls in rows of five windows. Calls of one place are drawn on top of each other. */
function drawTimeline({ calls, finding, facts }: Examination): string {
  const start = calls[0]?.from ?? 0;
  const spanMs = 5 * finding.windowMs;
  const rows = Math.ceil(((calls.at(-1)?.to ?? start) - start + 1) / spanMs);
  const place = (time: number) => {
    const row = Math.floor((time - start) / spanMs);
    return { x: (((time - start) / spanMs) % 1) * WIDTH, y: row * ROW + ROW / 2, row };
  };
  const heights = new Map<string, number>();
  const marks = calls.map((call: SeenCall) => {
    const { x, y } = place(call.from);
    const key = `${Math.round(x / 4)} ${y} ${call.allowed}`;
    const height = (heights.get(key) ?? 0) + 1;
    heights.set(key, height);
    const top = call.allowed ? y - 1 - 4 * Math.min(height, 6) : y + 1 + 4 * Math.min(height - 1, 5);
    return `<rect class="${call.allowed ? 'admitted' : 'refused'}" x="${x.toFixed(1)}" y="${top}" width="3" height="3"/>`;
  });
  const lines = Array.from({ length: rows }, (_, row) => {
    const y = row * ROW + ROW / 2;
    return `<line x1="0" x2="${WIDTH}" y1="${y}" y2="${y}"/><text x="0" y="${y + 26}">${((row * spanMs) / 1_000).toFixed(1)} s</text>`;
  });
  const [from, to] = [place(facts.worst.from), place(facts.worst.to)];
  const bands =
    from.row === to.row
      ? [[from.x, to.x, from.y]]
      : [
          [from.x, WIDTH, from.y],
          [0, to.x, to.y],
        ];
  const worst = bands.map(
    ([left = 0, right = 0, y = 0]) =>
      `<rect class="worst" x="${left.toFixed(1)}" y="${y - 28}" width="${(right - left + 3).toFixed(1)}" height="56"/>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${rows * ROW}" role="img" aria-label="All calls on a time line">${worst.join('')}${lines.join('')}${marks.join('')}</svg>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
