import { Remembered } from '#platform/data/remembered.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { z } from 'zod';
import type { ListingSeo } from '../contract.ts';
import type { Listing } from '../rules/listing/listings.ts';
import type { ListingNames } from '../rules/listing/named-listings.ts';
import type { Say } from '../rules/say.ts';
import { seoTexts, withTotal, type SeoTexts } from '../rules/seo.ts';

/** Cached texts of listings, about 4 kB each; the oldest are dropped first. */
const MAX_LISTINGS = 500;

/**
 * Title, description and similar texts of a listing in a language.
 * @param total its number of performers, as this viewer sees them
 * @param text `deps.text`
 */
export function seoOf(
  listing: Listing,
  locale: string,
  total: number,
  siteName: string,
  text: TextOf,
  page = 1,
  names: ListingNames = {},
): z.infer<typeof ListingSeo> {
  return new ListingTexts(text).of(listing, { locale, total, siteName, names, page });
}

interface Asked {
  readonly locale: string;
  readonly total: number;
  readonly siteName: string;
  readonly names: ListingNames;
  readonly page: number;
}

/** Texts of listings, cached: all but the total depend on the address alone. */
export class ListingTexts {
  readonly #text: TextOf;
  readonly #texts = new Remembered<SeoTexts>(MAX_LISTINGS);

  constructor(text: TextOf) {
    this.#text = text;
  }

  of(listing: Listing, { locale, total, siteName, names, page }: Asked): z.infer<typeof ListingSeo> {
    const say: Say = (key, values) => this.#text(locale, `browse:${key}`, values);
    const { kind, path, gender, words } = listing;
    const key = JSON.stringify([locale, siteName, names, page, kind, path, gender, words]);
    let texts = this.#texts.get(key, 0, Number.POSITIVE_INFINITY);
    if (!texts) {
      texts = seoTexts(listing, { say, locale, total: 0, siteName, names, page });
      this.#texts.set(key, texts, 0);
    }
    const { breadcrumbList, relatedLinks, description } = texts;
    return {
      ...texts,
      metaDescription: withTotal(description, total, say),
      breadcrumbList: [...breadcrumbList],
      relatedLinks: [...relatedLinks],
    };
  }
}
