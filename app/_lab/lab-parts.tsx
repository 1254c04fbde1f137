'use client';

import dynamic from 'next/dynamic';
import { Skeleton } from '../_components/ui/status';
import styles from './lab-parts.module.css';

/*
 * Late sections of the lab. A page shows one, so the code of the others is not in its first load. They share this module
 * because each client module of a page is a separate file to load. Unlike React's lazy(), dynamic() puts the style sheet
 * of the section into the HTML; without it the page would move when the sheet arrives.
 */

export const Experiment = dynamic(() => import('./compare/experiment'), { loading: Placeholder });
export const Mistakes = dynamic(() => import('./mistakes/mistakes'), { loading: Placeholder });
export const Storages = dynamic(() => import('./storages/storages'), { loading: Placeholder });
export const PunishmentLadder = dynamic(() => import('./ladder/punishment-ladder'), { loading: Placeholder });
export const LayersPlay = dynamic(() => import('./layers/layers'), { loading: Placeholder });
export const FairnessPlay = dynamic(() => import('./fairness/fairness'), { loading: Placeholder });

/** Reserves the space of a section until its code is there. */
function Placeholder() {
  return (
    <div className={styles.section}>
      <Skeleton shape="panel" />
    </div>
  );
}
