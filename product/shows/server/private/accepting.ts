import {
  handleCall, handleEvent, subscribe, type CallHandler, type EventHandler, type Subscription,
} from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { profileChanged } from '#product/performers/contract.ts';
import { recordingConsentOutdated } from '#product/recordings/contract.ts';
import { isCurrentConsent } from '#product/recordings/rules.ts';
import { personModerated } from '#product/rooms/contract/moderation.ts';
import { performerOfTopic, roomTopic } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import { localeOf } from '#product/tips/server.ts';
import { privateFailed } from '../../contract.ts';
import {
  acceptPrivate, checkPrivate, inShow, privateConsentMissing, privateLimitedShow, privateUnavailable,
  privateVersus, requestUnknown, viewerBusy, viewerShort,
} from '../../contract/private-show.ts';
import { endPrivate, getReceipts, notInShow, privatePing } from '../../contract/private-running.ts';
import { secondsFor } from '../../rules/meter.ts';
import { PERFORMER_CONSENT_VERSION, priceNow, RECEIPTS_PAGE, tokensToStart } from '../../rules/private.ts';
import {
  changePrivate, findOwnRequests, findQueue, findReceipts, findRequest, findRunning, lockPrivates,
  type PrivateRow,
} from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { offerOf } from '../offers.ts';
import { holdOperation, isPosted } from '../metering/payments.ts';
import { spendingOf } from '../metering/spending.ts';
import {
  answerRequest, refusalReasonOf, closeRequest, declineUnoffered, personNamed, sendQueue,
} from './requests.ts';
import {
  changeBy, PRIVATE_DEADLINE, PRIVATE_OPERATIONS, showWith, type Run, type RunningShows,
} from './running.ts';
import { meterOf, namesOf, receiptView, requestView } from './views.ts';

type AcceptContext = HandlerContext<RefusalOf<typeof acceptPrivate>, number>;
type AcceptRefused = Refused<RefusalOf<typeof acceptPrivate>>;

interface Acceptance {
  readonly username: string;
  /** Consent to the recording that the request may ask for. */
  readonly hasConsent: boolean;
  readonly consentVersion: number | undefined;
}

/** The request to accept, if nothing prevents it. */
async function acceptable(
  deps: ShowsDependencies, tx: Tx, context: AcceptContext,
  { username, hasConsent, consentVersion }: Acceptance,
): Promise<PrivateRow | AcceptRefused> {
  const { refuse } = context;
  const performerId = context.personId;
  await lockPrivates(tx, performerId);
  const viewer = await personNamed(deps, tx, username);
  const row = viewer && await findRequest(tx, performerId, viewer.id);
  if (!row || !changeBy(row, { kind: 'accepted' }, tx.now)) return refuse(requestUnknown);
  if (viewer.inactiveSince !== null || await deps.compliance.isPending(tx, viewer.id)) {
    await answerRequest(deps, tx, row, { kind: 'withdrawn' });
    await sendQueue(deps, tx, performerId);
    return refuse(requestUnknown);
  }
  if (await findRunning(tx, 'performer_id', performerId)) return refuse(inShow);
  if (await findRunning(tx, 'viewer_id', row.viewer_id)) return refuse(viewerBusy);
  // Nobody can accept a request for what the performer stopped offering a moment ago.
  await declineUnoffered(deps, tx, performerId);
  if (!(await findRequest(tx, performerId, row.viewer_id))) return refuse(requestUnknown);
  if (row.recording && !hasConsent) return refuse(privateConsentMissing);
  const version = PERFORMER_CONSENT_VERSION;
  if (row.recording && !isCurrentConsent(consentVersion, version)) {
    return refuse(recordingConsentOutdated, { extra: { version } });
  }
  const { bar } = await refusalReasonOf(deps, tx, performerId, await offerOf(deps, tx, performerId));
  if (bar === 'private_limited_show') return refuse(privateLimitedShow);
  if (bar === 'private_versus') return refuse(privateVersus);
  return bar === 'private_unavailable' ? refuse(privateUnavailable) : row;
}

/** Sets the first minute aside, with the tip before it; false when the viewer cannot pay for them. */
async function holdFirst(deps: ShowsDependencies, tx: Tx, row: PrivateRow): Promise<number | null> {
  const nameOf = await namesOf(deps.accounts, tx, [row.performer_id, row.viewer_id]);
  const { limit } = meterOf(row);
  const held = limit === null ? row.price : Math.min(row.price, limit);
  const names = { viewerName: nameOf(row.viewer_id), performerName: nameOf(row.performer_id) };
  const [outcome] = await deps.ledger.post(tx, [holdOperation(deps.ledger, PRIVATE_OPERATIONS, row, names, {
    number: 1, tokens: held + row.pre_tip, now: tx.now,
  })]);
  return isPosted(outcome) ? held : null;
}

