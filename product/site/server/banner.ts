import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { bannerOrder, changeBanner, getBanner, removeBanner } from '../contract/banner.ts';
import { isBannerOn, type Banner } from '../rules/banner.ts';
import { findSite, putBanner, type SiteRow } from '../store.ts';

/** The part of a site's banner that pages show now; null for none. */
export function shownBanner({ banner }: Pick<SiteRow, 'banner'>, now: number) {
  if (banner === null || !isBannerOn(banner, now)) return null;
  const { id, text, image_path, link } = banner;
  return { id, text, image_path, link };
}

type Answer = OutputOf<typeof getBanner>;

async function bannerIn(tx: Tx, siteId: number): Promise<Answer> {
  const banner = (await findSite(tx, siteId))?.banner ?? null;
  return { banner, is_shown: banner !== null && isBannerOn(banner, tx.now.getTime()) };
}

const FIELDS = ['text', 'image_path', 'link', 'from', 'until'] as const;

/** Names of the changed fields, for the audit log. */
const changedFields = (before: Banner | null, after: Banner | null) =>
  FIELDS
    .filter((name) => before?.[name] !== after?.[name])
    .map((name) => ({
      name,
      before: JSON.stringify(before?.[name] ?? null),
      after: JSON.stringify(after?.[name] ?? null),
    }));

/** Replaces the site's banner, or removes it. */
async function put(
  tx: Tx,
  siteId: number,
  given: Omit<Banner, 'id'> | null,
  by: { readonly action: string; readonly actorId: number | null; readonly reason: string },
): Promise<Answer> {
  const { banner: before } = await bannerIn(tx, siteId);
  // An id that no banner of this site has had, also after one was removed.
  const banner = given && { ...given, id: tx.now.getTime() };
  await putBanner(tx, siteId, banner);
  await tx.audit({ ...by, subject: `site:${siteId}`, detail: { fields: changedFields(before, banner) } });
  return bannerIn(tx, siteId);
}

/** The banner of the site whose back office is open. */
export const bannerHandlers = (data: Data): CallHandler[] => [
  handleCall(getBanner)((_input, { scope }) => data.tx(scope, (tx) => bannerIn(tx, scope.siteId))),
  handleCall(changeBanner)(async ({ reason, ...banner }, { scope, caller, refuse }) => {
    const { from, until } = banner;
    if (from !== null && until !== null && Date.parse(from) >= Date.parse(until)) return refuse(bannerOrder);
    const by = { action: changeBanner.name, actorId: caller.personId, reason };
    return data.tx(scope, (tx) => put(tx, scope.siteId, banner, by));
  }),
  handleCall(removeBanner)(({ reason }, { scope, caller }) =>
    data.tx(
      scope,
      (tx) => put(tx, scope.siteId, null, { action: removeBanner.name, actorId: caller.personId, reason }),
    )
  ),
];
