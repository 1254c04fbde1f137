import { digits } from './report';
import type { Spread } from './rounds';

/** Colours for white and for GitHub's dark background, because an SVG cannot read the theme of its page. */
const ink = '#6e7781';
const grey = '#8c959f';
const accent = '#2f81f7';

const WIDTH = 860;
const BARS = { label: 300, value: 70, row: 26, top: 52 };
const LINE = { left: 80, right: 660, top: 44, bottom: 270, height: 320 };

/** Draws horizontal bars with their spread. `line`: a reference value. */
export function barPlot({
  title,
  bars,
  line,
}: {
  title: string;
  bars: readonly { label: string; value: Spread; isOurs: boolean }[];
  line?: { at: number; label: string };
}): string {
  const max = Math.max(...bars.map(({ value }) => Math.max(value.median, value.high)), line?.at ?? 0) || 1;
  const scale = (WIDTH - BARS.label - BARS.value) / max;
  const height = BARS.top + bars.length * BARS.row + 12;
  const xOf = (value: number) => BARS.label + value * scale;
  const rows = bars.map(({ label, value, isOurs }, index) => {
    const y = BARS.top + index * BARS.row;
    const whisker = `M${fixed(xOf(value.low))} ${y + 9}H${fixed(xOf(value.high))}`;
    return [
      text({ x: BARS.label - 8, y: y + 13, anchor: 'end', bold: isOurs }, label),
      `<rect x="${BARS.label}" y="${y}" width="${fixed(value.median * scale)}" height="18" rx="2" fill="${isOurs ? accent : grey}"/>`,
      `<path d="${whisker}" stroke="${isOurs ? '#9cc9ff' : '#d0d7de'}" stroke-width="2"/>`,
      text({ x: xOf(Math.max(value.median, value.high)) + 6, y: y + 13, bold: isOurs }, digits(value.median)),
    ].join('');
  });
  const guide = line
    ? `<path d="M${fixed(xOf(line.at))} ${BARS.top - 8}V${height - 8}" stroke="#cf222e" stroke-dasharray="4 3"/>${text({ x: xOf(line.at), y: BARS.top - 12, anchor: 'middle' }, line.label)}`
    : '';
  return svg({ height, title }, [...rows, guide]);
}

/** Draws a line over a linear or logarithmic horizontal axis. `across`: the label of that axis. */
export function linePlot({
  title,
  across,
  label,
  points,
  isLogarithmic = false,
}: {
  title: string;
  across: string;
  label: string;
  points: readonly { x: number; y: Spread }[];
  isLogarithmic?: boolean;
}): string {
  const along = (x: number) => (isLogarithmic ? Math.log10(x) : x);
  const places = points.map(({ x }) => along(x));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const max = Math.max(...points.map(({ y }) => y.high)) * 1.1 || 1;
  const xOf = (x: number) =>
    LINE.left + ((along(x) - first) / (last - first || 1)) * (LINE.right - LINE.left);
  const yOf = (y: number) => LINE.bottom - (y / max) * (LINE.bottom - LINE.top);

  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = yOf(max * share);
    return `<path d="M${LINE.left} ${fixed(y)}H${LINE.right}" stroke="${ink}" stroke-opacity="0.25"/>${text({ x: LINE.left - 8, y: y + 4, anchor: 'end' }, digits(max * share))}`;
  });
  const ticks = points.map(({ x }) =>
    text({ x: xOf(x), y: LINE.bottom + 18, anchor: 'middle' }, x.toLocaleString('en').replaceAll(',', ' ')),
  );
  const marks = points.map(
    ({ x, y }) =>
      `<circle cx="${fixed(xOf(x))}" cy="${fixed(yOf(y.median))}" r="4" fill="${accent}"/><path d="M${fixed(xOf(x))} ${fixed(yOf(y.low))}V${fixed(yOf(y.high))}" stroke="${accent}" stroke-width="2"/>`,
  );
  const path = points.map(({ x, y }) => `${fixed(xOf(x))} ${fixed(yOf(y.median))}`).join('L');
  const end = points.at(-1);
  return svg({ height: LINE.height, title }, [
    ...grid,
    ...ticks,
    `<path d="M${path}" fill="none" stroke="${accent}" stroke-width="2"/>`,
    ...marks,
    end ? text({ x: xOf(end.x) + 12, y: yOf(end.y.median) + 4 }, label) : '',
    text({ x: (LINE.left + LINE.right) / 2, y: LINE.bottom + 40, anchor: 'middle' }, across),
  ]);
}

function svg({ height, title }: { height: number; title: string }, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
<title>${escapeXml(title)}</title>
${[text({ x: 8, y: 18, bold: true }, title), ...parts].filter(Boolean).join('\n')}
</svg>
`;
}

function text(
  { x, y, anchor = 'start', bold = false }: { x: number; y: number; anchor?: string; bold?: boolean },
  words: string,
): string {
  const weight = bold ? ' font-weight="600"' : '';
  return `<text x="${fixed(x)}" y="${fixed(y)}" fill="${ink}" text-anchor="${anchor}"${weight}>${escapeXml(words)}</text>`;
}

function escapeXml(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function fixed(value: number): string {
  return value.toFixed(1);
}
