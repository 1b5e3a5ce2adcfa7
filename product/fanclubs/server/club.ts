import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { blockedWords } from '#product/accounts/extension-points.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import {
  closeAnnouncement,
  clubChanged,
  descriptionBlocked,
  getAnnouncement,
  getFans,
  getOwnClub,
  listMembers,
  pricesUneven,
  saveOwnClub,
  type ClubView,
} from '../contract.ts';
import { FANCLUB_SHARE_PERCENT, MEMBERS_PAGE, perksOf, pricesAscend } from '../rules.ts';
import {
  countMembers,
  findClub,
  findMembership,
  hasSeenAnnouncement,
  membersOf,
  seeAnnouncement,
  shutClub,
  writeClub,
} from '../store.ts';
import type { FanclubsDependencies } from './dependencies.ts';
import { membershipView, tiersOf } from './views.ts';

export function clubHandlers(deps: FanclubsDependencies): CallHandler[] {
  const { data } = deps;
  return [
    fansHandler(deps),
    membersHandler(deps),
    handleCall(getOwnClub)(async (_input, { scope, personId }) =>
      data.tx(scope, async (tx) => ({
        club: await findClub(tx, personId),
        members: await countMembers(tx, personId),
        share_percent: FANCLUB_SHARE_PERCENT,
      }))
    ),
    handleCall(saveOwnClub)(async (club, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const saved = await saveClub(deps.extensions, tx, personId, club);
        if (saved === 'uneven') return refuse(pricesUneven);
        return saved === 'blocked' ? refuse(descriptionBlocked) : { club: saved };
      })
    ),
    handleCall(getAnnouncement)(async (_input, { scope, personId }) =>
      data.tx(scope, async (tx) => ({
        is_new: !(await hasSeenAnnouncement(tx, personId)),
        share_percent: FANCLUB_SHARE_PERCENT,
      }))
    ),
    handleCall(closeAnnouncement)(async (_input, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        await seeAnnouncement(tx, personId);
        return { status: 1 as const };
      })
    ),
  ];
}

/** Stores a cleaned club and publishes the change, or returns a refusal. */
export async function saveClub(
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  club: ClubView,
): Promise<ClubView | 'uneven' | 'blocked'> {
  if (!pricesAscend(club.prices)) return 'uneven';
  const { supporter, insider, legend } = club.perks;
  const cleaned: ClubView = {
    ...club,
    description: cleanLines(club.description),
    perks: { supporter: perksOf(supporter), insider: perksOf(insider), legend: perksOf(legend) },
  };
  const words = [cleaned.description, ...Object.values(cleaned.perks).flat()].join('\n');
  if (await extensions.one(blockedWords)(tx, words)) return 'blocked';
  await writeClub(tx, performerId, cleaned);
  await publishClub(tx, performerId);
  return cleaned;
}

const publishClub = (tx: Tx, performerId: number): Promise<void> =>
  tx.publish(clubChanged, `performer:${performerId}`, { performerId });

/** Closes the club of a performer who leaves: it takes no members, and renews none. */
export async function closeClub(tx: Tx, performerId: number): Promise<void> {
  if (await shutClub(tx, performerId)) await publishClub(tx, performerId);
}

function fansHandler({ data, rooms }: FanclubsDependencies): CallHandler {
  return handleCall(getFans)(async ({ username, profile }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: { id, displayName, username: name } } = entry;
      const { personId } = context.caller;
      const membership = personId === null ? null : await findMembership(tx, id, personId);
      const own = membership && membershipView(membership, tx.now);
      const answer = { username: name, membership: own?.state === 'ended' ? null : own };
      if (profile === undefined) return { ...answer, profile: null };
      const club = await findClub(tx, id);
      const members = await countMembers(tx, id);
      return {
        ...answer,
        profile: {
          display_name: displayName,
          enabled: club.enabled,
          description: club.enabled ? club.description : '',
          tiers: tiersOf(club, membership, tx.now.getTime(), personId === id),
          member_count: Object.values(members).reduce((sum, count) => sum + count, 0),
        },
      };
    })
  );
}

/** The members of the caller's own club; there is no way to request another club's. */
function membersHandler({ data, accounts }: FanclubsDependencies): CallHandler {
  return handleCall(listMembers)(async ({ before, level }, { scope, personId }) =>
    data.tx(scope, async (tx) => {
      const found = await membersOf(tx, personId, { before, level, limit: MEMBERS_PAGE + 1 });
      const { page, next } = pageOf(found, MEMBERS_PAGE);
      const people = await accounts.findMany(tx, page.map(({ memberId }) => memberId));
      const staff = await accounts.staffAmong(tx, people.values());
      return {
        members: page.flatMap((membership) => {
          const person = people.get(membership.memberId);
          return person
            ? [{
              ...membershipView(membership, tx.now),
              username: person.username,
              display_name: person.displayName,
              ...(staff.has(person.id) ? { is_staff: true } : {}),
            }]
            : [];
        }),
        next,
      };
    })
  );
}
