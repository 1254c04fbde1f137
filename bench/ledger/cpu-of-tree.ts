import { existsSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICK_US = 10_000;

/** Returns the CPU time of a process and its children in µs; `undefined` if Linux does not report it. */
export function cpuOfTree(pid: number): number | undefined {
  const listed = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(listed)) return undefined;
  const children = readFileSync(listed, 'utf8').split(' ').map(Number).filter(Boolean);
  return [pid, ...children].reduce((sum, one) => sum + cpuOf(one), 0);
}

/** Returns the CPU time of a process in µs; 0 if it has ended. */
function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // The program name in brackets may contain spaces. User and system time are the 12th and 13th field after it.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}
