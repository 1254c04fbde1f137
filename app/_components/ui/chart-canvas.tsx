import { useEffect, useRef } from 'react';
import type { ChartModel } from './chart-model';
import { type ChartPlot, createChartPlot } from './chart-plot';
import 'uplot/dist/uPlot.min.css';

interface Props {
  model: ChartModel;
  /** The selected time. */
  cursor: number | undefined;
  /** Keeps the last drawing. */
  isPaused: boolean;
  /** Called with the index under the pointer; `undefined` when the pointer leaves. */
  onPoint(index: number | undefined): void;
}

/** The lazily loaded part of a chart: uPlot and its drawing. */
export default function ChartCanvas({ model, cursor, isPaused, onPoint }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<ChartPlot>(undefined);
  const onPointRef = useRef(onPoint);
  const drawn = useRef(false);

  useEffect(() => {
    onPointRef.current = onPoint;
  }, [onPoint]);

  useEffect(() => {
    if (!frame.current) return;
    const created = createChartPlot({ frame: frame.current, onPoint: (at) => onPointRef.current(at) });
    plot.current = created;
    return () => {
      created.close();
      plot.current = undefined;
    };
  }, []);

  // The first drawing is for pictures of the whole page.
  useEffect(() => {
    if (isPaused && drawn.current) return;
    plot.current?.draw(model);
    drawn.current = true;
  }, [model, isPaused]);
  useEffect(() => plot.current?.setCursor(cursor), [cursor]);

  return <div ref={frame} />;
}
