import type { RefusalDetail } from '../../../../platform/contract/refusal.ts';
import type { OperatorScope, Tx } from '../../../../platform/data/data.ts';
import { EngineRefused, type PublishOptions } from '../../../../platform/streaming/engine.ts';
import { suspended } from '../../../accounts/contract.ts';
import { clearanceMissing } from '../../../compliance/contract.ts';
import {
  codecUnsupported, offerMalformed, overloaded, streamKeyInvalid, streamTaken, type whip,
} from '../../contract.ts';
import { openCourse, OVERLOAD_RETRY_SECONDS, step } from '../../rules.ts';
import {
  bindBrowserKey, insertBroadcast, lockOpen, saveTakeover, type Broadcast, type Publisher,
} from '../../store.ts';
import { tellCourse, watchDeadline } from '../course.ts';
import type { BroadcastDependencies } from '../dependencies.ts';

/** Somebody who wants to publish, by whatever protocol. */
export interface Applicant<Opened extends { readonly session: string }> {
  readonly scope: OperatorScope;
  /** Whose key it is now; asked again while the engine opens, because keys end. */
  readonly identify: (tx: Tx) => Promise<Publisher | null>;
  /** The session it goes on with after its relay was lost; it must still be the one that counts. */
  readonly resumes?: string | undefined;
  /** Asks the engine for a place. */
  readonly open: (stream: string, options: PublishOptions) => Promise<Opened>;
}
type Asking = Pick<Applicant<never>, 'scope' | 'identify' | 'resumes'>;

/** A publisher that is not let in. */
export interface NotPublished {
  readonly refused: (typeof whip)['refusals'][number];
  readonly detail?: RefusalDetail;
}

export type Admission = NotPublished
  | { readonly publisher: Publisher; readonly clearanceId: number; readonly open: Broadcast | null };

/** Whether somebody may publish now: a good key, an account that is not suspended, a valid clearance. */
export async function admit(
  { accounts, compliance }: BroadcastDependencies, tx: Tx, { identify, resumes }: Asking,
): Promise<Admission> {
  const publisher = await identify(tx);
  if (!publisher) return { refused: streamKeyInvalid };
  const person = await accounts.findById(tx, publisher.performerId);
  if (!person || person.suspendedAt !== null) return { refused: suspended };
  const clearanceId = await compliance.clearanceOf(tx, publisher.performerId);
  if (clearanceId === null) return { refused: clearanceMissing };
  const open = await lockOpen(tx, publisher.performerId);
  // Whoever ended or replaced a session meant it, though its encoder goes on sending.
  if (resumes !== undefined && open?.course.session !== resumes) return { refused: streamKeyInvalid };
  return { publisher, clearanceId, open };
}

/** The same question when nothing is written: what stands in the way by now, if anything. */
export async function stillRefused(
  deps: BroadcastDependencies, tx: Tx, asking: Asking,
): Promise<NotPublished | null> {
  const admission = await admit(deps, tx, asking);
  return 'refused' in admission ? admission : null;
}

/** Writes whose stream it is now; a refusal if key or clearance went while the engine answered. */
export function keepPublisher(
  deps: BroadcastDependencies, stream: string, session: string, asking: Asking,
): Promise<NotPublished | null> {
  return deps.data.tx(asking.scope, async (tx) => {
    const admission = await admit(deps, tx, asking);
    if ('refused' in admission) return admission;
    const { publisher, clearanceId, open } = admission;
    const id = open
      ? await takeOver(tx, open, stream, session, publisher)
      : await begin(tx, stream, session, clearanceId, publisher);
    if (publisher.kind === 'browser_key') await bindBrowserKey(tx, publisher.keyHash, id);
    return null;
  });
}

/** What the engine's "no" means to a publisher; throws what is none. */
export function refusedByEngine(error: unknown): NotPublished {
  if (!(error instanceof EngineRefused)) throw error;
  switch (error.code) {
    case 'malformed_offer': return { refused: offerMalformed };
    case 'unsupported_codec': return { refused: codecUnsupported };
    case 'stream_taken': return { refused: streamTaken };
    case 'overloaded':
    case 'unavailable': return { refused: overloaded, detail: { retryAfterSeconds: OVERLOAD_RETRY_SECONDS } };
    case 'stream_offline':
    case 'session_unknown':
    case 'malformed_fragment': throw error;
  }
}

async function begin(
  tx: Tx, stream: string, session: string, clearanceId: number, publisher: Publisher,
): Promise<number> {
  const course = openCourse(session, tx.now.getTime());
  const id = await insertBroadcast(tx, stream, clearanceId, publisher, course);
  await watchDeadline(tx, id, course);
  await tellCourse(tx, publisher.performerId, course);
  return id;
}

async function takeOver(
  tx: Tx, open: Broadcast, stream: string, session: string, publisher: Publisher,
): Promise<number> {
  if (open.stream !== stream) throw new Error(`broadcast ${open.id} is not on the stream that was offered`);
  const { course } = step(open.course, { kind: 'published', session }, tx.now.getTime());
  await saveTakeover(tx, open.id, publisher, course);
  return open.id;
}
