/** Preloaded into a process whose clock is to be wrong: what it reads as the time of day is off by so much. */
const offsetMs = Number(process.env.BENCH_CLOCK_OFFSET_MS);
const Real = Date;

class ShiftedDate extends Real {
  /** @param {[] | [number]} args */
  constructor(...args) {
    super(args[0] ?? Real.now() + offsetMs);
  }

  /** @override */
  static now() {
    return Real.now() + offsetMs;
  }
}

Object.assign(globalThis, { Date: ShiftedDate });
