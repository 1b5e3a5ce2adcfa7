import {
  handleCall,
  subscribe,
  type CallHandler,
  type DeadlineHandler,
  type Subscription,
} from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { personChannel, topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { Person } from '#product/accounts/server.ts';
import { profileChanged } from '#product/performers/contract.ts';
import { recordingConsentOutdated } from '#product/recordings/contract.ts';
import { isCurrentConsent } from '#product/recordings/rules.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import { privateDeclined } from '../../contract.ts';
import {
  declinePrivate,
  exclusiveDisabled,
  getPrivateRequests,
  inShow,
  limitTooLow,
  ownPrivate,
  privateDisabled,
  privateExpired,
  privateLimitedShow,
  privateMinimum,
  privatePriceDiffers,
  privateQueue,
  privateRequested,
  privateRequestReceived,
  privateTipDiffers,
  privateUnavailable,
  privateVersus,
  privateVoyeur,
  privateWithdrawn,
  recordingDisabled,
  requestPrivate,
  requestUnknown,
  tooManyRequests,
  withdrawPrivate,
  type PrivateRequestView,
} from '../../contract/private-show.ts';
import {
  barOfRequest,
  MAX_OWN_REQUESTS,
  MAX_REQUESTS,
  priceNow,
  requestedShow,
  tokensToStart,
  VIEWER_CONSENT_VERSION,
  type RequestBar,
  type ShowEvent,
} from '../../rules/private.ts';
import {
  changePrivate,
  findOwnRequests,
  findPrivate,
  findQueue,
  findRequest,
  findRunning,
  insertRequest,
  lockPrivates,
  type PrivateRow,
} from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { offerOf, type OfferNow } from '../offers.ts';
import { isTicketShowInstalled } from '../tickets/installed.ts';
import { changeBy, PRIVATE_DEADLINE } from './changes.ts';
import type { RunningShows } from './running.ts';
import { namesOf, requestView } from './views.ts';

type RequestContext = HandlerContext<RefusalOf<typeof requestPrivate>, number>;

const BARS = {
  private_disabled: privateDisabled,
  private_voyeur: privateVoyeur,
  private_limited_show: privateLimitedShow,
  private_versus: privateVersus,
  private_unavailable: privateUnavailable,
} as const satisfies Record<RequestBar, unknown>;

/** Why a performer takes no request now, with the status of their room. */
export async function refusalReasonOf(
  { rooms, performers }: ShowsDependencies,
  tx: Tx,
  performerId: number,
  { offer }: OfferNow,
): Promise<{ readonly bar: RequestBar | null; readonly status: string }> {
  const status = (await rooms.statusOf(tx, [performerId])).get(performerId)?.status ?? 'offline';
  const activity = await rooms.activityOf(tx, performerId);
  const listing = (await performers.listingsOf(tx, [performerId])).get(performerId);
  return {
    status,
    bar: barOfRequest({
      chatStatus: status,
      offer,
      isTicketShowInstalled: await isTicketShowInstalled(tx, performerId),
      isVersusActive: activity === 'versus',
      isVoyeurCam: (listing?.voyeur_room ?? null) !== null,
    }),
  };
}

/** The queue of a performer as they see it, oldest first. */
async function queueOf(
  { accounts, ledger }: ShowsDependencies,
  tx: Tx,
  performerId: number,
): Promise<PrivateRequestView[]> {
  const rows = await findQueue(tx, performerId);
  const nameOf = await namesOf(accounts, tx, [performerId, ...rows.map(({ viewer_id: id }) => id)]);
  const balances = await ledger.balances(tx, rows.map(({ viewer_id: id }) => id));
  return rows.map((row) => requestView(row, nameOf, tx.now, balances.get(row.viewer_id) ?? 0));
}

export async function sendQueue(deps: ShowsDependencies, tx: Tx, performerId: number): Promise<void> {
  await tx.send(personChannel(performerId), privateQueue, { requests: await queueOf(deps, tx, performerId) });
}

type RequestEnd = Extract<ShowEvent, { readonly kind: 'declined' | 'withdrawn' | 'deadline' }>;

/** Closes a request; false if it was already over. Notifies nobody. */
export async function closeRequest(tx: Tx, row: PrivateRow, event: RequestEnd): Promise<boolean> {
  const change = changeBy(row, event, tx.now);
  if (!change) return false;
  await changePrivate(tx, row.id, change);
  await tx.unschedule(PRIVATE_DEADLINE, String(row.id));
  return true;
}

/** Closes a request, and notifies its viewer. */
export async function answerRequest(
  deps: ShowsDependencies,
  tx: Tx,
  row: PrivateRow,
  event: RequestEnd,
): Promise<boolean> {
  if (!(await closeRequest(tx, row, event))) return false;
  const nameOf = await namesOf(deps.accounts, tx, [row.performer_id, row.viewer_id]);
  const topic = roomTopic(row.performer_id);
  const toViewer = topicPersonChannel(topic, row.viewer_id);
  const names = { username: nameOf(row.viewer_id), broadcaster: nameOf(row.performer_id) };
  if (event.kind === 'declined') await tx.send(toViewer, privateDeclined, { username: names.broadcaster });
  else {
    const sent = event.kind === 'withdrawn' ? privateWithdrawn : privateExpired;
    await tx.send(toViewer, sent, names);
    await tx.send(topicPersonChannel(topic, row.performer_id), sent, names);
  }
  return true;
}

/** Declines requests for what the performer no longer offers: shows, exclusive shows, or recordings. */
export async function declineUnoffered(
  deps: ShowsDependencies,
  tx: Tx,
  performerId: number,
): Promise<void> {
  const queue = await findQueue(tx, performerId);
  if (queue.length === 0) return;
  const now = await offerOf(deps, tx, performerId);
  const { bar } = await refusalReasonOf(deps, tx, performerId, now);
  const isOver = bar === 'private_disabled' || bar === 'private_voyeur';
  const { isExclusiveEnabled, isRecordingEnabled } = now.offer;
  const gone = queue.filter(({ exclusive, recording }) =>
    isOver || (exclusive && !isExclusiveEnabled) || (recording && !isRecordingEnabled)
  );
  for (const row of gone) await answerRequest(deps, tx, row, { kind: 'declined' });
  if (gone.length > 0) await sendQueue(deps, tx, performerId);
}

/** All reasons against a request, checked in this order; the agreed terms if there is none. */
async function termsOf(
  deps: ShowsDependencies,
  tx: Tx,
  context: RequestContext,
  performer: Person,
  { exclusive, recording, consentVersion, limit, price: shown, preTip: shownTip }: {
    readonly exclusive: boolean;
    readonly recording: boolean;
    readonly consentVersion: number | undefined;
    readonly limit: number | null;
    readonly price: number;
    readonly preTip: number;
  },
): Promise<Refused<RefusalOf<typeof requestPrivate>> | { readonly price: number; readonly preTip: number }> {
  const { refuse } = context;
  const viewerId = context.personId;
  if (performer.id === viewerId) return refuse(ownPrivate);
  const now = await offerOf(deps, tx, performer.id);
  const { offer } = now;
  const { bar, status } = await refusalReasonOf(deps, tx, performer.id, now);
  if (bar !== null) return refuse(BARS[bar], { extra: { status } });
  if (exclusive && !offer.isExclusiveEnabled) return refuse(exclusiveDisabled);
  if (recording && !offer.isRecordingEnabled) return refuse(recordingDisabled);
  const version = VIEWER_CONSENT_VERSION;
  if (recording && !isCurrentConsent(consentVersion, version)) {
    return refuse(recordingConsentOutdated, { extra: { version } });
  }
  const price = priceNow(offer, exclusive, now.discountPercent);
  if (shown !== price) {
    return refuse(privatePriceDiffers, { values: { price }, extra: { price } });
  }
  const preTip = offer.isPreTipEnabled ? offer.preTipCost : 0;
  if (shownTip !== preTip) {
    return refuse(privateTipDiffers, { values: { tip: preTip }, extra: { pre_tip: preTip } });
  }
  const needed = tokensToStart(offer, price);
  if (limit !== null && limit < needed) return refuse(limitTooLow, { values: { needed }, extra: { needed } });
  if (await findRunning(tx, 'viewer_id', viewerId)) return refuse(inShow);
  if (await findRequest(tx, performer.id, viewerId)) return refuse(privateRequested);
  const waiting = (await findQueue(tx, performer.id)).length;
  if (waiting >= MAX_REQUESTS || (await findOwnRequests(tx, viewerId)).length >= MAX_OWN_REQUESTS) {
    return refuse(tooManyRequests);
  }
  const refused = await deps.ledger.maySpend(tx, viewerId, needed);
  if (refused?.status === 'insufficient' && needed > price) {
    return refuse(privateMinimum, { values: { needed }, extra: { needed } });
  }
  if (refused) return deps.ledger.refuse(tx, refused, { personId: viewerId, tokens: needed }, refuse);
  return { price, preTip };
}

function requestHandler(deps: ShowsDependencies): CallHandler {
  const { data, rooms, accounts, ledger } = deps;
  return handleCall(requestPrivate)(async (
    {
      username,
      exclusive = false,
      recording = false,
      recording_consent_version: consentVersion,
      limit = null,
      price: shown,
      pre_tip: preTip = 0,
    },
    context,
  ) =>
    data.tx(context.scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: performer } = entry;
      await lockPrivates(tx, performer.id);
      const terms = await termsOf(
        deps,
        tx,
        context,
        performer,
        { exclusive, recording, consentVersion, limit, price: shown, preTip },
      );
      if (terms instanceof Refused) return terms;
      const viewerId = context.personId;
      const { deadline } = requestedShow(tx.now.getTime());
      if (deadline === null) throw new Error('a request waits for ever');
      const row = await insertRequest(tx, {
        performer_id: performer.id,
        viewer_id: viewerId,
        exclusive,
        recording,
        price: terms.price,
        limit_tokens: limit,
        pre_tip: terms.preTip,
        deadline: new Date(deadline),
        recording_viewer_at: recording ? tx.now : null,
        recording_viewer_version: recording ? VIEWER_CONSENT_VERSION : null,
      });
      await tx.schedule({ kind: PRIVATE_DEADLINE, key: String(row.id), at: new Date(deadline) });
      const nameOf = await namesOf(accounts, tx, [performer.id, viewerId]);
      const view = requestView(row, nameOf, tx.now, null);
      await tx.send(topicPersonChannel(roomTopic(performer.id), viewerId), privateRequestReceived, view);
      await tx.send(
        personChannel(performer.id),
        privateRequestReceived,
        requestView(row, nameOf, tx.now, await ledger.balance(tx, viewerId)),
      );
      await sendQueue(deps, tx, performer.id);
      return view;
    })
  );
}

