import uPlot from 'uplot';
import { type ChartModel, chartDashes, highestOf, widestLabel } from './chart-model';
import { createCountAxis } from './chart-ticks';

/** A drawn chart. */
export interface ChartPlot {
  draw(model: ChartModel): void;
  /** Moves the cursor to a time, or hides it. */
  setCursor(at: number | undefined): void;
  close(): void;
}

interface Options {
  /** The parent element. The drawing follows its width. */
  frame: HTMLElement;
  /** Called with the index under the pointer; `undefined` when the pointer leaves. */
  onPoint(index: number | undefined): void;
}

/** CSS pixels. */
const STROKE_WIDTH = 2;
const WIDE_STROKE_WIDTH = 5;
/** From the plot to the times: below the label of zero, half of which is below the plot. */
const TIME_GAP = 10;

/**
 * Creates a uPlot canvas. It reads the colours from the tokens again at a theme change, because a canvas does not
 * follow CSS.
 */
export function createChartPlot({ frame, onPoint }: Options): ChartPlot {
  const colours = createColours(frame);
  let plot: uPlot | undefined;
  let drawn: ChartModel | undefined;
  let cursorAt: number | undefined;

  function draw(model: ChartModel): void {
    const before = drawn;
    drawn = model;
    if (plot && before && layoutKey(before) === layoutKey(model)) plot.setData(dataOf(model));
    else open();
  }

  /** uPlot fixes series and axes at creation, so another layout needs a new plot. */
  function open(): void {
    plot?.destroy();
    if (!drawn) return;
    plot = new uPlot(
      optionsOf({
        model: () => drawn,
        first: drawn,
        colours,
        width: frame.clientWidth,
        cursorAt: () => cursorAt,
        onDrawn: moveCursor,
      }),
      dataOf(drawn),
      frame,
    );
    followPointer(plot, onPoint);
  }

  function moveCursor(): void {
    plot?.setCursor({ left: cursorAt === undefined ? -10 : plot.valToPos(cursorAt, 'x'), top: 0 }, false);
  }

  const resized = new ResizeObserver(() => {
    if (!plot || plot.width === frame.clientWidth) return;
    plot.setSize({ width: frame.clientWidth, height: plot.height });
  });
  resized.observe(frame);
  const stopThemeUpdates = onThemeChange(() => {
    colours.clear();
    open();
  });

  return {
    draw,
    setCursor(at) {
      cursorAt = at;
      moveCursor();
    },
    close() {
      resized.disconnect();
      stopThemeUpdates();
      plot?.destroy();
      colours.remove();
    },
  };
}

/** Disables uPlot's own cursor events: the pointer, the keys or the parent move the cursor. */
const unbound: uPlot.Cursor.Bind = {
  mousedown: () => null,
  mouseup: () => null,
  click: () => null,
  dblclick: () => null,
  mousemove: () => null,
  mouseleave: () => null,
  mouseenter: () => null,
};

function followPointer(plot: uPlot, onPoint: Options['onPoint']): void {
  plot.over.addEventListener('pointermove', ({ clientX }) => {
    onPoint(plot.posToIdx(clientX - plot.over.getBoundingClientRect().left));
  });
  plot.over.addEventListener('pointerleave', () => onPoint(undefined));
}

interface Colours {
  /** Returns the current value of a token as a canvas colour. */
  of(token: string): string;
  clear(): void;
  remove(): void;
}

/** Reads colours from a hidden element, because a token may be a `light-dark()` that only an element resolves. */
function createColours(frame: HTMLElement): Colours {
  const probe = document.createElement('span');
  probe.hidden = true;
  frame.append(probe);
  const cache = new Map<string, string>();
  return {
    of(token) {
      const colour = cache.get(token);
      if (colour !== undefined) return colour;
      probe.style.color = `var(--${token})`;
      const read = getComputedStyle(probe).color;
      cache.set(token, read);
      return read;
    },
    clear: () => cache.clear(),
    remove: () => probe.remove(),
  };
}

/** Calls the listener when `data-theme`, the system theme or forced colours change. */
function onThemeChange(listener: () => void): () => void {
  const controller = new AbortController();
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
    matchMedia(query).addEventListener('change', listener, { signal: controller.signal });
  }
  const themeChoice = new MutationObserver(listener);
  themeChoice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    controller.abort();
    themeChoice.disconnect();
  };
}

