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

/** Signs in as a demo user with one click, then opens `next`. */
export function DemoSignIn({ next }: { next: string }) {
  const t = useTranslations('signIn');
  const router = useRouter();
  const { signInDemo } = useViewer();
  const signIn = useMutation({
    mutationFn: (identity: DemoIdentity) => signInDemo(identity),
    onSuccess: () => router.push(next),
  });

  return (
    <div className={classNames(layout.stack3, styles.people)}>
      {demoIdentities.map((identity) => (
        <Button
          key={identity.name}
          className={styles.person}
          busy={signIn.isPending && signIn.variables.name === identity.name}
          onClick={() => signIn.mutate(identity)}
        >
          {t('as', { name: identity.name })}
          <span className={classNames(layout.soft, styles.role)}>
            {t('plan' in identity ? identity.plan : identity.role)}
          </span>
        </Button>
      ))}
      <div role="status" className={layout.hiddenIfEmpty}>
        {signIn.error && <ProblemNote problem={problemOf(signIn.error)} here={next} />}
      </div>
    </div>
  );
}
