import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import type { saveShowSettings } from '#product/shows/contract/settings.ts';
import {
  endSpying,
  getSpyReceipts,
  startSpying,
  type SpyReceiptView,
} from '#product/shows/contract/spying.ts';
import type { PerformerOptions, ViewerOptions } from '../people/options.ts';
import type { Member, TestSite } from '../site.ts';
import { privatePerformer, startsPrivate, watches } from './private-show.ts';

type SpyOffer = NonNullable<InputOf<typeof saveShowSettings>['spy']>;

/** A running private show of a performer who lets viewers spy at 12 tokens a minute. */
export async function spiedShow(
  site: TestSite,
  { spy, exclusive = false, performer: ready }: {
    readonly spy?: SpyOffer;
    readonly exclusive?: boolean;
    readonly performer?: Member;
  } = {},
): Promise<{ readonly performer: Member; readonly viewer: Member }> {
  const performer = ready ?? await offersSpying(site, spy);
  const viewer = await site.viewer({ tokens: 10_000 });
  await startsPrivate(viewer, performer, { exclusive });
  await watches(viewer, performer);
  return { performer, viewer };
}

/** A live performer who offers private shows, exclusive ones too, and spying at 12 tokens a minute. */
export const offersSpying = (
  site: TestSite,
  spy: SpyOffer = {},
  options: PerformerOptions = {},
): Promise<Member> =>
  privatePerformer(
    site,
    {
      isExclusiveEnabled: true,
    },
    options,
    { isEnabled: true, pricePerMinuteInToken: 12, ...spy },
  );

/** Somebody spies and gets the video. */
export async function spies(
  site: TestSite,
  performer: Member,
  options: ViewerOptions = { tokens: 100 },
): Promise<{
  readonly spy: Member;
  readonly session: string;
  readonly started: OutputOf<typeof startSpying>;
}> {
  const spy = await site.viewer(options);
  const started = await spy.call(startSpying, { username: performer.username });
  await site.settle();
  return { spy, started, session: await watches(spy, performer) };
}

/** Somebody no longer spies. */
export const stopsSpying = (spy: Member, performer: Member): Promise<OutputOf<typeof endSpying>> =>
  spy.call(endSpying, { username: performer.username });

/** Somebody's receipt of the last time that they spied, or were spied on. */
export async function lastSpyReceipt(member: Member): Promise<SpyReceiptView> {
  const [receipt] = (await member.call(getSpyReceipts, {})).receipts;
  if (!receipt) throw new Error(`${member.username} has no receipt`);
  return receipt;
}
