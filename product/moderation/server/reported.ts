import type { CallContext } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import type { BroadcastService } from '#product/broadcast/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { PerformersService } from '#product/performers/server.ts';
import type { RecordingsService } from '#product/recordings/server.ts';
import type { RoomsService } from '#product/rooms/server.ts';
import { reportables, type FoundReportable } from '../extension-points.ts';
import { MAX_SNAPSHOT_LENGTH, type ReportKind } from '../rules.ts';

export interface ReportedDependencies {
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly performers: PerformersService;
  readonly rooms: RoomsService;
  readonly recordings: RecordingsService;
  readonly extensions: Extensions;
}

/** What somebody wants to report, by its identifiers. */
export interface Asked {
  readonly kind: ReportKind;
  readonly username: string;
  readonly id: number | null;
  readonly within: string | null;
}

/** The reported content: its owner, its room, and its present text. */
export interface Reported {
  readonly subjectId: number;
  readonly roomId: number;
  readonly snapshot: string;
  /** Blob id of its picture; null without one. */
  readonly picture: string | null;
  /** The offline video of a room; null without one, and for all other kinds. */
  readonly recordingId: number | null;
}

/** Nobody can report what they don't see: the text is read here, and never taken from the reporter. */
export async function findReported(
  deps: ReportedDependencies,
  tx: Tx,
  context: CallContext,
  asked: Asked,
): Promise<Reported | null> {
  const { accounts, compliance } = deps;
  const viewer = compliance.viewerOf(context);
  const owner = await accounts.findByUsername(tx, normalizeUsername(asked.username));
  if (!owner || viewer.gate !== 'open') return null;
  // Anybody who read it in a show may report it, even if the performer has banned them since, or is hidden.
  if (asked.kind === 'message' && asked.within !== null) return findMessage(deps, tx, context, owner, asked);
  if (owner.deletionRequestedAt !== null) return null;
  const isSeen = owner.type === 'model' && owner.inactiveSince === null
    && await compliance.mayPerceive(tx, viewer, owner.id, 'room');
  // Members' names are visible in every chat.
  if (asked.kind === 'person') {
    if (owner.type === 'model' && !isSeen) return null;
    return ofOwner(owner, await profileOf(deps, tx, owner));
  }
  if (!isSeen) return null;
  if (asked.kind === 'message') {
    const entry = await deps.rooms.enter(tx, context, owner.username);
    return 'refused' in entry ? null : findMessage(deps, tx, context, owner, asked);
  }
  const found = await thingOf(deps, tx, context, owner, asked);
  if (!found || asked.kind !== 'room') return found && ofOwner(owner, found);
  const recordingId = await deps.recordings.lockOfflineVideo(tx, owner.id, context);
  return { ...ofOwner(owner, found), recordingId };
}

const ofOwner = ({ id }: Person, { text, picture }: FoundReportable): Reported => ({
  subjectId: id,
  roomId: id,
  snapshot: [...text].slice(0, MAX_SNAPSHOT_LENGTH).join(''),
  picture,
  recordingId: null,
});

/** Name, bio and avatar of a person. */
const profileOf = async (
  { accounts }: ReportedDependencies,
  tx: Tx,
  { id, displayName, about }: Person,
): Promise<FoundReportable> => ({
  text: [displayName, about].filter(Boolean).join('\n\n'),
  picture: await accounts.avatarBlob(tx, id),
});

async function findMessage(
  { rooms }: ReportedDependencies,
  tx: Tx,
  context: CallContext,
  owner: Person,
  { id, within }: Asked,
): Promise<Reported | null> {
  const said = await rooms.messageFor(tx, owner.id, context.caller.personId, {
    id: id as number,
    showChat: within,
  });
  return said && {
    subjectId: said.senderId,
    roomId: owner.id,
    snapshot: said.text,
    picture: null,
    recordingId: null,
  };
}

/** Text and picture of a performer's content; null if this viewer cannot see any. */
async function thingOf(
  deps: ReportedDependencies,
  tx: Tx,
  context: CallContext,
  performer: Person,
  { kind, id, within }: Asked,
): Promise<FoundReportable | null> {
  if (kind === 'room') {
    const { title } = await deps.broadcast.viewOf(tx, performer.id);
    return { text: [performer.displayName, title].filter(Boolean).join('\n\n'), picture: null };
  }
  if (kind === 'bio') return profileOf(deps, tx, performer);
  if (id === null) return null;
  if (kind === 'picture') {
    return deps.performers.reportedPicture(tx, performer.id, id);
  }
  const reportable = deps.extensions.all(reportables).find((item) => item.kind === kind);
  return reportable?.find(tx, context, { performer, id, within }) ?? null;
}
