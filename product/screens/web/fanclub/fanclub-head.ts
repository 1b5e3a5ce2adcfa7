import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { HeadPage, HeadTags } from '#platform/ui/calls/head.ts';
import { knownOf } from '#product/browse/web/seo/room-head.ts';
import { getFans } from '#product/fanclubs/client.ts';

/**
 * The head of a fan club, with the card of its performer. Before the entry gate the card is that of someone
 * who may be shown everywhere; it reveals nothing about performers this viewer may not see.
 */
export function fanclubHead({ cache, params, language, siteName }: HeadPage): HeadTags | null {
  const { username, card } = knownOf(cache, params);
  const fans = cache.getQueryData<OutputOf<typeof getFans>>(queryKeyOf(getFans, { username, profile: '1' }));
  const name = fans?.profile?.display_name ?? card?.displayName;
  if (name === undefined) return null;
  const say = language.translator('fanclubs');
  const room = `/${encodeURIComponent(card?.username ?? username)}`;
  return {
    cardTitle: say('metaTitle', { name, site: siteName }),
    canonical: `${room}/fanclub`,
    type: 'profile',
    description: say('lead'),
    image: { path: `/share${room}.png`, alt: name },
  };
}
