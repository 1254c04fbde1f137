import { queryOf, type Scenario } from './scenario';

/** The command that decides the same scenario in a terminal, as a POSIX shell takes it. */
export function terminalCommand(scenario: Scenario): string {
  return `npm run lab -- '${queryOf(scenario)}'`;
}
