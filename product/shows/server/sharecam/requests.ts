import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { personChannel, topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import {
  adultPending,
  adultUnconfirmed,
  checkSharecam,
  declineSharecam,
  getSharecams,
  ownSharecam,
  requestSharecam,
  sharecamDeclined,
  sharecamDisabled,
  sharecamExpired,
  sharecamFull,
  sharecamOpen,
  sharecamPriceDiffers,
  sharecamRequested,
  sharecamUnavailable,
  sharecamUnknown,
  sharecamWithdrawn,
  withdrawSharecam,
} from '../../contract/sharecam.ts';
import { secondsFor } from '../../rules/meter.ts';
import {
  barOfSharecam,
  MAX_SHARECAM_REQUESTS,
  SHARECAM_REQUEST_MS,
  sharecamPrice,
  type SharecamBar,
  type SharecamMode,
} from '../../rules/sharecam.ts';
import {
  changeSharecam,
  findOwnSharecam,
  findSharecam,
  findSharecams,
  insertSharecam,
  lockSharecams,
  type SharecamRow,
} from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { personNamed } from '../private/requests.ts';
import { namesOf } from '../private/views.ts';
import { listOf, sendSharecams } from './list.ts';
import type { RunningSharecams } from './running.ts';
import { sharecamConditions, sharecamRequestView } from './views.ts';

/** Deadline of requests that nobody answers. */
export const SHARECAM_DEADLINE = 'shows.sharecamDeadline';

export const SHARECAM_REFUSALS = {
  sharecam_disabled: sharecamDisabled,
  sharecam_unavailable: sharecamUnavailable,
} as const satisfies Record<SharecamBar, unknown>;

/** The chat status of a performer's room. */
export const chatStatusOf = async (
  { rooms }: Pick<ShowsDependencies, 'rooms'>,
  tx: Tx,
  performerId: number,
): Promise<string> => (await rooms.statusOf(tx, [performerId])).get(performerId)?.status ?? 'offline';

/** Closes a request, and notifies its viewer; false if it is no longer pending. */
export async function answerSharecam(
  deps: ShowsDependencies,
  sharecams: RunningSharecams,
  tx: Tx,
  row: SharecamRow,
  phase: 'declined' | 'withdrawn' | 'expired',
): Promise<boolean> {
  if (row.phase !== 'requested') return false;
  await changeSharecam(tx, row.id, { phase, deadline: null });
  await tx.unschedule(SHARECAM_DEADLINE, String(row.id));
  const { performer_id: performerId, viewer_id: viewerId } = row;
  const toViewer = topicPersonChannel(roomTopic(performerId), viewerId);
  const people = await deps.accounts.findMany(tx, [performerId, viewerId]);
  const [performer, viewer] = [people.get(performerId), people.get(viewerId)];
  if (!performer || !viewer) throw new Error(`sharecam ${row.id} is between people without accounts`);
  if (phase === 'declined') {
    await tx.send(toViewer, sharecamDeclined, { model_display_name: performer.displayName });
  } else {
    const names = { username: viewer.username, broadcaster: performer.username };
    await tx.send(toViewer, phase === 'expired' ? sharecamExpired : sharecamWithdrawn, names);
  }
  await sendSharecams(deps, sharecams, tx, performerId);
  return true;
}

type RequestContext = HandlerContext<RefusalOf<typeof requestSharecam>, number>;

/** All reasons against a request, checked in this order; the agreed price if there is none. */
async function termsOf(
  deps: ShowsDependencies,
  tx: Tx,
  context: RequestContext,
  performer: Person,
  { mode, price: shown, adult }: {
    readonly mode: SharecamMode;
    readonly price: number;
    readonly adult: boolean;
  },
): Promise<Refused<RefusalOf<typeof requestSharecam>> | { readonly price: number }> {
  const { refuse } = context;
  const viewerId = context.personId;
  if (performer.id === viewerId) return refuse(ownSharecam);
  const status = await chatStatusOf(deps, tx, performer.id);
  const conditions = await sharecamConditions(deps, tx, status, performer.id, viewerId);
  const bar = barOfSharecam(mode, conditions);
  if (bar !== null) return refuse(SHARECAM_REFUSALS[bar], { extra: { status } });
  if (!adult) return refuse(adultUnconfirmed);
  if (await deps.compliance.isPending(tx, viewerId)) return refuse(adultPending);
  const price = sharecamPrice(mode, conditions.offer);
  if (shown !== price) return refuse(sharecamPriceDiffers, { values: { price }, extra: { price } });
  const requests = (await findSharecams(tx, performer.id)).filter(({ phase }) => phase === 'requested');
  if (requests.length >= MAX_SHARECAM_REQUESTS) return refuse(sharecamFull);
  const refused = price === 0 ? null : await deps.ledger.maySpend(tx, viewerId, price);
  if (refused) return deps.ledger.refuse(tx, refused, { personId: viewerId, tokens: price }, refuse);
  return { price };
}

function requestHandler(deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler {
  const { data, rooms, accounts } = deps;
  return handleCall(requestSharecam)(async ({ username, ...wish }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: performer } = entry;
      await lockSharecams(tx, performer.id);
      const terms = await termsOf(deps, tx, context, performer, wish);
      if (terms instanceof Refused) return terms;
      const viewerId = context.personId;
      const deadline = new Date(tx.now.getTime() + SHARECAM_REQUEST_MS);
      const row = await insertSharecam(tx, {
        performer_id: performer.id,
        viewer_id: viewerId,
        mode: wish.mode,
        price: terms.price,
        deadline,
      });
      if (!row) return context.refuse(sharecamOpen);
      await tx.schedule({ kind: SHARECAM_DEADLINE, key: String(row.id), at: deadline });
      const nameOf = await namesOf(accounts, tx, [performer.id, viewerId]);
      const view = sharecamRequestView(row, nameOf, tx.now);
      await tx.send(topicPersonChannel(roomTopic(performer.id), viewerId), sharecamRequested, view);
      await tx.send(personChannel(performer.id), sharecamRequested, view);
      await sendSharecams(deps, sharecams, tx, performer.id);
      return view;
    })
  );
}

