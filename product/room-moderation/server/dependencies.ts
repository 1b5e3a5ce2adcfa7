import type { CallContext, Caller } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { RoomsService } from '#product/rooms/server.ts';
import {
  DEFAULT_PRESET,
  PRESETS,
  roomRoleOf,
  type ChatRules,
  type Participant,
  type RoomRole,
} from '../rules.ts';
import { isModeratorOf } from '../store.ts';
import type { StoredRules } from '../store/rules.ts';

export interface ModerationDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly compliance: ComplianceService;
  readonly rooms: RoomsService;
  readonly text: TextOf;
  /** The site's secret: keys of digests and of the device cookie are derived from it. */
  readonly secret: string;
}

/** A room the caller may perceive, and the caller's role in it; null if there is no such room. */
export async function roomFor(
  { accounts, compliance }: Pick<ModerationDependencies, 'accounts' | 'compliance'>,
  tx: Tx,
  context: CallContext,
  username: string,
): Promise<{ readonly owner: Person; readonly actor: Participant; readonly role: RoomRole } | null> {
  const owner = await accounts.findByUsername(tx, normalizeUsername(username));
  if (owner?.type !== 'model') return null;
  if (!(await compliance.mayPerceive(tx, compliance.viewerOf(context), owner.id, 'room'))) return null;
  const actor = await participantOf(tx, context.caller, owner.id);
  return { owner, actor, role: roomRoleOf(actor, owner.id) };
}

/** A caller, or an account, as a participant of a room. */
export async function participantOf(
  tx: Tx,
  { personId, roles }: Pick<Caller, 'personId' | 'roles'>,
  performerId: number,
): Promise<Participant> {
  const isRoomModerator = personId !== null && (await isModeratorOf(tx, personId, performerId));
  return { personId, roles, isRoomModerator };
}

/** A room's chat rules: its preset with the changes to it. */
export function rulesOf(stored: StoredRules | null): ChatRules {
  const preset = PRESETS[stored?.preset ?? DEFAULT_PRESET];
  return {
    chat_allowed: stored?.chat_allowed ?? preset.chat_allowed,
    slow_mode_seconds: stored?.slow_mode_seconds ?? preset.slow_mode_seconds,
    join_cool_down_seconds: stored?.join_cool_down_seconds ?? preset.join_cool_down_seconds,
    links: stored?.links ?? preset.links,
    first_message_hold: stored?.first_message_hold ?? preset.first_message_hold,
  };
}
