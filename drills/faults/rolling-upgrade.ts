import type { Drill } from '../drill';
import { FORMER_RELEASE } from '../former-release';

/** Two releases share the stores while a fleet is upgraded node by node. */
export const rollingUpgrade: Drill = {
  name: 'rolling-upgrade',
  description: `a node of ${FORMER_RELEASE.version} sells next to two of this release, then drains and restarts as this release`,
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres'],
  hasFormerRelease: true,
  async inject({ topology, markFault, note, reportProblem }) {
    const [former] = topology.nodes.filter(({ isFormerRelease }) => isFormerRelease());
    if (!former) return reportProblem(`no node of ${FORMER_RELEASE.version} was running`);
    note(`${former.name} ran ${FORMER_RELEASE.version} for the first third of the sale`);
    markFault();
    await former.server.drain();
    await former.server.waitUntilRunning();
    if (former.isFormerRelease()) reportProblem(`${former.name} did not restart as this release`);
  },
};
