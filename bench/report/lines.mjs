import { digits } from './numbers.mjs';
import { ink, others, svg, text } from './svg.mjs';

const WIDTH = 860;
const HEIGHT = 320;
const BOX = { left: 80, right: 660, top: 44, bottom: 270 };

/**
 * Draws lines over a linear or logarithmic horizontal axis.
 *
 * @param {object} plot
 * @param {string} plot.title
 * @param {string} plot.across  The label of the horizontal axis.
 * @param {boolean} [plot.isLogarithmic]
 * @param {readonly { label: string, points: readonly { x: number, y: import('./spread.mjs').Spread }[] }[]} plot.lines
 */
export function linePlot({ title, across, lines, isLogarithmic = false }) {
  const points = lines.flatMap((line) => line.points);
  const along = (/** @type {number} */ x) => (isLogarithmic ? Math.log10(x) : x);
  const [first, last] = [
    Math.min(...points.map(({ x }) => along(x))),
    Math.max(...points.map(({ x }) => along(x))),
  ];
  const max = Math.max(...points.map(({ y }) => y.high)) * 1.1 || 1;
  const xOf = (/** @type {number} */ x) =>
    BOX.left + ((along(x) - first) / (last - first || 1)) * (BOX.right - BOX.left);
  const yOf = (/** @type {number} */ y) => BOX.bottom - (y / max) * (BOX.bottom - BOX.top);

  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = yOf(max * share);
    return `<path d="M${BOX.left} ${y.toFixed(1)}H${BOX.right}" stroke="${ink}" stroke-opacity="0.25"/>${text({ x: BOX.left - 8, y: y + 4, anchor: 'end' }, digits(max * share))}`;
  });
  const ticks = [...new Set(points.map(({ x }) => x))].map((x) =>
    text({ x: xOf(x), y: BOX.bottom + 18, anchor: 'middle' }, x.toLocaleString('en').replaceAll(',', ' ')),
  );
  const drawn = lines.map(({ label, points: own }, index) => {
    const colour = others[index % others.length] ?? ink;
    const path = own.map(({ x, y }) => `${xOf(x).toFixed(1)} ${yOf(y.median).toFixed(1)}`).join('L');
    const marks = own.map(
      ({ x, y }) =>
        `<circle cx="${xOf(x).toFixed(1)}" cy="${yOf(y.median).toFixed(1)}" r="4" fill="${colour}"/><path d="M${xOf(x).toFixed(1)} ${yOf(y.low).toFixed(1)}V${yOf(y.high).toFixed(1)}" stroke="${colour}" stroke-width="2"/>`,
    );
    const end = own.at(-1);
    const name = end ? text({ x: xOf(end.x) + 12, y: yOf(end.y.median) + 4 }, label) : '';
    return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>${marks.join('')}${name}`;
  });
  return svg({ width: WIDTH, height: HEIGHT, title }, [
    text({ x: 8, y: 18, bold: true }, title),
    ...grid,
    ...ticks,
    text({ x: (BOX.left + BOX.right) / 2, y: BOX.bottom + 40, anchor: 'middle' }, across),
    ...drawn,
  ]);
}
