import styles from './ticket-flight.module.css';

/** Short enough that it ends before the shopper's next action. */
const FLIGHT_MS = 640;

/**
 * Tears a ticket off an element and moves it to the wallet's link in the header. Only a picture: it changes neither the
 * focus nor the layout. Without motion, the changed note and the wallet's count suffice.
 */
export function flyTicket(from: Element): void {
  const wallet = document.querySelector('header a[href="/wallet"]');
  if (!wallet || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const ticket = document.createElement('div');
  ticket.className = styles.ticket ?? '';
  ticket.ariaHidden = 'true';
  document.body.append(ticket);

  const flight = ticket.animate(keyframes(from.getBoundingClientRect(), wallet.getBoundingClientRect()), {
    duration: FLIGHT_MS,
    easing: 'cubic-bezier(0.4, 0, 0.7, 1)',
  });
  const remove = () => ticket.remove();
  flight.onfinish = remove;
  flight.oncancel = remove;
}

type Box = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>;

/** Returns the way from the middle of one box to that of another: torn off, lifted, then away. */
export function keyframes(from: Box, to: Box): Keyframe[] {
  const start = middleOf(from);
  const end = middleOf(to);
  const at = ({ x, y }: typeof start, shape: string) =>
    `translate(${x}px, ${y}px) translate(-50%, -50%) ${shape}`;
  return [
    { transform: at(start, 'rotate(0deg) scale(1)'), opacity: 0 },
    { transform: at(start, 'rotate(-7deg) scale(1)'), opacity: 1, offset: 0.12 },
    { transform: at({ x: start.x, y: start.y - 28 }, 'rotate(4deg) scale(1.04)'), opacity: 1, offset: 0.35 },
    { transform: at(end, 'rotate(-12deg) scale(0.25)'), opacity: 0.4 },
  ];
}

function middleOf({ left, top, width, height }: Box): { x: number; y: number } {
  return { x: left + width / 2, y: top + height / 2 };
}
