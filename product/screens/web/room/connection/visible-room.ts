import { useEffect, type RefObject } from 'react';

/** An on-screen keyboard takes at least this share of the window; the browser's bars take less. */
const KEYBOARD_SHARE = 0.2;

/**
 * Keeps the room as high as the visible part of the window: while a keyboard is open the chat input stands
 * above it, and `data-keyboard` hides what is not needed for typing.
 */
export function useVisibleRoom(room: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const seen = globalThis.visualViewport;
    const element = room.current;
    if (!seen || !element) return undefined;
    const fit = () => {
      // When zoomed in, the window shows a part of the page on purpose.
      const hidden = seen.scale > 1 ? 0 : globalThis.innerHeight - seen.height;
      const isTyping = hidden > globalThis.innerHeight * KEYBOARD_SHARE;
      element.toggleAttribute('data-keyboard', isTyping);
      if (!isTyping) return void element.style.removeProperty('--room');
      element.style.setProperty('--room', `${seen.height}px`);
      // Some browsers scroll the page up instead of resizing it.
      scrollTo(0, 0);
    };
    fit();
    seen.addEventListener('resize', fit);
    return () => seen.removeEventListener('resize', fit);
  }, [room]);
}
