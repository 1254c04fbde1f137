const MAX_PENDING = 256;

/**
 * @param {import('../contenders/contender.mjs').Gate} gate
 * @param {{ subjects: number, hits: number }} options
 */
export async function fill(gate, { subjects, hits }) {
  let next = 0;
  const work = async () => {
    while (next < subjects * hits) {
      const subject = `s${next % subjects}`;
      next += 1;
      await gate.decide([subject]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PENDING, subjects) }, work));
}
