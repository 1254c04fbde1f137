import { useEffect, useRef } from 'react';
import type { ChartModel } from './chart-model';
import { type ChartPlot, createChartPlot } from './chart-plot';
import 'uplot/dist/uPlot.min.css';

interface Props {
  model: ChartModel;
  /** The index of the selected `x`. */
  index: number | undefined;
  /** Called with the index under the pointer; `undefined` when the pointer leaves. */
  onPoint(index: number | undefined): void;
}

/** The lazily loaded part of a chart: uPlot and its drawing. */
export default function ChartCanvas({ model, index, onPoint }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<ChartPlot>(undefined);
  const onPointRef = useRef(onPoint);

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

  useEffect(() => plot.current?.draw(model), [model]);
  useEffect(() => plot.current?.setCursor(index), [index]);

  return <div ref={frame} />;
}
