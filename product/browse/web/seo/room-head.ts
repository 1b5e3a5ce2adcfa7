import type { OutputOf } from '#platform/contract/call.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { queryKeyOf } from '#platform/ui/calls/calls.ts';
import type { HeadPage, HeadTags } from '#platform/ui/calls/head.ts';
import type { RouteHandle } from '#platform/ui/calls/route.ts';
import { getRoom } from '#product/rooms/client.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { getRoomWords } from '../../client.ts';
import { markOf } from '../../rules/reports/seo-words.ts';

/** Longest user text in a description. */
const MAX_DESCRIPTION = 160;

/**
 * The head of a room, from its `seo`. Before the entry gate, where crawlers are, the page has not read the
 * room: the head then has the card of a performer who may be shown everywhere, with the experiment's words if
 * the room takes part. It says nothing about other performers.
 */
export function roomHead({ cache, params, address }: HeadPage): HeadTags | null {
  const { room, words, card } = knownOf(cache, params);
  if (room) {
    const { seo, user: { username } } = room;
    return tagsOf({ ...seo, username, bio: plain(seo.fullBioHtml) }, address);
  }
  if (!card) return null;
  const said = { ...card, h1: card.displayName, bio: '' };
  if (!words) return tagsOf(said, address);
  return { ...tagsOf({ ...said, ...words }, address), title: words.metaTitle };
}

/** The mark that counts visits of a room's document: the wording it shows. */
export const roomMark: RouteHandle['mark'] = (cache, params) => {
  const { room, words } = knownOf(cache, params);
  return markOf(room ? room.seo.wording : words?.wording);
};

/** What the cache knows about a room: all of it, or just its card. */
export function knownOf(cache: HeadPage['cache'], params: HeadPage['params']) {
  const username = normalizeUsername(params['username'] ?? '');
  const said = cache.getQueryData<OutputOf<typeof getRoomWords>>(queryKeyOf(getRoomWords, { username }));
  return {
    username,
    room: cache.getQueryData<RoomDataView>(queryKeyOf(getRoom, { username })),
    words: said?.words,
    card: said?.card,
    moved: said?.movedTo,
  };
}

/** The current path of a room that was opened by an earlier username; null if the username is current. */
export function roomMovedTo(cache: HeadPage['cache'], params: HeadPage['params']): string | null {
  const { username, room, moved } = knownOf(cache, params);
  const now = room?.user.username ?? moved;
  return now == null || now === username ? null : `/${encodeURIComponent(now)}`;
}

interface Said {
  readonly username: string;
  readonly title: string;
  readonly h1: string;
  readonly description: string;
  readonly bio: string;
}

function tagsOf({ username, title, h1, description, bio }: Said, address: HeadPage['address']): HeadTags {
  const path = `/${encodeURIComponent(username)}`;
  return {
    cardTitle: title,
    description: bio === '' ? description : `${description} ${bio}`.slice(0, MAX_DESCRIPTION),
    canonical: path,
    type: 'profile',
    image: { path: `/share${path}.png`, alt: h1 },
    links: [
      {
        type: 'application/json+oembed',
        title: h1,
        // oEmbed requires an absolute URL.
        href: address(`/oembed?url=${encodeURIComponent(address(path))}`),
      },
      { type: 'text/calendar', title: h1, href: `${path}/schedule.ics` },
    ],
    structured: [{
      '@type': 'ProfilePage',
      url: address(path),
      description,
      mainEntity: { '@type': 'Person', name: h1, alternateName: username, description: bio },
    }],
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': '\'',
};

/** The plain text of escaped paragraphs. */
const plain = (html: string): string =>
  html.replaceAll(/<\/?p>/gu, ' ').replaceAll(/\s+/gu, ' ').trim()
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/gu, (entity) => ENTITIES[entity] ?? '');
