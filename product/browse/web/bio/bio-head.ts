import type { OutputOf } from '#platform/contract/call.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { HeadPage, HeadTags } from '#platform/ui/calls/head.ts';
import { getBio } from '../../client.ts';
import type { Say } from '../../rules/say.ts';
import { knownOf, roomMovedTo } from '../seo/room-head.ts';

/** Longest user text in a description. */
const MAX_DESCRIPTION = 160;

/**
 * The head of a bio. Before the entry gate it has the card of a performer who may be shown everywhere,
 * without any text of theirs; it says nothing about performers this viewer may not see.
 */
export function bioHead({ cache, params, address, language, siteName }: HeadPage): HeadTags | null {
  const username = normalizeUsername(params['username'] ?? '');
  const bio = cache.getQueryData<OutputOf<typeof getBio>>(queryKeyOf(getBio, { username }));
  const say = language.translator('browse');
  const { card } = knownOf(cache, params);
  if (!bio) return card ? cardOf(card.username, card.displayName, { say, siteName }) : null;
  const { performer: { displayName: name, username: alternateName }, about } = bio;
  const room = `/${encodeURIComponent(alternateName)}`;
  const title = say('bio.title', { name });
  const words = about.replaceAll(/\s+/gu, ' ').trim();
  const usual = cardOf(alternateName, name, { say, siteName });
  const above = [{ name: siteName, path: '/' }, { name, path: room }, { name: title, path: `${room}/bio` }];
  return {
    ...usual,
    title: usual.cardTitle,
    description: words === ''
      ? usual.description
      : words.slice(0, MAX_DESCRIPTION),
    structured: [
      {
        '@type': 'ProfilePage',
        url: address(`${room}/bio`),
        mainEntity: { '@type': 'Person', name, alternateName, description: words },
      },
      {
        '@type': 'BreadcrumbList',
        itemListElement: above.map((entry, at) => ({
          '@type': 'ListItem',
          position: at + 1,
          name: entry.name,
          item: address(entry.path),
        })),
      },
    ],
  };
}

/** What other sites show of a bio. */
function cardOf(
  username: string,
  name: string,
  { say, siteName }: { readonly say: Say; readonly siteName: string },
) {
  const room = `/${encodeURIComponent(username)}`;
  return {
    cardTitle: say('bio.metaTitle', { name, site: siteName }),
    canonical: `${room}/bio`,
    description: say('bio.description', { name, site: siteName }),
    type: 'profile' as const,
    image: { path: `/share${room}.png`, alt: name },
  };
}

/** The current path of a bio that was opened by an earlier username; null if the username is current. */
export function bioMovedTo(cache: HeadPage['cache'], params: HeadPage['params']): string | null {
  const username = normalizeUsername(params['username'] ?? '');
  const bio = cache.getQueryData<OutputOf<typeof getBio>>(queryKeyOf(getBio, { username }));
  if (!bio) {
    const room = roomMovedTo(cache, params);
    return room === null ? null : `${room}/bio`;
  }
  const { username: now } = bio.performer;
  return now === username ? null : `/${encodeURIComponent(now)}/bio`;
}
