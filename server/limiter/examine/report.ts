import type { Examination } from './examine';
import { type Check, line, OTHER_CASE, type Span } from './facts';
import { MAX_CONTRADICTIONS } from './find';
import { algorithmNames } from './models';

const DEMO = 'https://github.com/floodgate-limiter/floodgate#run-it';

/** Describes an examination, line by line. */
export function describeExamination(examination: Examination): Check[] {
  const { finding, facts, calls } = examination;
  const { limit, windowMs, countsRefusals, subWindows = 1 } = finding;
  const { worst, edge, burst, bypasses } = facts;
  const at = (time: number) => `${((time - (calls[0]?.from ?? 0)) / 1_000).toFixed(2)} s`;
  const span = ({ count, from, to }: Span) => `${count} calls admitted between ${at(from)} and ${at(to)}`;
  const evidence = finding.evidence.slice(0, 3).map(({ name, contradictions, first }) => {
    const count = contradictions < MAX_CONTRADICTIONS ? contradictions : `${contradictions} or more`;
    return `${algorithmNames[name]}: ${count}${first ? `, the first at ${at(first.from)}` : ''}`;
  });
  const slowestMs = Math.ceil(Math.max(...calls.map(({ from, to }) => to - from)));
  const parts = subWindows > 1 ? `, in about ${subWindows} sub-windows` : '';
  const ratio = (worst.count / limit).toFixed(2);
  const alone = burst.alone > 0 ? ` after ${burst.alone} single calls` : '';
  const parallel = `${burst.admitted.join(' and ')} of ${burst.sent} at once were admitted${alone}`;
  const none = 'X-Forwarded-For, Forwarded, X-Real-IP and another case of the path give no new window';
  const evasion =
    bypasses?.map((one) => `${one} gives a new window`).join(', ') ?? 'cannot be said: answers are late';
  const refusals = countsRefusals
    ? 'are charged: a caller who repeats is refused for longer'
    : 'are not charged';
  const { text: change, lab } = adviseOn(examination);
  const lines = [
    line('limiter', nameLimiter(finding)),
    line('limit', `${limit} calls in ${windowMs / 1_000} s${parts}`),
    line('evidence', `answers that contradict a ${evidence.join('; a ')}`),
    line('slowest answer', `${slowestMs} ms`),
    line('refused calls', refusals, !countsRefusals),
    line('worst window', `${span(worst)}: ${ratio} × the measured limit`, worst.count <= limit),
    line('at a window edge', `${span(edge)}, in half a window`, edge.count <= limit),
    line('parallel calls', `${parallel}${burst.isRace ? ': a race' : ''}`, !burst.isRace),
    line('headers', facts.headers.join(', ') || 'none about limits'),
    ...facts.checks,
    line('evasion', evasion || none, bypasses && bypasses.length === 0),
    line('change', change),
    ...(lab ? [line('see', `http://localhost:3000/lab${lab} (start the demo first: ${DEMO})`)] : []),
  ];
  // Numbers of a limiter that is not found prove nothing.
  return finding.names.length > 0 ? lines : lines.map(({ name, text }) => line(name, text));
}

function nameLimiter({ names }: Examination['finding']): string {
  if (names.length === 0)
    return 'none of the known ones: see the evidence. Do other callers share the limit?';
  const titles = names.map((name) => algorithmNames[name]).join(' or ');
  return names.length > 1 ? `cannot be said, these explain the answers equally: ${titles}` : titles;
}

/**
 * Names the fix of each problem, the greatest first. `lab`: the query of the lab's address that shows the greatest that it
 * has.
 */
