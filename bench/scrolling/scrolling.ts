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

/** As far as the pictures that load by themselves ahead of what is seen. */
const LOADED_AHEAD_PX = 600;

/**
 * Scrolls down until every picture is there: nobody has a thousand tiles before them that they did not scroll
 * past, a load at a time. Fails where one does not show.
 */
export const loadPictures = (page: Page, pictures: string): Promise<void> =>
  page.evaluate(async ([selector, stepPx]) => {
    for (let top = 0; top < document.documentElement.scrollHeight; top += stepPx) {
      scrollTo({ top, behavior: 'instant' });
      await new Promise((drawn) => {
        requestAnimationFrame(drawn);
      });
    }
    const images = [...document.querySelectorAll<HTMLImageElement>(selector)];
    await Promise.all(images.map((image) => image.decode()));
  }, [pictures, LOADED_AHEAD_PX] as const);

/** Where a grid is in its page, in pixels of CSS. */
export interface GridBox {
  readonly top: number;
  readonly left: number;
  /** Widths of the columns, as `grid-template-columns` has them. */
  readonly columns: string;
  readonly gap: string;
}

/** The box of a list of tiles. */
export const gridBox = (page: Page, list: string): Promise<GridBox> =>
  page.locator(list).first().evaluate((grid) => {
    const { gridTemplateColumns: columns, gap } = getComputedStyle(grid);
    const { top, left } = grid.getBoundingClientRect();
    return { top: top + scrollY, left, columns, gap };
  });

/**
 * Replaces a page of the same origin by a grid of pictures and nothing else, in the same columns and as far
 * down as the tiles: no tile can be smoother.
 */
export const plainGrid = (page: Page, pictures: readonly string[], box: GridBox): Promise<void> =>
  page.evaluate(([sources, { top, left, columns, gap }]) => {
    document.documentElement.innerHTML = '<head><meta name="viewport" content="width=device-width">'
      + '</head><body></body>';
    document.body.style.margin = `${top}px 0 0 ${left}px`;
    const grid = document.createElement('div');
    grid.style.display = 'grid';
    grid.style.gap = gap;
    grid.style.gridTemplateColumns = columns;
    for (const source of sources) {
      const image = document.createElement('img');
      Object.assign(image, { width: 480, height: 360, alt: '', loading: 'lazy', decoding: 'async' });
      Object.assign(image.style, { width: '100%', height: 'auto', aspectRatio: '4 / 3', objectFit: 'cover' });
      image.src = source;
      grid.append(image);
    }
    document.body.append(grid);
  }, [pictures, box] as const);
