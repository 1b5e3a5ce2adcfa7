import type { Page } from 'playwright-core';

/** Frames of a page while it scrolled. */
export interface Frames {
  readonly shown: number;
  /** Frames of a display of 60 a second that did not come. */
  readonly dropped: number;
  readonly longestMs: number;
}

/** One frame of a display. */
const FRAME_MS = 1_000 / 60;
/** As far as a quick finger moves a page in one frame. */
const STEP_PX = 40;

/** Scrolls down, and up again from the end, a step each frame; counts the frames that came and did not. */
export const scrollThrough = (page: Page, seconds: number): Promise<Frames> =>
  page.evaluate(async ([untilMs, frameMs, stepPx]) => {
    scrollTo({ top: 0, behavior: 'instant' });
    let last = await new Promise<number>((drawn) => {
      requestAnimationFrame(drawn);
    });
    const end = last + untilMs;
    let [shown, dropped, longestMs] = [0, 0, 0];
    let step: number = stepPx;
    while (last < end) {
      const before = scrollY;
      scrollBy({ top: step, behavior: 'instant' });
      if (scrollY === before) step = -step;
      const at = await new Promise<number>((drawn) => {
        requestAnimationFrame(drawn);
      });
      const gap = at - last;
      shown += 1;
      dropped += Math.max(0, Math.round(gap / frameMs) - 1);
      longestMs = Math.max(longestMs, gap);
      last = at;
    }
    return { shown, dropped, longestMs };
  }, [seconds * 1_000, FRAME_MS, STEP_PX] as const);

/** Replaces a page of the same origin by a grid of pictures and nothing else: no tile can be smoother. */
export const plainGrid = (page: Page, pictures: readonly string[], columns: number): Promise<void> =>
  page.evaluate(([sources, count]) => {
    document.documentElement.innerHTML = '<body></body>';
    const grid = document.createElement('div');
    grid.style.display = 'grid';
    grid.style.gap = '16px';
    grid.style.gridTemplateColumns = `repeat(${count}, 1fr)`;
    for (const source of sources) {
      const image = document.createElement('img');
      Object.assign(image, { width: 480, height: 360, alt: '', loading: 'lazy', decoding: 'async' });
      Object.assign(image.style, { width: '100%', height: 'auto', aspectRatio: '4 / 3', objectFit: 'cover' });
      image.src = source;
      grid.append(image);
    }
    document.body.append(grid);
  }, [pictures, columns] as const);
