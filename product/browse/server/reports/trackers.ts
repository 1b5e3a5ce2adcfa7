import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import {
  casaSalsaVoyeurs,
  getExperiments,
  getTrackers,
  logAnalytics,
  thumbUntracked,
  trackThumb,
} from '../../contract/trackers.ts';
import { hiddenGenders, LISTING_PAGE } from '../../rules/listing/listings.ts';
import {
  bucketOf,
  CONTROL,
  EXPERIMENTS,
  variantOf,
  VARIANTS,
  visitorKey,
} from '../../rules/reports/experiments.ts';
import { isTrackedThumb, thumbOf } from '../../rules/reports/trackers.ts';
import { countClick, countEvent, listClicks, listEvents } from '../../store/trackers.ts';
import type { Browsing } from '../dependencies.ts';
import { entryView } from '../entries.ts';
import type { SeoExperiment } from './seo-words.ts';

const DONE = { success: true } as const;
const CASA_SALSA = { voyeur: 'any', tags: ['casa-salsa'] } as const;

/** Handlers of page reports and of experiments. */
export function trackerHandlers(
  browsing: Browsing,
  seo: Pick<SeoExperiment, 'idsOf'>,
): CallHandler[] {
  const { data, directoryOf, viewerOf } = browsing;
  return [
    handleCall(trackThumb)(async ({ thumbUrl }, context) => {
      if (!isTrackedThumb(thumbUrl)) return context.refuse(thumbUntracked);
      const thumb = thumbOf(thumbUrl);
      const directory = await directoryOf(context.scope.operatorId);
      const entry = thumb === null ? undefined : directory.named(normalizeUsername(thumb.username));
      const { sees } = await viewerOf(context);
      if (context.consent.statistics && thumb && entry && sees(entry)) {
        await data.tx(context.scope, (tx) => countClick(tx, entry.id, thumb.kind));
      }
      return DONE;
    }),
    handleCall(logAnalytics)(async ({ event }, { scope, consent }) => {
      if (consent.statistics) await data.tx(scope, (tx) => countEvent(tx, event));
      return DONE;
    }),
    handleCall(getTrackers)(async (_input, { scope }) => {
      const directory = await directoryOf(scope.operatorId);
      return data.tx(scope, async (tx) => ({
        events: [...await listEvents(tx)],
        thumbs: (await listClicks(tx)).flatMap(({ performerId, kind, clicks }) => {
          const entry = directory.get(performerId);
          return entry ? [{ username: entry.username, kind, clicks }] : [];
        }),
      }));
    }),
    handleCall(getExperiments)(async (_input, { scope, caller, address, consent }) => ({
      experiments: EXPERIMENTS.map((name) => ({
        name,
        variants: [...VARIANTS],
        variant: consent.statistics ? variantOf(name, visitorKey(caller, address)) : CONTROL,
      })),
      bucket: caller.personId === null || !consent.statistics ? null : bucketOf(caller.personId),
      seoRooms: await data.tx(scope, async (tx) => (await seo.idsOf(tx)).size),
    })),
    casaSalsa(browsing),
  ];
}

function casaSalsa({ data: { clock }, broadcast, directoryOf, viewerOf }: Browsing): CallHandler {
  return handleCall(casaSalsaVoyeurs)(async ({ sortByConnection }, context) => {
    const directory = await directoryOf(context.scope.operatorId);
    const { sees, hidden } = await viewerOf(context);
    const now = clock.now().getTime();
    const { entries, total } = directory.list({
      filter: { ...CASA_SALSA, hidden: hiddenGenders(''), withoutIds: hidden },
      sort: 'recommended',
      sees,
      offset: 0,
      limit: directory.onlineCount,
      now,
    });
    const ordered = sortByConnection === '1'
      ? entries.toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0) || a.id - b.id)
      : entries;
    return {
      userList: ordered.slice(0, LISTING_PAGE).map((entry) => entryView(entry, broadcast, now)),
      totalCount: total,
    };
  });
}
