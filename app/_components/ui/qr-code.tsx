import { encode } from 'uqr';
import styles from './qr-code.module.css';

/** The quiet zone of the QR standard (ISO/IEC 18004), in modules: scanners find no code on a dark page without it. */
const QUIET_ZONE = 4;

/** A QR code. Always dark on light, as scanners expect. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return (
    <svg className={styles.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={data.map(toRowPath).join('')} />
    </svg>
  );
}

/** Returns the SVG path of one row: a rectangle per run of dark modules. */
function toRowPath(row: boolean[], y: number): string {
  const runs: string[] = [];
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue;
    const end = row.indexOf(false, x);
    const length = (end === -1 ? row.length : end) - x;
    runs.push(`M${x} ${y}h${length}v1h-${length}z`);
    x += length;
  }
  return runs.join('');
}
