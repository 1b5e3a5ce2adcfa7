import { unseal } from '#platform/data/database/seal.ts';
import { hlsIndex, hlsPlaylist, hlsSegment } from '#product/broadcast/contract/hls.ts';
import type { PlaybackClaim } from '#product/broadcast/rules.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { SECRET } from '../site-options.ts';
import type { Member, TestSite } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import { media, playbackOf, type MediaOptions, type MediaReply } from './media-client.ts';

/** What tokens of playback are sealed for, with the site's secret. */
export const PURPOSE = 'broadcast.playback';

export const index = (who: Visitor, stream: string, token: string | undefined, query: object = {}) =>
  media(who, hlsIndex, { stream, token, ...query });
export const playlist = (
  who: Visitor,
  stream: string,
  token: string | undefined,
  rendition = 'source',
  options: MediaOptions = {},
) => media(who, hlsPlaylist, { stream, rendition, token }, options);
export const segment = (
  who: Visitor,
  stream: string,
  token: string | undefined,
  file = '0.m4s',
  rendition = 'source',
  options: MediaOptions = {},
) => media(who, hlsSegment, { stream, rendition, file, token }, options);

/** URLs in a playlist, including those of its initialisation segments. */
export const addressesIn = ({ body }: MediaReply): string[] => [
  ...[...body.matchAll(/URI="([^"]+)"/gu)].map(([, uri]) => uri ?? ''),
  ...body.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
];
export const tokensIn = (reply: MediaReply): string[] =>
  addressesIn(reply).map((uri) => new URL(uri, 'http://x').searchParams.get('token') ?? '');
export const claimOf = (token: string): PlaybackClaim => unseal(SECRET, PURPOSE, token) as PlaybackClaim;

/** A live performer, and a viewer with a token for the stream. */
export async function watchesLive(site: TestSite, region?: string): Promise<{
  performer: Member;
  viewer: Member;
  stream: string;
  token: string;
}> {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer({ region });
  if (region !== undefined) await viewer.call(declareAge, { of_age: true });
  return { performer, viewer, ...(await playbackOf(viewer, performer)) };
}
