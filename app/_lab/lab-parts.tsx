'use client';

import { type ComponentProps, lazy, Suspense } from 'react';
import { Skeleton } from '../_components/ui/skeleton';
import styles from './lab-parts.module.css';

/*
 * The parts of the lab, of which a page shows one: what the others are made of is no part of its first load. One module
 * for all of them, because each module that a page may render is a file of its own to load.
 */

const LateExperiment = lazy(() => import('./compare/experiment'));
const LateMistakes = lazy(() => import('./mistakes/mistakes'));
const LateStorages = lazy(() => import('./storages/storages'));
const LateLadder = lazy(() => import('./ladder/punishment-ladder'));
const LateLayers = lazy(() => import('./layers/layers'));

const place = (
  <div className={styles.place}>
    <Skeleton shape="panel" />
  </div>
);

export function Experiment(props: ComponentProps<typeof LateExperiment>) {
  return (
    <Suspense fallback={place}>
      <LateExperiment {...props} />
    </Suspense>
  );
}

export function Mistakes() {
  return (
    <Suspense fallback={place}>
      <LateMistakes />
    </Suspense>
  );
}

export function Storages() {
  return (
    <Suspense fallback={place}>
      <LateStorages />
    </Suspense>
  );
}

export function PunishmentLadder() {
  return (
    <Suspense fallback={place}>
      <LateLadder />
    </Suspense>
  );
}

export function LayersPlay() {
  return (
    <Suspense fallback={place}>
      <LateLayers />
    </Suspense>
  );
}
