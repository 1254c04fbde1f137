import { type ReactNode, useId } from 'react';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/page-parts';
import styles from './lab.module.css';
import { LaneMarks } from './lanes/lane-marks';

interface Lane {
  name: string;
  tally: string;
  /** The times above the line. */
  above: readonly number[];
  /** The times below the line. Without them the lane has only an upper half. */
  below?: readonly number[];
  /** Below the lane. */
  note?: string;
}

interface Props {
  title: string;
  about: string;
  lanes: readonly Lane[];
  spanMs: number;
  windowMs: number;
  /** The times that scale all lanes. Default: each lane has a scale of its own. */
  comparedWith?: readonly number[];
  /** Below the lanes. */
  hint?: string;
  facts: readonly { name: string; value: string }[];
}

/** One of two ways of deciding the same calls: its lanes and its numbers. */
export function Side({ title, about, lanes, spanMs, windowMs, comparedWith, hint, facts }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={layout.stack1}>
      <Panel>
        <div>
          <h3 id={id} className={layout.title}>
            {title}
          </h3>
          <SideText>{about}</SideText>
        </div>
        <ol className={layout.stack3}>
          {lanes.map(({ name, tally, above, below, note }) => (
            <li key={name}>
              <div className={styles.laneHead}>
                <h4 className={styles.laneName}>{name}</h4>
                <p className={classNames(layout.hint, layout.figures)}>{tally}</p>
              </div>
              <LaneMarks
                spanMs={spanMs}
                windowMs={windowMs}
                above={above}
                below={below}
                comparedWith={comparedWith}
              />
              {note && <p className={classNames(layout.hint, layout.figures)}>{note}</p>}
            </li>
          ))}
        </ol>
        {hint && <p className={layout.hint}>{hint}</p>}
        <dl className={classNames(layout.below3, styles.sideFacts)}>
          {facts.map(({ name, value }) => (
            <div key={name} className={styles.sideFact}>
              <dt className={layout.hint}>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </section>
  );
}

/** A text of the same height in both sides. */
export function SideText({ children }: { children: ReactNode }) {
  return <p className={classNames(layout.hint, styles.about)}>{children}</p>;
}
