import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { SiteView } from '#product/site/contract.ts';
import sharp from 'sharp';
import { getShareImage, notForEverybody } from '../../contract/sharing.ts';
import { SHARE_HEIGHT, SHARE_WIDTH } from '../../rules/sharing.ts';
import type { Browsing } from '../dependencies.ts';
import { drawn } from './letters.ts';
import { cachedFor, publicEntry } from './public.ts';

const IMAGE_SECONDS = 86_400;
/** Images cached in memory, about 20 kB each. */
const MAX_IMAGES = 200;
const MARGIN = 96;
/** Images of the site itself, with the text below its name. These names take precedence over usernames. */
const SITE_CARDS: ReadonlyMap<string, string> = new Map([
  ['site', 'free live cams'],
  ['games', 'games on cam'],
]);

/** The name on the site's colours. Of a performer it shows only the username. */
export function shareImageHandler(browsing: Browsing): CallHandler {
  const images = new ShareImages();
  return handleCall(getShareImage)(async ({ file }, { scope, refuse }) => {
    const name = /^([\w-]+)\.png$/u.exec(file)?.[1];
    if (name === undefined) return refuse(notForEverybody);
    const view = await browsing.site.viewOf(scope);
    const line = SITE_CARDS.get(name);
    const entry = line === undefined ? await publicEntry(browsing, scope, name) : null;
    if (line === undefined && !entry) return refuse(notForEverybody);
    const body = await images.get(
      view,
      entry
        ? [entry.username, view.display_name]
        : [view.display_name, line ?? ''],
    );
    return { status: 200, headers: cachedFor(IMAGE_SECONDS), body };
  });
}

/** Draws each image once; the least recently used are dropped first. */
class ShareImages {
  readonly #images = new Map<string, Promise<Uint8Array>>();

  get(view: SiteView, texts: CardTexts): Promise<Uint8Array> {
    const svg = cardOf(view, texts);
    const image = this.#images.get(svg) ?? sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
    this.#images.delete(svg);
    this.#images.set(svg, image);
    image.catch(() => this.#images.delete(svg));
    for (const oldest of this.#images.keys()) {
      if (this.#images.size <= MAX_IMAGES) break;
      this.#images.delete(oldest);
    }
    return image;
  }
}

/** The texts of a card: a large one, and a small one below it. */
type CardTexts = readonly [title: string, line: string];

function cardOf({ custom: { colours } }: SiteView, [title, line]: CardTexts): string {
  const maxWidth = SHARE_WIDTH - 2 * MARGIN;
  const big = { x: MARGIN, y: 250, height: 120, maxWidth, colour: '#F4F0F7' };
  const small = { x: MARGIN, y: 480, height: 42, maxWidth, colour: '#A79FB2' };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SHARE_WIDTH}" height="${SHARE_HEIGHT}">`
    + `<rect width="100%" height="100%" fill="#0E0B12"/>`
    + `<rect x="${MARGIN}" y="150" width="180" height="10" rx="5" fill="${colours.pink}"/>`
    + `<rect x="${MARGIN + 196}" y="150" width="60" height="10" rx="5" fill="${colours.blue}"/>`
    + `${drawn(title, big)}${drawn(line, small)}</svg>`;
}
