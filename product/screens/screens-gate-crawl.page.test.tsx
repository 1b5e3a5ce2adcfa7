import { OPEN_ACCESS, pathFields, type AnyCall } from '#platform/contract/call.ts';
import { API_BASE } from '#platform/contract/client.ts';
import { authorize, authorizeFailed } from '#platform/contract/sockets/lobby.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { hlsIndex, hlsPlaylist, hlsSegment } from '#product/broadcast/contract/hls.ts';
import { getPortrait, getPreview, getThumbnail } from '#product/broadcast/contract/pictures.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { closedPolicies } from '#product/testkit/age-checks/proof-regions.ts';
import { declaredBySlices } from '#product/testkit/contracts.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import routes from './web/routes.ts';

const isCall = (value: unknown): value is AnyCall =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;

/** In no text of the site, so that finding it means finding the performer. */
const NAME = 'zebrafinch';
const PORTRAIT = Buffer.from('RIFF0000WEBP the portrait of a zebra finch');

let site: TestSite;
let performer: Member;
/** Somebody in an open region who watches: their addresses and tokens are what a visitor elsewhere tries. */
let watcher: Visitor;
let stream: string;
let token: string;
let segment: string;
let calls: readonly AnyCall[];
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  performer = await site.performer({ live: true, username: NAME });
  const blobId = await site.blobs.put(PORTRAIT);
  await site.tx((tx) => site.services.broadcast.setPortrait(tx, performer.id, blobId));
  watcher = await site.visitor({ region: 'BR', ofAge: true });
  ({ stream, token } = await playbackOf(watcher, performer));
  await media(watcher, hlsIndex, { stream, token });
  site.outputs.produce(stream);
  const { body } = await media(watcher, hlsPlaylist, { stream, rendition: 'source', token });
  segment = /^[\w-]+\.m4s/mu.exec(body)?.[0] ?? '';
  calls = (await declaredBySlices()).filter(isCall)
    .filter(({ method, access, media: kind }) =>
      method === 'GET' && access === OPEN_ACCESS && kind?.streams !== true
    );
});
afterAll(() => site.close());

/** The regions whose policy asks for a proof, and places for which the strictest policy decides. */
const CLOSED = [
  ...new Set(closedPolicies.map(({ region }) => region)),
  'unknown',
  'US',
  'vpn:unknown',
];
/** One region for each way in which policies differ, for what takes longest. */
const ONE_OF_EACH = [
  ...new Map(
    closedPolicies
      .map((
        { region, methods, proofLasts, anonymous },
      ) => [JSON.stringify([methods, proofLasts, anonymous]), region]),
  ).values(),
  'unknown',
];

const fieldsOf = (): Readonly<Record<string, string>> => ({
  username: NAME,
  stream,
  token,
  rendition: 'source',
  file: segment,
  path: '',
  gender: 'girls',
  name: NAME,
  id: '1',
});

/** What shows a performer or their stream, as text in any answer. */
const secrets =
  (): readonly string[] => [PORTRAIT.toString(), `${segment} of ${stream}`, `init.mp4 of ${stream}`, stream];

/** A call as a guest makes it, with everything that its path needs. */
const addressOf = ({ path, root = false }: AnyCall): string => {
  const fields = fieldsOf();
  const filled = pathFields(path).reduce(
    (text, field) => text.replace(field === 'path' ? '*' : `:${field}`, fields[field] ?? '1'),
    path,
  );
  const query = new URLSearchParams({ username: NAME, token, q: NAME }).toString();
  return `${root ? '' : API_BASE}${filled}?${query}`;
};

async function found(visitor: Visitor, urls: readonly string[], words: readonly string[]): Promise<string[]> {
  const hits: string[] = [];
  for (const url of urls) {
    const { rawPayload } = await visitor.request({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${token}` },
    });
    const text = rawPayload.toString('utf8');
    hits.push(...words.filter((word) => text.includes(word)).map((word) => `${url}: ${word}`));
  }
  return hits;
}

/** Addresses of every page, with a performer, a gender and a contest in them. */
const addresses = routes.flatMap((route) => {
  const below = 'children' in route && route.children
    ? route.children.map((child) => `${route.path}/${child.path}`)
    : [];
  return [route.path ?? '', ...below];
}).map((path) =>
  `/${path.replace(':username', NAME).replace(':gender', 'girls').replace('*', '').replace(/:\w+/gu, '1')}`
);
/** The address of a performer's own page names them; every other has to stay silent about who is here. */
const silent = addresses.filter((address) => !address.includes(NAME));

describe('a visitor without a proof, where one is needed', () => {
  test('what they look for is there for people of age elsewhere', async () => {
    expect(segment).not.toBe('');
    expect((await media(watcher, getPortrait, { username: NAME })).body).toBe(PORTRAIT.toString());
    expect(await found(watcher, ['/girls'], [NAME])).toEqual([`/girls: ${NAME}`]);
    const played = await media(watcher, hlsSegment, { stream, rendition: 'source', file: segment, token });
    expect(played.body).toContain(stream);
    expect(calls.length).toBeGreaterThan(50);
    expect(silent.length).toBeGreaterThan(80);
  });

  test.each(CLOSED)(
    'in %s gets no picture and no media, over whatever call, reader or socket',
    async (region) => {
      const visitor = await site.visitor({ region });
      expect((await visitor.call(getEntry, {})).gate).not.toBe('open');
      const denied = [
        media(visitor, getPortrait, { username: NAME }),
        media(visitor, getThumbnail, { username: NAME }),
        media(visitor, getPreview, { username: NAME }),
        media(visitor, hlsIndex, { stream, token }),
        media(visitor, hlsPlaylist, { stream, rendition: 'source', token }),
        media(visitor, hlsSegment, { stream, rendition: 'source', file: segment, token }),
        plays(visitor, stream, token),
      ];
      for (const { status } of await Promise.all(denied)) expect(status).toBeGreaterThanOrEqual(400);
      // Who was let in elsewhere and moves here is not let in by their token, nor by their declaration.
      for (const call of [hlsIndex, hlsPlaylist, hlsSegment]) {
        const moved = await media(
          watcher,
          call,
          { stream, rendition: 'source', file: segment, token },
          { region },
        );
        expect(moved.status).toBeGreaterThanOrEqual(400);
      }
      expect(site.engine.readersOf(stream)).toBe(0);
      const socket = await site.openSocket(visitor, `/ws/room/${NAME}`);
      const { node_token: node } = await visitor.call(getCurrentUser, {});
      socket.send(authorize, { token: node, version: 'test' });
      expect(await socket.waitFor(authorizeFailed)).toEqual({ code: 'room_forbidden' });
      expect(await found(visitor, calls.map(addressOf), secrets())).toEqual([]);
    },
    20_000,
  );

  test.each(ONE_OF_EACH)('in %s finds nobody in any document', async (region) => {
    const visitor = await site.visitor({ region });
    expect(await found(visitor, silent, [NAME, ...secrets()])).toEqual([]);
    // Their own pages have the words that search engines read, without a picture of them.
    const own = addresses.filter((address) => address.includes(NAME));
    const pictures = [...secrets(), `/thumb/${NAME}`, '/portrait/', '<video'];
    expect(await found(visitor, own, pictures)).toEqual([]);
  }, 20_000);
});
