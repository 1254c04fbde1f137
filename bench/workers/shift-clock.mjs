/** Shifts the clock of a process by `BENCH_CLOCK_OFFSET_MS`. Load it with `--import`. */
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
