import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { endPrivate, getReceipts, type ReceiptView } from '#product/shows/contract/private-running.ts';
import { acceptPrivate, checkPrivate, requestPrivate } from '#product/shows/contract/private-show.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import { playbackOf, plays } from '../media/media-client.ts';
import type { PerformerOptions, ViewerOptions } from '../people/options.ts';
import type { Member, TestSite } from '../site.ts';

type Settings = InputOf<typeof saveShowSettings>;
type Offer = NonNullable<Settings['private']>;

/** A live performer who offers private shows at 30 tokens a minute. */
export async function privatePerformer(
  site: TestSite,
  offer: Offer = {},
  options: PerformerOptions = {},
  spy?: Settings['spy'],
): Promise<Member> {
  const performer = await site.performer({ live: true, ...options });
  await performer.call(saveShowSettings, {
    private: { isEnabled: true, ...offer },
    ...(spy ? { spy } : {}),
  });
  await site.settle();
  return performer;
}

type Wish = Partial<Omit<InputOf<typeof requestPrivate>, 'username'>>;

/** A viewer requests a show at the price that they are shown, and the performer accepts it. */
export async function startsPrivate(
  viewer: Member,
  performer: Member,
  wish: Wish = {},
): Promise<OutputOf<typeof acceptPrivate>> {
  const { username } = performer;
  const shown = await viewer.call(checkPrivate, { username });
  const price = wish.exclusive ? shown.exclusive_cost_per_minute ?? 0 : shown.cost_per_minute;
  await viewer.call(requestPrivate, { username, price, ...wish });
  const running = await performer.call(acceptPrivate, {
    username: viewer.username,
    recording_consent: wish.recording ?? false,
  });
  await viewer.site.settle();
  return running;
}

/** A viewer plays the performer's stream; returns the session of the player. */
export async function watches(viewer: Member, performer: Member): Promise<string> {
  const { stream, token } = await playbackOf(viewer, performer);
  const played = await plays(viewer, stream, token);
  if (played.status !== 201) throw new Error(`${viewer.username} cannot watch: ${played.code ?? ''}`);
  return played.session;
}

/** Lets seconds pass in which the relay measures the performer's stream, then delivers what follows. */
export async function mediaPasses(site: TestSite, performer: Member, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    if (stream !== null) site.engine.measureAll(stream);
    await site.passes(1_000);
  }
}

/** A running show: both have the video. */
export async function runsPrivate(
  site: TestSite,
  { tokens = 1_000, offer, wish, viewer: options }: {
    readonly tokens?: number;
    readonly offer?: Offer;
    readonly viewer?: ViewerOptions;
    readonly wish?: Wish;
  } = {},
): Promise<{ readonly viewer: Member; readonly performer: Member; readonly session: string }> {
  const performer = await privatePerformer(site, offer);
  const viewer = await site.viewer({ tokens, ...options });
  await startsPrivate(viewer, performer, wish);
  return { viewer, performer, session: await watches(viewer, performer) };
}

/** The viewer of a show ends it. */
export const endsPrivate = (
  viewer: Member,
  performer: Member,
): Promise<OutputOf<typeof endPrivate>> => viewer.call(endPrivate, { username: performer.username });

/** Somebody's receipt of their last private show. */
export async function lastPrivateReceipt(member: Member): Promise<ReceiptView> {
  const [receipt] = (await member.call(getReceipts, {})).receipts;
  if (!receipt) throw new Error(`${member.username} has no receipt`);
  return receipt;
}

/** An offer of private shows with everything in it. */
export const FULL_OFFER = {
  isEnabled: true,
  pricePerMinuteInToken: 48,
  exclusivePricePerMinuteInToken: 90,
  isRecordingEnabled: true,
  isPreTipEnabled: true,
  preTipCost: 25,
  isExclusiveEnabled: true,
  isWatchPornTogetherEnabled: true,
  privateMinimumDuration: 3,
  minimumTokenToStart: 200,
};
