import { expect, test } from './fixtures';

test('the display face comes from the own origin, is cached for a year, and moves nothing when it is late', async ({
  page,
  request,
  baseURL,
}) => {
  await page.goto('/merchants');
  const faces = await page.evaluate(listFaces);
  const [face] = faces.filter(({ src }) => src.includes('url('));
  expect(face, 'the face is declared once').toBeDefined();
  expect(face?.display, 'a page that has painted without the face keeps its text').toBe('optional');

  const url = new URL(/url\("?([^")]+)/.exec(face?.src ?? '')?.[1] ?? '', `${baseURL}/_next/static/media/`);
  expect(url.origin).toBe(new URL(baseURL ?? '').origin);
  const file = await request.get(url.href);
  expect(file.status()).toBe(200);
  expect(file.headers()['cache-control']).toMatch(/^public, ?max-age=31536000, ?immutable$/);
  expect(file.headers()['content-type']).toBe('font/woff2');
  expect((await file.body()).length).toBeLessThanOrEqual(30_000);
  const policy = (await request.get('/merchants')).headers()['content-security-policy'] ?? '';
  expect(policy).toContain("font-src 'self'");
  expect(await page.evaluate(loadFace, face?.family ?? ''), 'the policy of the page allows the file').toBe(
    'loaded',
  );

  const fallback = faces.find(({ src }) => src.includes('local('));
  expect(fallback, 'the fallback has the widths and the heights of the face').toMatchObject({
    sizeAdjust: expect.stringMatching(/%$/),
    ascent: expect.stringMatching(/%$/),
  });
});

interface Face {
  family: string;
  src: string;
  display: string;
  sizeAdjust: string;
  ascent: string;
}

/** Runs in the page: returns the font faces of its style sheets. */
function listFaces(): Face[] {
  return [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .map(({ style }) => ({
      family: style.getPropertyValue('font-family'),
      src: style.getPropertyValue('src'),
      display: style.getPropertyValue('font-display'),
      sizeAdjust: style.getPropertyValue('size-adjust'),
      ascent: style.getPropertyValue('ascent-override'),
    }));
}

/** Runs in the page: returns the state of the face after it was requested. */
async function loadFace(family: string): Promise<string | undefined> {
  const [face] = await document.fonts.load(`700 16px ${family}`);
  return face?.status;
}
