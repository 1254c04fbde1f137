import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { LiveProvider } from '../_live/live-provider';
import { noMarks } from '../_live/refusal-marks';
import { useWindowCount } from './use-window-count';

const hits = [Date.now()];
const full = { policy: 'p', level: 'global', limit: 1, windowMs: 10_000, used: 1, hits };

function Count() {
  return JSON.stringify(useWindowCount(full, { refused: noMarks, holdFullMs: 0 }));
}

test('a full window has no countdown at the first render, which does not know the time', () => {
  const html = renderToStaticMarkup(
    <LiveProvider>
      <Count />
    </LiveProvider>,
  );
  expect(JSON.parse(html.replaceAll('&quot;', '"'))).toEqual({ now: 0, used: 1 });
});
