'use client';

import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
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

export function Experiment(props: ComponentProps<typeof LateExperiment>) {
  return <Late part={<LateExperiment {...props} />} />;
}

export function Mistakes() {
  return <Late part={<LateMistakes />} />;
}

export function Storages() {
  return <Late part={<LateStorages />} />;
}

export function PunishmentLadder() {
  return <Late part={<LateLadder />} />;
}

export function LayersPlay() {
  return <Late part={<LateLayers />} />;
}

/** Reserves the space of a section until its code is there. */
function Late({ part }: { part: ReactNode }) {
  const placeholder = (
    <div className={styles.section}>
      <Skeleton shape="panel" />
    </div>
  );
  return <Suspense fallback={placeholder}>{part}</Suspense>;
}
