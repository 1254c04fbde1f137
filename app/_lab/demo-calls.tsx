import { getTranslations } from 'next-intl/server';
import { Section } from '../_components/ui/page-parts';
import { ClientMessages } from '../_i18n/client-messages';
import { type Call, CurlDetails } from './curl-details';
import styles from './pages.module.css';

/** The limited calls of shoppers. The ids are those of the demo's longest sale and of a coupon to claim. */
const calls: readonly Call[] = [
  { type: 'mutation', path: 'coupon.seckill', input: { couponId: 'bean-of-the-week-r1' }, signedIn: true },
  { type: 'mutation', path: 'coupon.claim', input: { couponId: 'morning-cup' }, signedIn: true },
  { type: 'query', path: 'merchant.list', input: { q: 'noodle' }, signedIn: false },
];

/** Lists the calls of a demo that a visitor's limits count, as commands. */
export async function DemoCalls() {
  const t = await getTranslations('labText');
  return (
    <div className={styles.calls}>
      <ClientMessages only={['curl']}>
        <Section title={t('calls')} lead={t('callsLead')}>
          {calls.map((call) => (
            <CurlDetails key={call.path} call={call} />
          ))}
        </Section>
      </ClientMessages>
    </div>
  );
}
