'use client';

import { useRouter } from 'next/navigation';
import type { ComponentProps, MouseEvent } from 'react';

interface Props extends ComponentProps<'a'> {
  href: string;
  /** False keeps the scroll position. Default: true, which scrolls to the top of the new page. */
  scroll?: boolean;
}

/** A link to a page of this app, without loading the document. It lacks the prefetching of Next's link, which is 3 kB. */
export function Link({ href, scroll = true, onClick, ...rest }: Props) {
  const router = useRouter();

  function navigate(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    if (event.defaultPrevented || !isPlainClick(event)) return;
    event.preventDefault();
    router.push(href, { scroll });
  }

  return <a {...rest} href={href} onClick={navigate} />;
}

/** Returns false for clicks that open a tab or a window, or that download. */
function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}
