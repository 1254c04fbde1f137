import { useQuery } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { newRequestId } from '../../_trpc/request-id';
import { algorithms } from '../algorithms';
import { generateArrivals } from '../generate-arrivals';
import type { Scenario } from '../scenario';
import { useLimitedCall } from '../use-limited-call';

const POLL_INTERVAL_MS = 300;

interface RunInput {
  scenario: Scenario;
  runId: string;
}

/** Starts a run of all algorithms and polls its progress. */
export function useLabRun() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const call = useLimitedCall(({ scenario, runId }: RunInput, signal) =>
    client.lab.run.mutate(
      {
        algorithms: [...algorithms],
        limit: scenario.limit,
        windowMs: scenario.windowMs,
        arrivals: generateArrivals(scenario),
        runId,
      },
      { signal },
    ),
  );
  const progress = useQuery({
    ...trpc.lab.progress.queryOptions({ runId: call.input?.runId ?? '' }),
    enabled: call.busy,
    refetchInterval: POLL_INTERVAL_MS,
    retry: false,
  });

  return {
    ...call,
    start: (scenario: Scenario) => call.start({ scenario, runId: newRequestId() }),
    progress: (call.busy && progress.data) || undefined,
  };
}
