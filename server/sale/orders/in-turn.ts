/** Runs a piece of work when it is its turn: first come, first served. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets this many pieces of work run at once; the others wait in a line. */
export function inTurn(atOnce: number): InTurn {
  let free = atOnce;
  const line: (() => void)[] = [];

  return async function runInTurn(work) {
    if (free > 0) free -= 1;
    else await new Promise<void>((begin) => line.push(begin));
    try {
      return await work();
    } finally {
      const begin = line.shift();
      if (begin) begin();
      else free += 1;
    }
  };
}
