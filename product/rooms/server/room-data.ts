import { answer, type Answer } from '../../../platform/contract/bind.ts';
import type { CallContext } from '../../../platform/contract/context.ts';
import type { Data, Tx } from '../../../platform/data/data.ts';
import type { HostPort } from '../../../platform/http/host-port.ts';
import type { AccountsService, Person } from '../../accounts/server.ts';
import type { BroadcastService } from '../../broadcast/server.ts';
import type { ComplianceService, Viewer } from '../../compliance/server.ts';
import { getRoom, roomForbidden, roomUnknown, type RoomDataView } from '../contract.ts';
import { hiddenGenders, MAX_SUGGESTIONS, normalizeUsername, placeOf } from '../rules.ts';
import { findState, onlinePerformers } from '../store.ts';

export interface RoomDataNeeds {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly text: HostPort['text'];
  /** People watching a room now. */
  readonly countOf: (operatorId: number, performerId: number) => number;
}

/** Whether somebody gets a room: `forbidden` while the entry gate stands before everything, whatever exists.
 * */
export type Entry = { readonly owner: Person } | { readonly refused: 'unknown' | 'forbidden' };

/**
 * The one way into a room, for its page and its socket. Somebody who may not perceive the performer gets the
 * same answer as for a name that nobody has.
 */
export async function enterRoom(
  { accounts, compliance }: Pick<RoomDataNeeds, 'accounts' | 'compliance'>,
  tx: Tx, viewer: Viewer, username: string,
): Promise<Entry> {
  const owner = await accounts.findByUsername(tx, normalizeUsername(username));
  const isRoom = owner?.type === 'model' && (await compliance.mayPerceive(tx, viewer, owner.id, 'room'));
  if (isRoom) return { owner };
  return { refused: viewer.gate === 'open' ? 'unknown' : 'forbidden' };
}

export function roomAnswers(needs: RoomDataNeeds): Answer[] {
  const { data, compliance } = needs;
  return [
    answer(getRoom)(async (input, context) =>
      data.tx(context.scope, async (tx) => {
        const viewer = compliance.viewerOf(context);
        const entry = await enterRoom(needs, tx, viewer, input.username);
        if ('owner' in entry) return roomData(needs, tx, entry.owner, context);
        if (entry.refused === 'forbidden') {
          return context.refuse(roomForbidden, { extra: { suggestions: [] } });
        }
        const suggestions = await suggest(needs, tx, viewer, hiddenGenders(input['gender-hide']));
        return context.refuse(roomUnknown, { extra: { suggestions } });
      })),
  ];
}

/** Usernames of live rooms this viewer may perceive. */
async function suggest(
  { accounts, compliance }: RoomDataNeeds, tx: Tx, viewer: Viewer, hidden: ReadonlySet<string>,
): Promise<string[]> {
  const candidates = await onlinePerformers(tx);
  const perceivable = await compliance.perceivable(tx, viewer, candidates, 'room');
  const people = await accounts.findMany(tx, [...perceivable]);
  return candidates
    .flatMap((id) => people.get(id) ?? [])
    .filter(({ id, gender }) => perceivable.has(id) && !(gender !== null && hidden.has(gender)))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ username }) => username);
}

async function roomData(
  { broadcast, text, countOf }: RoomDataNeeds, tx: Tx, owner: Person, context: CallContext,
): Promise<RoomDataView> {
  const { caller, locale, scope } = context;
  const { id, username, displayName: name, avatarUrl } = owner;
  const { status } = await findState(tx, id);
  const view = await broadcast.viewOf(tx, id);
  const { isStreamer, isModerator } = placeOf(caller, id);
  return {
    user: {
      id, username, displayName: name, gender: owner.gender, avatarUrl, profilePictureUrl: avatarUrl,
      profilePictureThumbUrl: avatarUrl, offlinePictureUrl: avatarUrl, status,
      // Roles that change a room's page come with their slices; who is staff is nobody's business here.
      roleList: [],
      tagListNew: [...view.tags], about: owner.about, languages: [...owner.languages],
    },
    chat: {
      status, mode: 'public', subjectText: view.title, subjectColor: null, moderatorUsernameList: [],
      silencedUsernameList: [], lastOnlineAt: view.lastOnlineAt?.toISOString() ?? null,
      userCount: countOf(scope.operatorId, id),
    },
    stream: await broadcast.streamFor(tx, view, context),
    auth: { friendStatus: null, isBanned: false, isStreamer, isModerator },
    seo: {
      title: text(locale, 'rooms:seo.title', { name }), h1: text(locale, 'rooms:seo.h1', { name }),
      description: text(locale, 'rooms:seo.description', { name }),
    },
  };
}