/** Declines everybody else's requests, and withdraws the viewer's own requests elsewhere. */
async function clearQueues(deps: ShowsDependencies, tx: Tx, row: PrivateRow): Promise<void> {
  for (const other of await findQueue(tx, row.performer_id)) {
    await answerRequest(deps, tx, other, { kind: 'declined' });
  }
  for (const other of await findOwnRequests(tx, row.viewer_id)) {
    await answerRequest(deps, tx, other, { kind: 'withdrawn' });
    await sendQueue(deps, tx, other.performer_id);
  }
  await sendQueue(deps, tx, row.performer_id);
}

async function accept(
  deps: ShowsDependencies, shows: RunningShows, tx: Tx, context: AcceptContext, acceptance: Acceptance,
): Promise<AcceptRefused | Run> {
  const row = await acceptable(deps, tx, context, acceptance);
  if (row instanceof Refused) return row;
  const held = await holdFirst(deps, tx, row);
  if (held === null) {
    // Nobody declined it: the viewer is sent the true reason instead.
    await closeRequest(tx, row, { kind: 'declined' });
    await sendQueue(deps, tx, row.performer_id);
    const viewer = await deps.accounts.findById(tx, row.viewer_id);
    await tx.send(topicPersonChannel(roomTopic(row.performer_id), row.viewer_id), privateFailed, {
      errorType: 'not_enough_tokens', error: viewer && deps.text(localeOf(viewer), 'shows:notPaid'),
    });
    return context.refuse(viewerShort);
  }
  if (!(await deps.rooms.takeActivity(tx, row.performer_id, 'private'))) {
    throw new Error(`performer ${row.performer_id} is busy with something that nobody saw`);
  }
  const change = changeBy(row, { kind: 'accepted' }, tx.now);
  if (!change?.deadline) throw new Error(`request ${row.id} cannot be accepted`);
  const accepted = await changePrivate(tx, row.id, {
    ...change, accepted_at: tx.now, held, hold_number: 1,
    ...(row.recording_viewer_at === null ? {} : {
      recording_performer_at: tx.now, recording_performer_version: PERFORMER_CONSENT_VERSION,
    }),
  });
  await tx.schedule({ kind: PRIVATE_DEADLINE, key: String(row.id), at: new Date(change.deadline) });
  await clearQueues(deps, tx, row);
  await deps.rooms.sendShowChat(tx, row.performer_id, [row.performer_id, row.viewer_id]);
  return shows.accepted(tx, accepted);
}

function acceptHandler(deps: ShowsDependencies, shows: RunningShows): CallHandler {
  return handleCall(acceptPrivate)(async (
    { username, recording_consent: hasConsent = false, recording_consent_version: consentVersion }, context,
  ) => {
    let run: Run | null = null;
    const accepted = await deps.data.tx(context.scope, async (tx) => {
      const outcome = await accept(deps, shows, tx, context, { username, hasConsent, consentVersion });
      if (!(outcome instanceof Refused)) run = outcome;
      return outcome;
    }).catch((error: unknown) => {
      if (run) shows.forget(run);
      throw error;
    });
    if (accepted instanceof Refused) return accepted;
    // If moving the video fails there is none: the show ends by itself, and everything is given back.
    await shows.begin(accepted).catch(deps.onError);
    const view = shows.viewFor(accepted.operatorId, accepted.row, context.personId);
    return view ?? context.refuse(requestUnknown);
  });
}

function endHandler(deps: ShowsDependencies, shows: RunningShows): CallHandler {
  return handleCall(endPrivate)(async ({ username }, context) => {
    const me = context.personId;
    const row = await deps.data.tx(context.scope, async (tx) => {
      const named = await personNamed(deps, tx, username);
      if (!named) return null;
      // Either person may name the other, and a performer may also name their own room.
      const ofPerformer = await showWith(tx, me, named.id);
      return ofPerformer ?? showWith(tx, named.id, me);
    });
    if (!row) return context.refuse(notInShow);
    const reason = row.performer_id === me ? 'model_ended' : 'user_ended';
    const receipt = await shows.end(context.scope.operatorId, row, { kind: 'over', reason });
    if (!receipt) return context.refuse(notInShow);
    return row.performer_id === me ? { ...receipt, limit: null } : receipt;
  });
}

