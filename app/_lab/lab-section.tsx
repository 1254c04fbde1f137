'use client';

import dynamic from 'next/dynamic';
import { Skeleton } from '../_components/ui/status';
import type { Section } from './addresses';
import { Compare } from './compare/compare';
import styles from './lab.module.css';
import type { Card, DrawnRun, Examination } from './types';

// Most visitors open only the first section. The code of another one loads when it is opened.
const Mistakes = dynamic(() => import('./mistakes/mistakes'), { loading: Placeholder });
const Storages = dynamic(() => import('./storages/storages'), { loading: Placeholder });
const PunishmentLadder = dynamic(() => import('./ladder/punishment-ladder'), { loading: Placeholder });
const Layers = dynamic(() => import('./layers/layers'), { loading: Placeholder });
const Examine = dynamic(() => import('./examine/examine'), { loading: Placeholder });
const Fairness = dynamic(() => import('./fairness/fairness'), { loading: Placeholder });

interface Props {
  section: Section;
  /** The cards of the section `mistakes`. Empty for the others. */
  cards: readonly Card[];
  /** The finished run of the default scenario of the section `compare`, or null if the URL names another scenario. */
  example: readonly DrawnRun[] | null;
  /** The stored result of the section `examine`. Null for the others. */
  examination: Examination | null;
  isTour: boolean;
}

/** The experiments of a section. The URL carries their choices. */
export function LabSection({ section, cards, example, examination, isTour }: Props) {
  switch (section) {
    case 'compare':
      return <Compare example={example} />;
    case 'mistakes':
      return <Mistakes cards={cards} isTour={isTour} />;
    case 'storage':
      return <Storages />;
    case 'ladder':
      return <PunishmentLadder />;
    case 'layers':
      return <Layers />;
    case 'fairness':
      return <Fairness />;
    case 'examine':
      return <Examine example={examination} />;
  }
}

/** Reserves the space of a section until its code is there. */
function Placeholder() {
  return (
    <div className={styles.placeholder}>
      <Skeleton shape="panel" />
    </div>
  );
}
