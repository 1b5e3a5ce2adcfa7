import { publishes } from '../media/media-client.ts';
import type { Member, TestSite } from '../site.ts';

/** Has the operator of a site ask for evidence; `requires: false` for none. */
export const asksEvidence = (
  site: TestSite,
  rules: { readonly requires?: boolean; readonly reviewers?: number; readonly age?: number } = {},
): Promise<void> =>
  site.tx((tx) =>
    site.services.identity.setRules(tx, {
      requiresEvidence: rules.requires ?? true,
      reviewers: rules.reviewers ?? 1,
      minimumAge: rules.age ?? 18,
    })
  );

/** What an encoder reads that goes live with a key of a performer: `live`, or the code of the refusal. */
export async function goesLiveBy(site: TestSite, performer: Member): Promise<string> {
  const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
  const { status, code } = await publishes(performer, key);
  return status === 201 ? 'live' : code ?? `${status}`;
}
