import { describe, expect, test } from 'vitest';
import { algorithms } from '../../server/lab/algorithms';
import { useTestLab } from '../../test/lab';
import { startEmptyRedis } from '../../test/services/empty-redis';
import { presets } from './presets';
import { measureClaim } from './runs';

describe('on Redis', () => {
  const lab = useTestLab(startEmptyRedis);

  test.each(presets)(
    '$name: the run measures what the preset says',
    async ({ limit, windowMs, arrivals, claim }) => {
      const { runs } = await lab().run({ algorithms, limit, windowMs, arrivals });
      const measured = measureClaim(claim, { runs, windowMs });
      // Ten calls start one second after the other: the last after 9 000 ms.
      expect(measured).toEqual(
        claim.says === null
          ? { count: 9_000, verdict: 'contradiction' }
          : { count: claim.says, verdict: 'agrees' },
      );
    },
  );

  test('a number that the run does not confirm differs', async () => {
    const { runs } = await lab().run({ algorithms, limit: 2, windowMs: 1_000, arrivals: [0, 1, 2] });
    const claim = { algorithm: 'sliding-log', measure: 'admitted', says: 3 } as const;
    expect(measureClaim(claim, { runs, windowMs: 1_000 })).toEqual({ count: 2, verdict: 'differs' });
    expect(measureClaim(claim, { runs: [], windowMs: 1_000 })).toBeUndefined();
  });
});
