import { existsSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const TICK_US = 10_000;

/** Processor time in µs that a process and its children have used so far; `undefined` where Linux does not tell. */
export function cpuOfTree(pid: number): number | undefined {
  const listed = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(listed)) return undefined;
  const children = readFileSync(listed, 'utf8').split(' ').map(Number).filter(Boolean);
  return [pid, ...children].reduce((sum, one) => sum + cpuOf(one), 0);
}

/** 0 of a process that has ended meanwhile. */
function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // The name of the program, in brackets, may hold blanks; user and system time are the 12th and 13th field after it.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}