/** The open sharecam of a viewer with a performer; null for none. */
export async function sharecamBetween(
  tx: Tx,
  viewerId: number,
  performerId: number,
): Promise<SharecamRow | null> {
  const row = await findOwnSharecam(tx, viewerId);
  return row?.performer_id === performerId ? row : null;
}

/** The caller's open sharecam with a person, as its viewer or its performer. */
export async function sharecamWith(
  deps: ShowsDependencies,
  tx: Tx,
  me: number,
  username: string,
): Promise<SharecamRow | null> {
  const other = await personNamed(deps, tx, username);
  if (!other) return null;
  return await sharecamBetween(tx, me, other.id) ?? sharecamBetween(tx, other.id, me);
}

function checkHandler(deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler {
  const { data, rooms, ledger, accounts, compliance } = deps;
  return handleCall(checkSharecam)(async ({ username }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: { id, username: name } } = entry;
      const me = context.personId;
      const conditions = await sharecamConditions(deps, tx, await chatStatusOf(deps, tx, id), id, me);
      const wayOf = (mode: SharecamMode) => ({
        bar: barOfSharecam(mode, conditions),
        cost_per_minute: sharecamPrice(mode, conditions.offer),
      });
      const tokens = await ledger.balance(tx, me);
      const own = await findOwnSharecam(tx, me);
      const here = own?.performer_id === id ? own : null;
      const nameOf = await namesOf(accounts, tx, [id, me, ...(own ? [own.performer_id] : [])]);
      return {
        username: name,
        public: wayOf('public'),
        private: wayOf('private'),
        tokens,
        seconds: secondsFor(conditions.offer.pricePerMinuteInPublicInToken, tokens),
        minimum_age: compliance.policyOf(tx, compliance.viewerOf(context).region).minimumAge,
        request: here?.phase === 'requested' ? sharecamRequestView(here, nameOf, tx.now) : null,
        running: here && sharecams.viewOf(tx.operatorId, here.id, 'viewer'),
        elsewhere: own && !here ? nameOf(own.performer_id) : null,
      };
    })
  );
}

export function sharecamRequestHandlers(
  deps: ShowsDependencies,
  sharecams: RunningSharecams,
): CallHandler[] {
  const { data } = deps;
  return [
    requestHandler(deps, sharecams),
    checkHandler(deps, sharecams),
    handleCall(withdrawSharecam)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const performer = await personNamed(deps, tx, username);
        if (performer) await lockSharecams(tx, performer.id);
        const row = performer && await sharecamBetween(tx, context.personId, performer.id);
        const isDone = row && await answerSharecam(deps, sharecams, tx, row, 'withdrawn');
        return isDone ? { status: 1 as const } : context.refuse(sharecamUnknown);
      })
    ),
    handleCall(declineSharecam)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        await lockSharecams(tx, context.personId);
        const viewer = await personNamed(deps, tx, username);
        const row = viewer && await sharecamBetween(tx, viewer.id, context.personId);
        const isDone = row && await answerSharecam(deps, sharecams, tx, row, 'declined');
        return isDone ? { status: 1 as const } : context.refuse(sharecamUnknown);
      })
    ),
    handleCall(getSharecams)(async (_input, context) =>
      data.tx(context.scope, (tx) => listOf(deps, sharecams, tx, context.personId))
    ),
  ];
}

/** An unanswered request expires. */
export const sharecamDeadline = (
  deps: ShowsDependencies,
  sharecams: RunningSharecams,
): DeadlineHandler => ({
  kind: SHARECAM_DEADLINE,
  handle: async ({ operatorId, key }) =>
    deps.data.tx({ operatorId }, async (tx) => {
      const row = await findSharecam(tx, Number(key));
      if (row) await answerSharecam(deps, sharecams, tx, row, 'expired');
    }),
});
