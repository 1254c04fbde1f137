import { encodeScenario, type Scenario } from './scenario';

/** Formats the POSIX shell command that runs the same scenario. */
export function formatTerminalCommand(scenario: Scenario): string {
  return `npm run lab -- '${encodeScenario(scenario)}'`;
}
