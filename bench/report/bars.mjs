import { digits } from './numbers.mjs';
import { accent, grey, svg, text } from './svg.mjs';

const WIDTH = 860;
const LABEL = 300;
const VALUE = 70;
const ROW = 26;
const TOP = 52;

/**
 * Draws horizontal bars with their spread.
 *
 * @param {object} plot
 * @param {string} plot.title
 * @param {readonly { label: string, value: import('./spread.mjs').Spread, isOurs: boolean }[]} plot.bars
 * @param {{ at: number, label: string }} [plot.line]  A reference value.
 */
export function barPlot({ title, bars, line }) {
  const max = Math.max(...bars.map(({ value }) => Math.max(value.median, value.high)), line?.at ?? 0) || 1;
  const scale = (WIDTH - LABEL - VALUE) / max;
  const height = TOP + bars.length * ROW + 12;
  const rows = bars.map(({ label, value, isOurs }, index) => {
    const y = TOP + index * ROW;
    const end = LABEL + value.median * scale;
    const whiskerY = y + 9;
    return [
      text({ x: LABEL - 8, y: y + 13, anchor: 'end', bold: isOurs }, label),
      `<rect x="${LABEL}" y="${y}" width="${fixed(value.median * scale)}" height="18" rx="2" fill="${isOurs ? accent : grey}"/>`,
      `<path d="M${fixed(LABEL + value.low * scale)} ${whiskerY}H${fixed(LABEL + value.high * scale)}" stroke="${isOurs ? '#9cc9ff' : '#d0d7de'}" stroke-width="2"/>`,
      text(
        { x: Math.max(end, LABEL + value.high * scale) + 6, y: y + 13, bold: isOurs },
        digits(value.median),
      ),
    ].join('');
  });
  const at = line && fixed(LABEL + line.at * scale);
  const guide = line
    ? `<path d="M${at} ${TOP - 8}V${height - 8}" stroke="#cf222e" stroke-dasharray="4 3"/>${text({ x: Number(at), y: TOP - 12, anchor: 'middle' }, line.label)}`
    : '';
  return svg({ width: WIDTH, height, title }, [text({ x: 8, y: 18, bold: true }, title), ...rows, guide]);
}

/** @param {number} value */
function fixed(value) {
  return value.toFixed(1);
}
