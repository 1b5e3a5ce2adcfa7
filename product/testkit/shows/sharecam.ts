import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { whep } from '#product/broadcast/contract/webrtc.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import {
  acceptSharecam,
  playSharecam,
  publishSharecam,
  requestSharecam,
} from '#product/shows/contract/sharecam.ts';
import { plays, publishes } from '../media/media-client.ts';
import type { PerformerOptions, ViewerOptions } from '../people/options.ts';
import type { Member, TestSite } from '../site.ts';

type Offer = NonNullable<InputOf<typeof saveShowSettings>['sharecam']>;

/** A live performer who accepts shared cameras everywhere, in public for 30 tokens a minute. */
export async function sharecamPerformer(
  site: TestSite,
  offer: Offer = {},
  options: PerformerOptions = {},
): Promise<Member> {
  const performer = await site.performer({ live: true, ...options });
  await performer.call(saveShowSettings, {
    sharecam: {
      isAllowedInPrivate: true,
      isAllowedInPublic: true,
      pricePerMinuteInPublicInToken: 30,
      ...offer,
    },
  });
  await site.settle();
  return performer;
}

/** The request of a viewer who saw a price of 30 tokens a minute. */
export const sharecamWish = (
  performer: { readonly username: string },
  mode: 'public' | 'private' = 'public',
): InputOf<typeof requestSharecam> => ({
  username: performer.username,
  mode,
  price: mode === 'public' ? 30 : 0,
  adult: true,
});

/** A viewer asks and the performer accepts. */
export async function startsSharecam(
  viewer: Member,
  performer: Member,
  mode: 'public' | 'private' = 'public',
): Promise<OutputOf<typeof acceptSharecam>> {
  await viewer.call(requestSharecam, sharecamWish(performer, mode));
  const running = await performer.call(acceptSharecam, { username: viewer.username });
  await viewer.site.settle();
  return running;
}

/** A camera that the viewer publishes and the performer plays. */
export interface TestCamera {
  readonly stream: string;
  readonly token: string;
  /** The camera's stream key, and the session of the performer's player. */
  readonly key: string;
  readonly player: string;
}

/** The viewer of an accepted camera publishes it, and the performer plays it. */
export async function connectsSharecam(viewer: Member, performer: Member): Promise<TestCamera> {
  const { site } = viewer;
  const { stream_key: key } = await viewer.call(publishSharecam, { username: performer.username });
  const published = await publishes(viewer, key);
  if (published.status !== 201) throw new Error(`the camera is refused: ${published.code ?? ''}`);
  const { stream_name: stream, token } = await performer.call(playSharecam, { username: viewer.username });
  site.engine.arriveAt(stream);
  const played = await plays(performer, stream, token);
  if (played.status !== 201) throw new Error(`${whep.name} is refused: ${played.code ?? ''}`);
  return { stream, token, key, player: played.session };
}

/** Lets seconds pass in which the relay measures a camera, if there is one. */
export async function cameraPasses(site: TestSite, stream: string, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    if (site.engine.isLive(stream)) site.engine.measure(stream, { videoBitsPerSecond: 700_000 });
    await site.passes(1_000);
  }
}

/** A shared camera that runs in public. */
export async function runsSharecam(site: TestSite, { tokens = 1_000, viewer: options }: {
  readonly tokens?: number;
  readonly viewer?: ViewerOptions;
} = {}): Promise<TestCamera & { readonly viewer: Member; readonly performer: Member }> {
  const performer = await sharecamPerformer(site);
  const viewer = await site.viewer({ tokens, ...options });
  await startsSharecam(viewer, performer);
  return { viewer, performer, ...await connectsSharecam(viewer, performer) };
}
