import type { z } from 'zod';
import type { TextOf } from '../../../platform/text/message-keys.ts';
import type { ListingSeo } from '../contract.ts';
import type { Listing } from '../rules/listing/listings.ts';
import { seoTexts } from '../rules/seo.ts';

/**
 * Title, description and the like of a listing in a language.
 * @param total performers in it, as this viewer sees it
 * @param text `deps.text`
 */
export function seoOf(
  listing: Listing, locale: string, total: number, siteName: string, text: TextOf, page = 1,
): z.infer<typeof ListingSeo> {
  const { breadcrumbList, relatedLinks, ...texts } = seoTexts(listing, {
    say: (key, values) => text(locale, `browse:${key}`, values), locale, total, siteName, page,
  });
  return { ...texts, breadcrumbList: [...breadcrumbList], relatedLinks: [...relatedLinks] };
}
