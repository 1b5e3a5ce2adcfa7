import { hostRefusals, type RefusalDetail } from '#platform/contract/refusal.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { EngineRefused, type PublishOptions } from '#platform/streaming/engine.ts';
import { suspended } from '#product/accounts/contract.ts';
import { clearanceMissing, hiddenNow } from '#product/compliance/contract.ts';
import { codecUnsupported, overloaded } from '../../contract.ts';
import { adminMissing, emailUnconfirmed, type NOT_ADMITTED } from '../../contract/admission.ts';
import type { readmitEncoder } from '../../contract/readmission.ts';
import { alreadyLive } from '../../contract/settings.ts';
import { offerMalformed, streamKeyInvalid, streamTaken, type whip } from '../../contract/webrtc.ts';
import { openingMode } from '../../extension-points.ts';
import { openLifecycle, OVERLOAD_RETRY_SECONDS, transition, type PlaybackMode } from '../../rules.ts';
import {
  bindBrowserKey,
  insertBroadcast,
  lockOpen,
  saveTakeover,
  type Broadcast,
  type Publisher,
} from '../../store.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { scheduleDeadline, sendState } from '../lifecycle.ts';
import type { PublisherConnection } from './replaced.ts';

/** A request to publish, over any protocol. */
export interface Applicant<Opened extends { readonly session: string }> {
  readonly scope: OperatorScope;
  /** Finds the publisher by its key; called again after the engine has answered, because keys expire. */
  readonly identify: (tx: Tx) => Promise<Publisher | null>;
  /** The session to resume after its relay was lost; it must still be the current one. */
  readonly resumes?: string | undefined;
  /** Protocol and address it uses. */
  readonly connection: PublisherConnection;
  /** Opens a publish session in the engine. */
  readonly open: (stream: string, options: PublishOptions) => Promise<Opened>;
}
/** An applicant who may replace any publisher of the performer, or only one whose media has paused. */
export type Opening<Opened extends { readonly session: string }> = Applicant<Opened> & {
  readonly onlyPaused: boolean;
};
type Request = Pick<Applicant<never>, 'scope' | 'identify' | 'resumes'>;

/** A refused publisher. */
export interface NotPublished {
  readonly refused: (typeof whip)['refusals'][number];
  readonly detail?: RefusalDetail;
}

/** A publisher who may go on the air. */
interface Admitted {
  readonly publisher: Publisher;
  readonly clearanceId: number;
  readonly open: Broadcast | null;
  /** Mode of the running broadcast, or the one in which a new one opens. */
  readonly mode: PlaybackMode;
}
export type Admission = NotPublished | Admitted;

/** Why a performer may not publish; else the clearance they publish by. */
export async function mayPublish(
  { accounts, compliance }: Pick<BroadcastDependencies, 'accounts' | 'compliance'>,
  tx: Tx,
  performerId: number,
): Promise<{ readonly refused: (typeof NOT_ADMITTED)[number] } | { readonly clearanceId: number }> {
  const person = await accounts.findById(tx, performerId);
  if (!person || person.inactiveSince !== null) return { refused: suspended };
  if (await accounts.lacksSecondStep(tx, person)) return { refused: hostRefusals.twoFactorRequired };
  if (await accounts.lacksAdmin(tx)) return { refused: adminMissing };
  if (!(await accounts.isEmailConfirmed(tx, performerId))) return { refused: emailUnconfirmed };
  const clearanceId = await compliance.clearanceOf(tx, performerId);
  if (clearanceId === null) return { refused: clearanceMissing };
  if (await compliance.isHidden(tx, performerId)) return { refused: hiddenNow };
  return { clearanceId };
}

/** Null, or why a performer's encoder is not let back on. */
export type Readmission = (typeof readmitEncoder)['refusals'][number] | null;

/** Whether a performer's encoder, whose broadcast was ended, may come back. */
export async function mayReadmit(
  deps: BroadcastDependencies,
  tx: Tx,
  performerId: number,
): Promise<Readmission> {
  const may = await mayPublish(deps, tx, performerId);
  if ('refused' in may) return may.refused;
  return (await lockOpen(tx, performerId)) ? alreadyLive : null;
}

/**
 * Checks that a publisher has a valid key, and an account that may publish: not suspended, with a confirmed
 * address, the second step of log-in where it is required, and a valid clearance, and not hidden.
 */
export async function admit(
  deps: BroadcastDependencies,
  tx: Tx,
  { identify, resumes }: Request,
): Promise<Admission> {
  const publisher = await identify(tx);
  if (!publisher) return { refused: streamKeyInvalid };
  const may = await mayPublish(deps, tx, publisher.performerId);
  if ('refused' in may) return may;
  const open = await lockOpen(tx, publisher.performerId);
  // A session that was ended or replaced on purpose is not resumed, even if its encoder keeps sending.
  if (resumes !== undefined && open?.state.session !== resumes) return { refused: streamKeyInvalid };
  const mode = open?.mode ?? await deps.extensions.one(openingMode)(tx, publisher.performerId);
  return { publisher, clearanceId: may.clearanceId, open, mode };
}

/** Runs the checks of {@link admit} again without saving anything; null when they pass. */
export async function recheck(
  deps: BroadcastDependencies,
  tx: Tx,
  request: Request,
): Promise<NotPublished | null> {
  const admission = await admit(deps, tx, request);
  return 'refused' in admission ? admission : null;
}

/** Saves the publisher of a stream; a refusal if its key or clearance expired while the engine answered. */
export function savePublisher(
  deps: BroadcastDependencies,
  stream: string,
  session: string,
  request: Request,
): Promise<NotPublished | null> {
  return deps.data.tx(request.scope, async (tx) => {
    const admission = await admit(deps, tx, request);
    if ('refused' in admission) return admission;
    const { publisher, clearanceId, open, mode } = admission;
    const id = open
      ? await takeOver(tx, open, stream, session, publisher)
      : await begin(tx, stream, session, { clearanceId, publisher, mode });
    if (publisher.kind === 'browser_key') await bindBrowserKey(tx, publisher.keyHash, id);
    return null;
  });
}

/** Maps an engine's refusal to one of the contract; throws other errors. */
export function refusedByEngine(error: unknown): NotPublished {
  if (!(error instanceof EngineRefused)) throw error;
  switch (error.code) {
    case 'malformed_offer':
      return { refused: offerMalformed };
    case 'unsupported_codec':
      return { refused: codecUnsupported };
    case 'stream_taken':
      return { refused: streamTaken };
    case 'overloaded':
    case 'unavailable':
      return { refused: overloaded, detail: { retryAfterSeconds: OVERLOAD_RETRY_SECONDS } };
    case 'stream_offline':
    case 'session_unknown':
    case 'malformed_fragment':
      throw error;
  }
}

async function begin(
  tx: Tx,
  stream: string,
  session: string,
  { clearanceId, publisher, mode }: Pick<Admitted, 'clearanceId' | 'publisher' | 'mode'>,
): Promise<number> {
  const state = openLifecycle(session, tx.now.getTime());
  const id = await insertBroadcast(tx, { stream, mode, clearanceId, publisher, state });
  await scheduleDeadline(tx, id, state);
  await sendState(tx, publisher.performerId, state);
  return id;
}

async function takeOver(
  tx: Tx,
  open: Broadcast,
  stream: string,
  session: string,
  publisher: Publisher,
): Promise<number> {
  if (open.stream !== stream) throw new Error(`broadcast ${open.id} is not on the stream that was offered`);
  const { state } = transition(open.state, { kind: 'published', session }, tx.now.getTime());
  await saveTakeover(tx, open.id, publisher, state);
  return open.id;
}
