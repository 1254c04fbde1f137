'use client';

import { Printer } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../_components/ui/button';

/** Opens the print dialog of the browser. */
export function PrintButton({ children }: { children: ReactNode }) {
  return (
    <Button onClick={() => window.print()}>
      <Printer size={18} aria-hidden="true" />
      {children}
    </Button>
  );
}
