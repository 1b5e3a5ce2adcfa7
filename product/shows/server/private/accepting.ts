import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { recordingConsentOutdated } from '#product/recordings/contract.ts';
import { isCurrentConsent } from '#product/recordings/rules.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { localeOf } from '#product/tips/server.ts';
import { privateFailed } from '../../contract.ts';
import {
  acceptPrivate,
  inShow,
  privateConsentMissing,
  privateLimitedShow,
  privateUnavailable,
  privateVersus,
  requestUnknown,
  viewerBusy,
  viewerShort,
} from '../../contract/private-show.ts';
import { PERFORMER_CONSENT_VERSION } from '../../rules/private.ts';
import {
  changePrivate,
  findOwnRequests,
  findQueue,
  findRequest,
  findRunning,
  lockPrivates,
  type PrivateRow,
} from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import type { TakeUp } from '../metering/metering.ts';
import { holdOperation, isPosted } from '../metering/payments.ts';
import { offerOf } from '../offers.ts';
import { changeBy, PRIVATE_DEADLINE } from './changes.ts';
import { PRIVATE_OPERATIONS, type Run } from './metered-show.ts';
import {
  answerRequest,
  closeRequest,
  declineUnoffered,
  personNamed,
  refusalReasonOf,
  sendQueue,
} from './requests.ts';
import type { RunningShows } from './running.ts';
import { limitOf, namesOf } from './views.ts';

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
  deps: ShowsDependencies,
  tx: Tx,
  context: AcceptContext,
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
  const limit = limitOf(row);
  const held = limit === null ? row.price : Math.min(row.price, limit);
  const names = { viewerName: nameOf(row.viewer_id), performerName: nameOf(row.performer_id) };
  const [outcome] = await deps.ledger.post(tx, [holdOperation(deps.ledger, PRIVATE_OPERATIONS, row, names, {
    number: 1,
    tokens: held + row.pre_tip,
    now: tx.now,
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
  deps: ShowsDependencies,
  tx: Tx,
  context: AcceptContext,
  acceptance: Acceptance,
  takeUp: TakeUp<PrivateRow>,
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
      errorType: 'not_enough_tokens',
      error: viewer && deps.text(localeOf(viewer), 'shows:notPaid'),
    });
    return context.refuse(viewerShort);
  }
  if (!(await deps.rooms.takeActivity(tx, row.performer_id, 'private'))) {
    throw new Error(`performer ${row.performer_id} is busy with something that nobody saw`);
  }
  const change = changeBy(row, { kind: 'accepted' }, tx.now);
  if (!change?.deadline) throw new Error(`request ${row.id} cannot be accepted`);
  const accepted = await changePrivate(tx, row.id, {
    ...change,
    accepted_at: tx.now,
    held,
    hold_number: 1,
    ...(row.recording_viewer_at === null ? {} : {
      recording_performer_at: tx.now,
      recording_performer_version: PERFORMER_CONSENT_VERSION,
    }),
  });
  await tx.schedule({ kind: PRIVATE_DEADLINE, key: String(row.id), at: new Date(change.deadline) });
  await clearQueues(deps, tx, row);
  await deps.rooms.sendShowChat(tx, row.performer_id, [row.performer_id, row.viewer_id]);
  // The video has not moved yet, so there is no stream.
  return takeUp(accepted, null);
}

export function acceptHandler(deps: ShowsDependencies, shows: RunningShows): CallHandler {
  return handleCall(acceptPrivate)(async (
    { username, recording_consent: hasConsent = false, recording_consent_version: consentVersion },
    context,
  ) => {
    const acceptance = { username, hasConsent, consentVersion };
    const accepted = await shows.metering.unit(
      context.scope,
      (tx, takeUp) => accept(deps, tx, context, acceptance, takeUp),
    );
    if (accepted instanceof Refused) return accepted;
    // If moving the video fails there is none: the show ends by itself, and everything is given back.
    await shows.begin(accepted).catch(deps.onError);
    const view = shows.viewFor(accepted.operatorId, accepted.row, context.personId);
    return view ?? context.refuse(requestUnknown);
  });
}
