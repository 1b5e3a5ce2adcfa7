import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { performerUnknown } from '#product/compliance/contract.ts';
import { nextTimes } from '#product/performers/rules.ts';
import { getBio, performerGone } from '../contract/search.ts';
import type { Browsing } from './dependencies.ts';
import { entryView } from './entries.ts';
import type { Peopled } from './popular/peopled.ts';
import { publicEntry } from './sharing/public.ts';

const iso = (instant: number): string => new Date(instant).toISOString();

/** Handlers of bios. They query the database to check who may read what a performer wrote. */
export function bioHandlers(browsing: Browsing, peopled: Peopled): CallHandler[] {
  const { data, accounts, compliance, performers, broadcast, directoryOf, viewerOf } = browsing;
  return [
    handleCall(getBio)(async ({ username: named }, context) => {
      const directory = await directoryOf(context.scope.operatorId);
      const said = await data.tx(context.scope, async (tx) => {
        const person = await accounts.findByUsername(tx, normalizeUsername(named));
        const isShown = person !== null
          && await compliance.mayPerceive(tx, compliance.viewerOf(context), person.id, 'listing');
        if (!isShown) return null;
        const listing = (await performers.listingsOf(tx, [person.id])).get(person.id);
        const pictures = await performers.picturesOf(tx, person.id);
        const profile = await accounts.profileOf(tx, person.id);
        const isStaff = (await accounts.staffAmong(tx, [person])).size > 0;
        const next = nextTimes(listing?.schedule ?? [], listing?.time_zone ?? null, tx.now.getTime());
        const { username, displayName, about } = person;
        return { username, displayName, isStaff, about, ...profile, pictures, next };
      });
      // By the current username: the address may have one that was given up.
      const entry = said === null ? undefined : directory.named(said.username);
      if (!said || !entry) {
        const isGone = compliance.viewerOf(context).gate === 'open'
          && await data.tx(context.scope, (tx) => accounts.wasErased(tx, normalizeUsername(named)));
        return context.refuse(isGone ? performerGone : performerUnknown);
      }
      const listings = [
        ...(entry.studio === null ? [] : [`/browse-studio/${entry.studio}`]),
        ...entry.roles.map((role) => `/browse-role/${role}`),
      ].map((path) => ({ path }));
      const leading = await peopled.among(listings, context.scope, directory, await viewerOf(context));
      return {
        // The directory's name may be old: a staff name ends with its badge, which no fact reports.
        performer: {
          ...entryView(entry, broadcast, data.clock.now().getTime()),
          displayName: said.displayName,
        },
        about: said.about,
        ...(said.isStaff ? { isStaff: true } : {}),
        exclusivePrice: entry.exclusivePrice,
        controlRate: entry.controlRate,
        offersCam2Cam: entry.offersCam2Cam,
        isGroup: said.isGroup,
        schedule: said.next.map(({ startsAt, endsAt }) => ({ startsAt: iso(startsAt), endsAt: iso(endsAt) })),
        socialMedia: said.socialMedia,
        pictures: [...said.pictures],
        studio: entry.studio,
        roleList: [...entry.roles],
        peopledList: leading.map(({ path }) => path),
        hasCalendar: await publicEntry(browsing, context.scope, said.username) !== null,
      };
    }),
  ];
}
