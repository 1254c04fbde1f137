import type { Drill } from '../drill';

/** Nodes of two builds share the stores while a fleet is upgraded node by node. */
export const rollingUpgrade: Drill = {
  name: 'rolling-upgrade',
  description:
    'a node with another text of the limiter function sells next to two of this build, then drains and restarts as this build',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres'],
  hasOtherBuild: true,
  async inject({ topology, markFault, note, reportProblem }) {
    const [other] = topology.nodes.filter(({ isOtherBuild }) => isOtherBuild());
    if (!other) return reportProblem('no node of the other build was running');
    note(`${other.name} ran the other build for the first third of the sale`);
    markFault();
    await other.server.drain();
    await other.server.waitUntilRunning();
    if (other.isOtherBuild()) reportProblem(`${other.name} did not restart as this build`);
  },
};
