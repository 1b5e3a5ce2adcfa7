import { storedChoices } from '#product/broadcast/web/playing/choices.ts';

/** A pointer that just passes over a tile stays for less time. */
const HOVER_MS = 400;
/** A shorter touch is a tap; browsers open their context menu after about the same time. */
const LONG_PRESS_MS = 500;
/** A finger that moves further scrolls. */
const SLACK_PX = 10;

/** Attribute of tiles with a preview; its value is the performer's name. */
const TILE = '[data-preview]';

const tileOf = (
  target: EventTarget | null,
): HTMLElement | null => (target instanceof Element ? target.closest<HTMLElement>(TILE) : null);

/** Whether clips may play: not with reduced motion, and not with data saving. */
const isUnwanted = (): boolean =>
  matchMedia('(prefers-reduced-motion: reduce)').matches || storedChoices().saver;

/** The preview that plays, or is about to. */
interface Preview {
  readonly tile: HTMLElement;
  readonly timer: ReturnType<typeof setTimeout>;
  video: HTMLVideoElement | null;
}

/**
 * Plays short clips in tiles, one at a time: on hover and focus after a moment, and during a long press.
 * @returns a function that stops it
 */
export function startPreviews(list: HTMLElement): () => void {
  const stopped = new AbortController();
  let current: Preview | null = null;
  let pressedAt: { readonly x: number; readonly y: number } | null = null;
  const hide = (): void => {
    clearTimeout(current?.timer);
    current?.video?.remove();
    current = null;
  };
  const show = (tile: HTMLElement, afterMs: number): void => {
    if (current?.tile === tile) return;
    hide();
    if (isUnwanted()) return;
    const preview: Preview = { tile, video: null, timer: setTimeout(() => play(preview), afterMs) };
    current = preview;
  };
  const leave = (to: EventTarget | null): void => {
    if (current && !(to instanceof Node && current.tile.contains(to))) hide();
  };
  const release = (): void => {
    if (pressedAt === null) return;
    pressedAt = null;
    hide();
  };
  const handlers = {
    pointerover: ({ target, pointerType }: PointerEvent) => {
      const tile = tileOf(target);
      if (tile && pointerType === 'mouse') show(tile, HOVER_MS);
    },
    pointerout: ({ pointerType, relatedTarget }: PointerEvent) => {
      if (pointerType === 'mouse') leave(relatedTarget);
    },
    focusin: ({ target }: FocusEvent) => {
      const tile = tileOf(target);
      if (tile?.matches(':focus-visible')) show(tile, HOVER_MS);
    },
    focusout: ({ relatedTarget }: FocusEvent) => leave(relatedTarget),
    pointerdown: ({ target, pointerType, clientX: x, clientY: y }: PointerEvent) => {
      const tile = tileOf(target);
      if (!tile || pointerType === 'mouse') return;
      pressedAt = { x, y };
      show(tile, LONG_PRESS_MS);
    },
    pointermove: ({ clientX, clientY }: PointerEvent) => {
      if (pressedAt && Math.hypot(clientX - pressedAt.x, clientY - pressedAt.y) > SLACK_PX) release();
    },
    pointercancel: release,
    // A long press that showed a preview opens neither the room nor the browser's menu.
    click: (press: MouseEvent) => {
      if (pressedAt !== null && current?.video) press.preventDefault();
      release();
    },
    contextmenu: (press: MouseEvent) => {
      if (pressedAt !== null) press.preventDefault();
    },
  };
  for (const [name, handler] of Object.entries(handlers)) {
    list.addEventListener(name, handler as EventListener, { signal: stopped.signal, capture: true });
  }
  // A finger may be lifted anywhere; after a tap the click comes first.
  addEventListener('pointerup', () => setTimeout(release), { signal: stopped.signal });
  return () => {
    stopped.abort();
    hide();
  };
}

/** Puts the clip between the tile's image and its text; a clip that cannot play leaves the image. */
function play(preview: Preview): void {
  const { tile } = preview;
  const video = document.createElement('video');
  video.muted = true;
  video.loop = true;
  video.autoplay = true;
  video.playsInline = true;
  video.tabIndex = -1;
  video.setAttribute('aria-hidden', 'true');
  video.className = 'pointer-events-none absolute inset-0 size-full object-cover';
  video.addEventListener('error', () => video.remove());
  video.src = `/previews/${encodeURIComponent(tile.dataset['preview'] ?? '')}`;
  preview.video = video;
  tile.firstElementChild?.after(video);
}