function checkHandler(deps: ShowsDependencies, shows: RunningShows): CallHandler {
  const { data, rooms, ledger, accounts } = deps;
  return handleCall(checkPrivate)(async ({ username }, context) => data.tx(context.scope, async (tx) => {
    const entry = await rooms.enter(tx, context, username);
    if ('refused' in entry) return refuseEntry(context, entry.refused);
    const { owner: { id, username: name } } = entry;
    const me = context.personId;
    const now = await offerOf(deps, tx, id);
    const { offer, discountPercent: percent } = now;
    const { tokens, spendable, avail, day } = await spendingOf(ledger, tx, me);
    const preTip = offer.isPreTipEnabled ? offer.preTipCost : 0;
    const price = priceNow(offer, false, percent);
    const exclusive = offer.isExclusiveEnabled ? priceNow(offer, true, percent) : null;
    const secondsAt = (one: number): number => secondsFor(one, Math.max(0, spendable - preTip));
    const request = await findRequest(tx, id, me);
    const running = await showWith(tx, id, me);
    const nameOf = await namesOf(accounts, tx, [id, me]);
    return {
      username: name, bar: (await refusalReasonOf(deps, tx, id, now)).bar, cost_per_minute: price,
      exclusive_cost_per_minute: exclusive, is_recording_enabled: offer.isRecordingEnabled, pre_tip: preTip,
      minimum_minutes: offer.privateMinimumDuration, tokens_to_start: tokensToStart(offer, price),
      exclusive_tokens_to_start: exclusive === null ? null : tokensToStart(offer, exclusive), tokens,
      spendable, avail, day,
      seconds: secondsAt(price), exclusive_seconds: exclusive === null ? null : secondsAt(exclusive),
      stream_bits_per_second: await shows.bitsOf(tx, id),
      request: request && requestView(request, nameOf, tx.now, null),
      running: running && shows.viewFor(tx.operatorId, running, me),
    };
  }));
}

function receiptsHandler({ data, accounts }: ShowsDependencies): CallHandler {
  return handleCall(getReceipts)(async ({ before }, context) => data.tx(context.scope, async (tx) => {
    const me = context.personId;
    const found = await findReceipts(tx, me, before ?? null);
    const { page: rows, next } = pageOf(found, RECEIPTS_PAGE);
    const nameOf = await namesOf(accounts, tx, rows.flatMap((row) => [row.viewer_id, row.performer_id]));
    return {
      receipts: rows.map((row) => receiptView(row, nameOf, me)),
      next,
    };
  }));
}

export const showHandlers = (deps: ShowsDependencies, shows: RunningShows): CallHandler[] => [
  acceptHandler(deps, shows), endHandler(deps, shows), checkHandler(deps, shows), receiptsHandler(deps),
];

/** Forwards a keep-alive to the other person, under the sender's real name, and does nothing else. */
export const pingHandler = ({ bus }: ShowsDependencies, shows: RunningShows): EventHandler =>
  handleEvent(privatePing)(async (_payload, { topic, caller, scope: { operatorId } }) => {
    const performerId = performerOfTopic(topic);
    const { personId, username } = caller;
    const other = personId === null ? null : shows.otherOf(operatorId, performerId, personId);
    if (other === null || username === null) return;
    bus.publish({
      operatorId, channel: topicPersonChannel(roomTopic(performerId), other), name: privatePing.name,
      payload: { from: username },
    });
  });

/** A viewer who is banned or kicked from a room loses their request, and the show they are in. */
export const removedViewers = (deps: ShowsDependencies, shows: RunningShows): Subscription =>
  subscribe(personModerated, 'shows.personModerated')(async (
    { operatorId, payload: { performerId, personId, type, action } },
  ) => {
    if (action !== 'add' || personId === null || (type !== 'banned' && type !== 'kicked')) return;
    const row = await deps.data.tx({ operatorId }, async (tx) => {
      const request = await findRequest(tx, performerId, personId);
      if (request && await answerRequest(deps, tx, request, { kind: 'declined' })) {
        await sendQueue(deps, tx, performerId);
      }
      return showWith(tx, performerId, personId);
    });
    if (row?.viewer_id === personId) {
      await shows.end(operatorId, row, { kind: 'over', reason: 'model_ended' });
    }
  });

/** Declines requests for what the performer no longer offers, however the offer changed. */
export const offerWithdrawn = (deps: ShowsDependencies): Subscription =>
  subscribe(profileChanged, 'shows.requests.profileChanged')(async (
    { operatorId, payload: { performerId } },
  ) => deps.data.tx({ operatorId }, async (tx) => {
    await lockPrivates(tx, performerId);
    await declineUnoffered(deps, tx, performerId);
  }));
