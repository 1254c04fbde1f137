'use client';

import { useState } from 'react';
import { useTRPCClient } from '../_trpc/client';
import { CodeStep } from './code-step';
import { EmailStep } from './email-step';
import { useCountedCall } from './use-counted-call';

/** Signs in by an e-mailed code: first the address, then the code. */
export function CodeSignIn({ next }: { next: string }) {
  const client = useTRPCClient();
  const [email, setEmail] = useState('');
  const [step, setStep] = useState<'email' | 'code'>('email');
  /** The number of codes sent. */
  const [sent, setSent] = useState(0);
  const sending = useCountedCall({
    call: (to: string, options) => client.auth.sendCode.mutate({ email: to }, options),
    level: 'auth.sendCode:email',
    onSuccess() {
      setSent((count) => count + 1);
      setStep('code');
    },
  });

  if (step === 'code') {
    return (
      <CodeStep
        email={email}
        sent={sent}
        sending={sending}
        next={next}
        onOtherEmail={() => setStep('email')}
      />
    );
  }
  return (
    <EmailStep
      email={email}
      sending={sending}
      isBack={sent > 0}
      onEmail={(typed) => {
        setEmail(typed);
        setSent(0);
        sending.reset();
      }}
      onHasCode={() => setStep('code')}
    />
  );
}
