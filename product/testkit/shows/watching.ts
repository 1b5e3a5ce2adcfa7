import type { InputOf } from '#platform/contract/call.ts';
import { startRecording, stopRecording } from '#product/recordings/contract.ts';
import type { saveShowSettings } from '#product/shows/contract/settings.ts';
import type { Member, TestSite } from '../site.ts';
import { privatePerformer, startsPrivate, watches } from './private-show.ts';

/** A performer who is live in public records this many seconds; returns the id of the recording. */
export async function recordsPublic(performer: Member, seconds: number): Promise<number> {
  const { site } = performer;
  const { id } = await performer.call(startRecording, { consent: true });
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  site.outputs.film(stream ?? '', seconds);
  await performer.call(stopRecording, {});
  await site.settle();
  return id;
}

/** A running private show of a performer who lets viewers watch along, with a recording. */
export async function watchableShow(
  site: TestSite,
  { spy, isOffered = true, tokens = 1_000, seconds = 60 }: {
    readonly spy?: NonNullable<InputOf<typeof saveShowSettings>['spy']>;
    readonly isOffered?: boolean;
    readonly tokens?: number;
    /** Length of the recording. */
    readonly seconds?: number;
  } = {},
): Promise<{ readonly performer: Member; readonly viewer: Member; readonly id: number }> {
  const performer = await privatePerformer(site, { isWatchPornTogetherEnabled: isOffered }, {}, spy);
  const id = await recordsPublic(performer, seconds);
  const viewer = await site.viewer({ tokens });
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  return { performer, viewer, id };
}
