import { useMediaQuery } from '../_components/ui/use-media-query';
import PaceBars from './pace-bars';

/** The same as in the style sheets. */
const NARROW = '(width < 48rem)';

/** Shows the two windows of a policy as thin bars on a phone; on wider screens the meters are in view. */
export default function PhonePace({ policy }: { policy: string }) {
  return useMediaQuery(NARROW) && <PaceBars policy={policy} />;
}
