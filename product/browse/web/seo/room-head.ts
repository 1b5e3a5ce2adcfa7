import type { HeadPage, HeadTags } from '../../../../platform/ui/calls/head.ts';
import { queryKeyOf } from '../../../../platform/ui/calls/calls.ts';
import { normalizeUsername } from '../../../../platform/text/usernames.ts';
import { getRoom } from '../../../rooms/client.ts';
import type { RoomDataView } from '../../../rooms/contract.ts';

/** Longest text of a person that a description takes. */
const MAX_DESCRIPTION = 160;

/**
 * The head of a room, of what its `seo` says. Before the entry gate, and of whom this viewer may not see, the
 * page has not read the room, and the head says nothing.
 */
export function roomHead({ cache, params, address }: HeadPage): HeadTags | null {
  const username = normalizeUsername(params['username'] ?? '');
  const room = cache.getQueryData<RoomDataView>(queryKeyOf(getRoom, { username }));
  if (!room) return null;
  const { title, h1, description, fullBioHtml } = room.seo;
  const path = `/${encodeURIComponent(room.user.username)}`;
  const bio = plain(fullBioHtml);
  return {
    cardTitle: title,
    description: bio === '' ? description : `${description} ${bio}`.slice(0, MAX_DESCRIPTION),
    canonical: path, type: 'profile', image: { path: `/share${path}.png`, alt: h1 },
    links: [
      {
        type: 'application/json+oembed', title: h1,
        href: `/oembed?url=${encodeURIComponent(address(path))}`,
      },
      { type: 'text/calendar', title: h1, href: `${path}/schedule.ics` },
    ],
    structured: [{
      '@type': 'ProfilePage', url: address(path), description,
      mainEntity: { '@type': 'Person', name: h1, alternateName: room.user.username, description: bio },
    }],
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'",
};

/** The words of escaped paragraphs. */
const plain = (html: string): string => html.replaceAll(/<\/?p>/gu, ' ').replaceAll(/\s+/gu, ' ').trim()
  .replaceAll(/&(?:amp|lt|gt|quot|#39);/gu, (entity) => ENTITIES[entity] ?? '');
