import { optional, required } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { NamedBlobs } from '#platform/data/database/named-blobs.ts';

/** The promotions in GET /site_config. */
export type Promotions = (tx: Tx, region: string, asked: {
  readonly advertId: string | null;
  /** The promotion under test that an operator previews. */
  readonly promoTest: string | null;
}) => Promise<{
  readonly arePromoProductsEnabled: { readonly freeTokensProduct: boolean; readonly wheelProduct: boolean };
  readonly promo_offer_img: string | null;
  readonly has_join_offer: boolean;
}>;

export const promotions = required.single<Promotions>({
  name: 'site.promotions',
  description: 'The promotions a site runs, for GET /site_config.',
});

export const blobNames = optional.many<() => readonly NamedBlobs[]>({
  name: 'site.blobNames',
  description: 'Which columns name blobs: what none of them names is removed after a day.',
  byDefault: 'No column names blobs.',
  safeBecause: 'While a column of the database that names blobs has no slice that says so, none is removed.',
});