function dataOf({ x, series }: ChartModel): uPlot.AlignedData {
  return [[...x], ...series.map(({ values }) => [...values])];
}

/** Returns a key of everything except the data. Models with equal keys can reuse one plot. */
function layoutKey(model: ChartModel): string {
  const { series, height, xKind } = model;
  const drawn = series.map(({ label, tone, kind, isWide }) => [label, tone, kind, isWide]);
  return JSON.stringify([drawn, height, xKind, widestLabel(model).length]);
}

interface PlotOptions {
  /** Returns the latest model. */
  model(): ChartModel | undefined;
  first: ChartModel;
  colours: Colours;
  width: number;
  cursorAt(): number | undefined;
  /** Called after drawing, when positions of instants are known. */
  onDrawn(): void;
}

function optionsOf({ model, first, colours, width, cursorAt, onDrawn }: PlotOptions): uPlot.Options {
  const { series, height, xKind } = first;
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const axis: uPlot.Axis = {
    font,
    stroke: () => colours.of('ink-soft'),
    grid: { stroke: () => colours.of('line'), width: 1 },
    ticks: { show: false },
    border: { show: false },
  };
  const label = (format: 'formatX' | 'formatY') => (_: uPlot, splits: number[]) =>
    splits.map((split) => model()?.[format](split) ?? '');
  return {
    width,
    height,
    ms: 1,
    // Half of the last label of a clock time.
    padding: [8, 32, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      bind: unbound,
      // uPlot takes the nearest value. Between two values there is no point to mark.
      dataIdx: (_, __, nearest) => (model()?.x[nearest] === cursorAt() ? nearest : null),
    },
    scales: {
      x: {
        time: xKind === 'instant',
        range: (_, min, max) => [...(model()?.xRange ?? [min, max])],
      },
      y: { range: () => [0, axisOf(model() ?? first).top] },
    },
    axes: [
      { ...axis, values: label('formatX'), size: 28, gap: TIME_GAP, space: 70 },
      {
        ...axis,
        values: label('formatY'),
        splits: () => axisOf(model() ?? first).ticks,
        size: (_, values) => widthOf([...(values ?? []), widestLabel(first)]),
        gap: 4,
      },
    ],
    series: [{}, ...series.map((one, index) => seriesOptions(one, index, colours))],
    hooks: {
      draw: [(plot) => drawReferences(plot, { model: model(), colours, font }), onDrawn],
    },
  };
}

/** Returns the width of the vertical axis with its labels. */
function widthOf(labels: readonly string[]): number {
  return 12 + 7 * Math.max(2, ...labels.map((text) => text.length));
}

function seriesOptions(
  { tone, kind = 'line', isWide }: ChartModel['series'][number],
  index: number,
  colours: Colours,
): uPlot.Series {
  const colour = () => colours.of(tone);
  const width = isWide ? WIDE_STROKE_WIDTH : STROKE_WIDTH;
  const common: uPlot.Series = { stroke: colour, width, points: { show: false } };
  const { stepped, bars } = uPlot.paths;
  if (kind === 'bars' && bars) return { ...common, fill: colour, width: 0, paths: bars({ size: [0.7, 40] }) };
  const dash = [...(chartDashes[index % chartDashes.length] ?? [])];
  return { ...common, dash, ...(kind === 'step' && stepped && { paths: stepped({ align: 1 }) }) };
}

function axisOf(model: ChartModel): ReturnType<typeof createCountAxis> {
  return createCountAxis(highestOf(model), model);
}

interface ReferenceOptions {
  model: ChartModel | undefined;
  colours: Colours;
  font: string;
}

function drawReferences(plot: uPlot, { model, colours, font }: ReferenceOptions): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = colours.of('ink');
  ctx.fillStyle = colours.of('ink');
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.font = font.replace('12px', `${12 * ratio}px`);
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  for (const { value, label } of model?.references ?? []) {
    const y = Math.round(plot.valToPos(value, 'y', true));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // An outline in the page colour keeps the label readable on lines.
    ctx.save();
    ctx.strokeStyle = matchMedia('(forced-colors: active)').matches ? 'Canvas' : colours.of('surface');
    ctx.lineWidth = 4 * ratio;
    ctx.setLineDash([]);
    ctx.strokeText(label, bbox.left + bbox.width, y - 2 * ratio);
    ctx.restore();
    ctx.fillText(label, bbox.left + bbox.width, y - 2 * ratio);
  }
  ctx.restore();
}
