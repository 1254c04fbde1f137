import { useEffect, useRef } from 'react';
import type { ChartModel } from './chart-model';
import { type ChartPlot, openChartPlot } from './chart-plot';
import 'uplot/dist/uPlot.min.css';

interface Props {
  model: ChartModel;
  /** Which `x` is pointed at. */
  place: number | undefined;
  onPoint(place: number | undefined): void;
}

/** The part of a chart that comes late: uPlot, and what it draws. */
export default function ChartCanvas({ model, place, onPoint }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<ChartPlot>(undefined);
  const tell = useRef(onPoint);

  useEffect(() => {
    tell.current = onPoint;
  }, [onPoint]);

  useEffect(() => {
    if (!frame.current) return;
    const opened = openChartPlot({ frame: frame.current, onPoint: (at) => tell.current(at) });
    plot.current = opened;
    return () => {
      opened.close();
      plot.current = undefined;
    };
  }, []);

  useEffect(() => plot.current?.draw(model), [model]);
  useEffect(() => plot.current?.point(place), [place]);

  return <div ref={frame} />;
}
