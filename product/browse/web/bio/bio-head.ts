import { queryKeyOf } from '../../../../platform/ui/calls/calls.ts';
import type { HeadPage, HeadTags } from '../../../../platform/ui/calls/head.ts';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import { normalizeUsername } from '../../../../platform/text/usernames.ts';
import { getBio } from '../../client.ts';
import { roomMovedTo } from '../seo/room-head.ts';

/** Longest text of a person that a description takes. */
const MAX_DESCRIPTION = 160;

/** The head of a bio. Before the entry gate, and of whom this viewer may not see, it says nothing. */
export function bioHead({ cache, params, address, language, siteName }: HeadPage): HeadTags | null {
  const username = normalizeUsername(params['username'] ?? '');
  const bio = cache.getQueryData<OutputOf<typeof getBio>>(queryKeyOf(getBio, { username }));
  if (!bio) return null;
  const { performer: { displayName: name, username: alternateName }, about } = bio;
  const say = language.translator('browse');
  const room = `/${encodeURIComponent(alternateName)}`;
  const title = say('bio.title', { name });
  const words = about.replaceAll(/\s+/gu, ' ').trim();
  const description = words === '' ? say('bio.description', { name, site: siteName })
    : words.slice(0, MAX_DESCRIPTION);
  const above = [{ name: siteName, path: '/' }, { name, path: room }, { name: title, path: `${room}/bio` }];
  return {
    title: say('bio.metaTitle', { name, site: siteName }), description, canonical: `${room}/bio`,
    type: 'profile', image: { path: `/share${room}.png`, alt: name },
    structured: [
      {
        '@type': 'ProfilePage', url: address(`${room}/bio`),
        mainEntity: { '@type': 'Person', name, alternateName, description: words },
      },
      {
        '@type': 'BreadcrumbList',
        itemListElement: above.map((one, at) => ({
          '@type': 'ListItem', position: at + 1, name: one.name, item: address(one.path),
        })),
      },
    ],
  };
}

/** The path of a bio that was asked for by a name given up; null at the right one. */
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
