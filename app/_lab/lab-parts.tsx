'use client';

import { type ComponentProps, lazy, Suspense } from 'react';
import { Skeleton } from '../_components/ui/skeleton';
import styles from './lab-parts.module.css';

/*
 * Lazy sections of the lab. A page shows one, so the code of the others is not in its first load. They share this module
 * because each client module of a page is a separate file to load.
 */

const LateExperiment = lazy(() => import('./compare/experiment'));
const LateMistakes = lazy(() => import('./mistakes/mistakes'));
const LateStorages = lazy(() => import('./storages/storages'));
const LateLadder = lazy(() => import('./ladder/punishment-ladder'));
const LateLayers = lazy(() => import('./layers/layers'));

const placeholder = (
  <div className={styles.section}>
    <Skeleton shape="panel" />
  </div>
);

export function Experiment(props: ComponentProps<typeof LateExperiment>) {
  return (
    <Suspense fallback={placeholder}>
      <LateExperiment {...props} />
    </Suspense>
  );
}

export function Mistakes() {
  return (
    <Suspense fallback={placeholder}>
      <LateMistakes />
    </Suspense>
  );
}

export function Storages() {
  return (
    <Suspense fallback={placeholder}>
      <LateStorages />
    </Suspense>
  );
}

export function PunishmentLadder() {
  return (
    <Suspense fallback={placeholder}>
      <LateLadder />
    </Suspense>
  );
}

export function LayersPlay() {
  return (
    <Suspense fallback={placeholder}>
      <LateLayers />
    </Suspense>
  );
}
