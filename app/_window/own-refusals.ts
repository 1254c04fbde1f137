import { skipToken, useQuery } from '@tanstack/react-query';
import { noMarks, type RefusalMark } from '../_live/refusal-marks';
import { useViewer } from '../_viewer/viewer-provider';
import type { RefusingLevel } from './refusals';

/** Returns the refusals of the visitor's own calls by a level, in this tab. */
export function useOwnRefusals(policy: string, level: string): readonly RefusalMark[] {
  const { signOuts } = useViewer();
  const queryKey = refusalMarksKey({ policy, level }, signOuts);
  return useQuery<readonly RefusalMark[]>({ queryKey, queryFn: skipToken }).data ?? noMarks;
}

/** Returns the cache key of the marks of refused calls. */
export function refusalMarksKey(
  { policy, level }: Pick<RefusingLevel, 'policy' | 'level'>,
  signOuts: number,
) {
  return ['refused-marks', policy, level, signOuts] as const;
}