/** The person with a username; null for nobody. */
export const personNamed = (
  { accounts }: Pick<ShowsDependencies, 'accounts'>,
  tx: Tx,
  username: string,
): Promise<Person | null> => accounts.findByUsername(tx, normalizeUsername(username));

export function requestHandlers(deps: ShowsDependencies, shows: RunningShows): CallHandler[] {
  const { data } = deps;
  return [
    requestHandler(deps),
    handleCall(withdrawPrivate)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const performer = await personNamed(deps, tx, username);
        const row = performer && await findRequest(tx, performer.id, context.personId);
        if (!row || !(await answerRequest(deps, tx, row, { kind: 'withdrawn' }))) {
          return context.refuse(requestUnknown);
        }
        await sendQueue(deps, tx, row.performer_id);
        return { status: 1 as const };
      })
    ),
    handleCall(declinePrivate)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const viewer = await personNamed(deps, tx, username);
        const row = viewer && await findRequest(tx, context.personId, viewer.id);
        if (!row || !(await answerRequest(deps, tx, row, { kind: 'declined' }))) {
          return context.refuse(requestUnknown);
        }
        await sendQueue(deps, tx, row.performer_id);
        return { status: 1 as const };
      })
    ),
    handleCall(getPrivateRequests)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        const performerId = context.personId;
        const running = await findRunning(tx, 'performer_id', performerId);
        return {
          requests: await queueOf(deps, tx, performerId),
          running: running && shows.viewFor(tx.operatorId, running, performerId),
          can_watch_together: (await offerOf(deps, tx, performerId)).offer.isWatchPornTogetherEnabled,
        };
      })
    ),
  ];
}

/** An unanswered request expires. A show without video ends, and everything is given back. */
export const privateDeadline = (deps: ShowsDependencies, shows: RunningShows): DeadlineHandler => ({
  kind: PRIVATE_DEADLINE,
  handle: async ({ operatorId, key }) => {
    const isStarting = await deps.data.tx({ operatorId }, async (tx) => {
      const row = await findPrivate(tx, Number(key));
      if (row?.phase !== 'requested') return row?.phase === 'starting';
      if (await answerRequest(deps, tx, row, { kind: 'deadline', hasPicture: false })) {
        await sendQueue(deps, tx, row.performer_id);
      }
      return false;
    });
    if (isStarting) await shows.due({ operatorId }, Number(key));
  },
});

/** Declines requests for what the performer no longer offers, however the offer changed. */
export const offerWithdrawn = (deps: ShowsDependencies): Subscription =>
  subscribe(profileChanged, 'shows.requests.profileChanged')(async (
    { operatorId, payload: { performerId } },
  ) =>
    deps.data.tx({ operatorId }, async (tx) => {
      await lockPrivates(tx, performerId);
      await declineUnoffered(deps, tx, performerId);
    })
  );
