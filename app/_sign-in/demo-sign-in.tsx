'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../_components/problem-note';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { type DemoIdentity, demoIdentities } from '../_shell/user-menu';
import { problemOf } from '../_trpc/problem';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './sign-in.module.css';

/** Signs in as a demo user with one click, then opens `next`, for an operator a page of operators. */
export function DemoSignIn({ next }: { next: string }) {
  const t = useTranslations('signIn');
  const router = useRouter();
  const { signInDemo } = useViewer();
  const signIn = useMutation({
    mutationFn: (identity: DemoIdentity) => signInDemo(identity),
    onSuccess: (_, { role }) =>
      router.push(role === 'admin' && !`${next}/`.startsWith('/ops/') ? '/ops' : next),
  });

  return (
    <div className={layout.stack3}>
      <p className={layout.hint}>{t('people')}</p>
      <div className={styles.people}>
        {demoIdentities.map((identity) => {
          const { name } = identity;
          const kind = 'plan' in identity ? identity.plan : identity.role;
          return (
            <Button
              key={name}
              className={classNames(styles.person, kind !== 'shopper' && styles.special)}
              busy={signIn.isPending && signIn.variables.name === name}
              onClick={() => signIn.mutate(identity)}
            >
              <span className={classNames(layout.accentFill, styles.initial)} aria-hidden="true">
                {name[0]}
              </span>
              <span className={styles.who}>
                <span>
                  {t.rich('as', {
                    name,
                    quiet: (text) => <span className={layout.visuallyHidden}>{text}</span>,
                  })}
                </span>
                <span className={classNames(layout.hint, styles.role)}>{t(kind)}</span>
              </span>
            </Button>
          );
        })}
      </div>
      <div role="status" className={layout.hiddenIfEmpty}>
        {signIn.error && <ProblemNote problem={problemOf(signIn.error)} here={next} />}
      </div>
    </div>
  );
}
