import { handleCall, type Slice } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { SiteService } from '#product/site/server.ts';
import { getImprint, reviewDocument } from './contract.ts';
import { deleteReview, listReviews, saveReview } from './store.ts';

/** Calls for later slices: none yet. */
export type LegalService = Readonly<Record<string, never>>;

/** Legal documents of a site: terms, privacy policy, and imprint. */
export function legalSlice({ data, site }: { data: Data; site: SiteService }): Slice<LegalService> {
  const imprint = async (tx: Tx, siteId: number) => {
    const { name, address, brand } = await site.sellerIn(tx, siteId);
    const reviews = new Map((await listReviews(tx, siteId)).map(({ document, at }) => [document, at]));
    const since = (document: 'terms' | 'privacy') => reviews.get(document)?.toISOString() ?? null;
    return {
      site: brand,
      company: name,
      address,
      reviewed: { terms: since('terms'), privacy: since('privacy') },
    };
  };
  const callHandlers = [
    handleCall(getImprint)((_input, { scope }) => data.tx(scope, (tx) => imprint(tx, scope.siteId))),
    handleCall(reviewDocument)(async ({ document, is_reviewed: isReviewed }, { scope, caller }) =>
      data.tx(scope, async (tx) => {
        await (isReviewed ? saveReview : deleteReview)(tx, scope.siteId, document);
        await tx.audit({
          action: 'legal.review',
          actorId: caller.personId,
          subject: `site:${scope.siteId}`,
          detail: { document, isReviewed },
        });
        return imprint(tx, scope.siteId);
      })
    ),
  ];
  return { name: 'legal', service: {}, callHandlers };
}
