import { useEffect, type RefObject } from 'react';

/** A keyboard on the screen takes at least this share of it; bars of the browser take less. */
const KEYBOARD_SHARE = 0.2;

/**
 * Keeps the room as high as what is seen of the window: while a keyboard is open the chat input stands above
 * it, and `data-keyboard` lets what is not needed for typing give way.
 */
export function useVisibleRoom(room: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const seen = globalThis.visualViewport;
    const element = room.current;
    if (!seen || !element) return undefined;
    const fit = () => {
      // Zoomed in, the window shows a part of the page on purpose.
      const hidden = seen.scale > 1 ? 0 : globalThis.innerHeight - seen.height;
      const isTyping = hidden > globalThis.innerHeight * KEYBOARD_SHARE;
      element.toggleAttribute('data-keyboard', isTyping);
      if (!isTyping) return void element.style.removeProperty('--room');
      element.style.setProperty('--room', `${seen.height}px`);
      // Some browsers push the page up instead of making it smaller.
      scrollTo(0, 0);
    };
    fit();
    seen.addEventListener('resize', fit);
    return () => seen.removeEventListener('resize', fit);
  }, [room]);
}
