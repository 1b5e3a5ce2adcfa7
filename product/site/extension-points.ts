import type { Scope } from '../../platform/contract/context.ts';
import { required } from '../../platform/contract/extension-point.ts';

/** The promotions in GET /site_config. */
export type Promotions = (scope: Scope, region: string, advertId: string | null) => Promise<{
  readonly arePromoProductsEnabled: { readonly freeTokensProduct: boolean; readonly wheelProduct: boolean };
  readonly promo_offer_img: string | null;
}>;

export const promotions = required.single<Promotions>({
  name: 'site.promotions', description: 'The promotions a site runs, for GET /site_config.',
});