export function adviseOn({ finding, facts }: Pick<Examination, 'finding' | 'facts'>) {
  const { bypasses = [], burst, worst, checks } = facts;
  const headers = bypasses.filter((name) => name !== OTHER_CASE);
  const wrong = checks.filter(({ isGood }) => isGood === false).map(({ name }) => `“${name}”`);
  const isOver = worst.count > finding.limit;
  const isBucket = finding.names.some((name) => name.endsWith('bucket'));
  const card = (id: string) => `?section=mistakes&card=${id}`;
  const advices: [isProblem: boolean, text: string, lab?: string][] = [
    [finding.names.length === 0, 'Cannot be said. Examine it on an idle machine, without other callers.'],
    [headers.length > 0, 'Count callers by what they cannot choose, like their socket.', card('chosen-key')],
    [bypasses.includes(OTHER_CASE), 'Count a path in one case.'],
    [burst.isRace, 'Check and charge in one step, as one script of Redis does.', card('four-commands')],
    [finding.countsRefusals, 'Charge admitted calls only.', card('self-extending-block')],
    [isOver && isBucket, 'A bucket admits its refill too. A sliding log is strict.', '?traffic=edge'],
    [isOver && !isBucket, 'A sliding log admits at most the limit in any window.', card('double-burst')],
    [wrong.length > 0, `Correct these header fields: ${wrong.join(', ')}.`],
  ];
  const given = finding.names.length > 0 ? advices.filter(([isProblem]) => isProblem) : advices.slice(0, 1);
  const text = given.map(([, advice]) => advice).join(' ');
  return {
    text: text || 'Nothing: no window had more calls than the limit.',
    lab: given.find(([, , query]) => query)?.[2],
  };
}

const toMark = ({ isGood }: Check) => (isGood === undefined ? ' ' : isGood ? '✓' : '✗');

/** Formats the report for a terminal. */
export function formatText(url: string, examination: Examination): string {
  const lines = describeExamination(examination).map(
    (one) => `${toMark(one)} ${one.name.padEnd(18)} ${one.text}\n`,
  );
  return `${url}: ${examination.calls.length} calls\n${lines.join('')}`;
}

const STYLE = `
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui; max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.5rem; overflow-wrap: anywhere }
  th, td { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0; overflow-wrap: anywhere }
  th { min-width: min(9rem, 25vw) }
  section { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 1rem }
  figure { margin: 0 }
  .admitted, .good { color: light-dark(#087f5b, #38d9a9); fill: currentColor }
  .refused, .bad { color: light-dark(#c92a2a, #ff8787); fill: currentColor }
  .worst { fill: #f08c00; opacity: .3 }
  path { stroke: currentColor }
`;

/** Formats one page that needs no other file: the report, and its calls on a time line. */
export function formatPage(url: string, examination: Examination): string {
  const title = `The limiter of ${escapeHtml(url)}`;
  const rows = describeExamination(examination).map((line) => {
    const text = escapeHtml(line.text).replace(/https?:[^\s)]+/g, '<a href="$&">$&</a>');
    return `<tr><td class="${line.isGood ? 'good' : 'bad'}">${toMark(line)}<th>${escapeHtml(line.name)}<td>${text}`;
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1><table>${rows.join('\n')}</table>
<h2>Calls</h2><p>Each figure is as long as a window; windows without calls are left out. Above the line: admitted calls. Below it: refused ones. The fullest window is marked. Calls that pretend to be of another caller are not drawn.</p>
<section>${drawTimeline(examination)}</section></html>
`;
}

/** Draws a figure for each window with calls. Calls of one time are drawn on top of each other. */
function drawTimeline({ calls, finding: { windowMs }, facts: { worst } }: Examination): string {
  const start = calls[0]?.from ?? 0;
  const windows = new Set(calls.map(({ from }) => Math.floor((from - start) / windowMs)));
  const draw = (window: number) => {
    const begin = start + window * windowMs;
    const x = (time: number) => (240 * (time - begin)) / windowMs;
    const stacks = new Map<string, number>();
    const marks = calls.map(({ from, allowed }) => {
      const column = Math.round(x(from) / 4);
      if (column < 0 || column > 60) return '';
      const key = `${allowed} ${column}`;
      const height = stacks.get(key) ?? 0;
      stacks.set(key, height + 1);
      const y = allowed ? 44 - 4 * (height % 11) : 50 + 4 * (height % 11);
      const mark = `x="${4 * (column + Math.floor(height / 11))}" y="${y}" width="3" height="3"`;
      return `<rect ${mark} class="${allowed ? 'admitted' : 'refused'}"/>`;
    });
    const width = Math.ceil(x(worst.to) - x(worst.from)) + 4;
    const seconds = `${(window * windowMs) / 1_000} s`;
    return `<figure><figcaption>from ${seconds} on</figcaption><svg viewBox="0 0 240 96" role="img" aria-label="Calls from ${seconds} on"><rect x="${x(worst.from)}" width="${width}" height="96" class="worst"/>${marks.join('')}<path d="M0 48.5h240"/></svg></figure>`;
  };
  return [...windows].map(draw).join('\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
