import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { linesIn } from '#platform/text/lines.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { largeAvatar } from '#product/accounts/rules/avatar.ts';
import { getChatUser, getRoom, personAbsent, type RoomDataView } from '../../contract.ts';
import { roomGuard, roomParts, roomWords } from '../../extension-points.ts';
import {
  followBroadcast,
  hiddenGenders,
  MAX_SUGGESTIONS,
  maySeeStream,
  SOUNDS,
  streamStatus,
} from '../../rules.ts';
import { EMOTICONS } from '../../rules/emoticons.ts';
import { findState, onlinePerformers } from '../../store.ts';
import { findSettings } from '../../store/settings.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { staffFlag } from '../people/people.ts';
import { ownLevel } from '../people/tiers.ts';
import { seesUsersIn, type UserLists } from '../people/users.ts';
import { conditionsOf } from './conditions.ts';
import { enterRoom, refuseEntry, type Entry } from './entry.ts';
import { composedGetRoom, withParts } from './parts.ts';
import { settingsView } from './settings.ts';

const NO_DEVICES = { audioName: null, videoName: null, audioTrack: null, videoTrack: null, bitrate: null };

const EMOTICON_LIST = Object.entries(EMOTICONS).map(([code, text]) => ({ code, text }));

export function roomHandlers(deps: RoomsDependencies, lists: UserLists): CallHandler[] {
  const { extensions, data } = deps;
  const answered = handleCall(getRoom)(async (input, context) => {
    const { scope, caller } = context;
    // Entering writes, as the guard records visitors; the rest only reads.
    const entry = await data.tx(scope, async (tx) => {
      const entered = await enterRoom(deps, tx, context, input.username);
      if ('owner' in entered || entered.refused === 'forbidden') return entered;
      const hidden = hiddenGenders(input['gender-hide']);
      const suggestions = await suggest(deps, tx, context, { but: input.username, hidden });
      return refuseEntry(context, entered.refused, suggestions);
    });
    if ('refused' in entry) return refuseEntry(context, entry.refused);
    if (!('owner' in entry)) return entry;
    // Everything in one read, with the fields of later slices.
    const found = await data.read(
      scope,
      (tx) => withParts(extensions, roomData(deps, lists, tx, entry, context), tx, caller, entry.owner.id),
    );
    if (!found.auth.seesUsers) return found;
    return { ...found, chatUserList: await lists.entriesFor(scope, found.user.id, caller) };
  });
  const person = handleCall(getChatUser)(({ username, person: of }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const name = normalizeUsername(of);
      const user = await lists.entryOf(tx, entry.owner.id, context.caller, name);
      return user ? { user } : context.refuse(personAbsent, { extra: await flagOf(deps, tx, name) });
    })
  );
  return [person, {
    ...answered,
    // Read when the site is mounted, after every slice has contributed its part.
    get call() {
      return composedGetRoom(extensions.all(roomParts).map(({ part }) => part));
    },
  }];
}

/** The public staff flag of a person: the same whether they are in the room, hidden there, or elsewhere. */
async function flagOf(
  { accounts }: RoomsDependencies,
  tx: Tx,
  username: string,
): Promise<ReturnType<typeof staffFlag>> {
  const person = await accounts.findByUsername(tx, username);
  return staffFlag(person !== null && (await accounts.staffAmong(tx, [person])).has(person.id));
}

/** Usernames of live rooms this viewer may perceive, without the refused one. */
async function suggest(
  { accounts, compliance }: RoomsDependencies,
  tx: Tx,
  context: CallContext,
  { but, hidden }: { readonly but: string; readonly hidden: ReadonlySet<string> },
): Promise<string[]> {
  const candidates = await onlinePerformers(tx);
  const perceivable = await compliance.perceivable(tx, compliance.viewerOf(context), candidates, 'room');
  const people = await accounts.findMany(tx, [...perceivable]);
  return candidates
    .flatMap((id) => people.get(id) ?? [])
    .filter(({ id, gender }) => perceivable.has(id) && !(gender !== null && hidden.has(gender)))
    .filter(({ username }) => username !== normalizeUsername(but))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ username }) => username);
}

type Entered = Extract<Entry, { owner: unknown }>;

function performerView(
  owner: Entered['owner'],
  status: RoomDataView['chat']['status'],
  tags: readonly string[],
  isStaff: boolean,
): RoomDataView['user'] {
  const { avatarUrl } = owner;
  return {
    id: owner.id,
    username: owner.username,
    displayName: owner.displayName,
    gender: owner.gender,
    avatarUrl,
    profilePictureUrl: largeAvatar(avatarUrl),
    profilePictureThumbUrl: avatarUrl,
    offlinePictureUrl: largeAvatar(avatarUrl),
    status: owner.inactiveSince === null ? status : 'SUSPENDED',
    tagListNew: [...tags],
    about: owner.about,
    languages: [...owner.languages],
    ...(isStaff ? { isStaff: true } : {}),
    roleList: [],
    isVoyeur: false,
    showPornProfileLink: false,
    streaming_partners: [],
  };
}

async function roomData(
  deps: RoomsDependencies,
  lists: UserLists,
  tx: Tx,
  { owner, rights }: Entered,
  context: CallContext,
): Promise<RoomDataView> {
  const { extensions, broadcast, recordings, compliance, text } = deps;
  const { caller, locale, scope } = context;
  const { id, username, displayName: name } = owner;
  const [view, state, conditionsAt, settings, hiding, staff] = await Promise.all([
    broadcast.viewOf(tx, id),
    findState(tx, id),
    conditionsOf(extensions, tx, caller, id),
    findSettings(tx, id),
    ownLevel(deps, tx, caller),
    deps.accounts.staffAmong(tx, [owner]),
  ]);
  // Reads the broadcast's current state: its fact may be delivered to the room later.
  const { status, mode: roomMode } = followBroadcast(state, view);
  const conditions = conditionsAt(status);
  const { hasCamPassword, isShowGuestOverlay, isCardRequired, hasCard, mode } = conditions;
  const seesUsers = seesUsersIn(rights, settings);
  // Viewers receive neither token nor name of a stream they may not watch.
  const shown = maySeeStream(conditions) ? view : { ...view, stream: null };
  const userCount = lists.countOf(scope.operatorId, id);
  const [names, stream, settingsShown, camSettings, recording, offlineVideo, words] = await Promise.all([
    rights.canModerate ? moderatedNames(deps, tx, id) : NO_NAMES,
    broadcast.streamFor(tx, shown, context),
    settingsView(extensions, tx, id, settings),
    rights.isRoomAdmin ? broadcast.camSettingsOf(tx, id) : NO_DEVICES,
    recordings.publicRecordingOf(tx, id),
    recordings.offlineVideoOf(tx, id, context),
    extensions.one(roomWords)(tx, owner, locale),
  ]);
  return {
    username,
    user: performerView(owner, status, view.tags, staff.has(id)),
    chat: {
      status,
      mode,
      roomMode,
      subjectText: view.title,
      subjectColor: settings.subjectColor,
      ...names,
      emoticonList: EMOTICON_LIST,
      soundList: rights.canModerate ? [...SOUNDS] : [],
      lastOnlineAt: view.lastOnlineAt?.toISOString() ?? null,
      userCount,
    },
    chatUserList: {},
    chatUserCount: userCount,
    chatMessageList: [],
    mode: mode === 'public' ? roomMode : mode,
    vr: { status: 'offline' },
    stream,
    streamStatus: streamStatus(conditions),
    isShowGuestOverlay,
    ccVerification: { isRequired: isCardRequired, hasCard, billingProduct: null },
    isAgeVerificationRequired: compliance.viewerOf(context).gate === 'verify',
    auth: {
      // A banned viewer is refused before any room data is sent.
      isBanned: false,
      ...pick(rights, ['isStreamer', 'isModerator', 'isRoomAdmin', 'canModerate', 'isAnotherModel']),
      seesUsers,
      invisible_mode_level: hiding,
    },
    userSetting: {
      ...settingsShown,
      hasCamPassword,
      camSettings,
      public_recording: recording,
      offlineVideo,
    },
    seo: {
      title: text(locale, 'rooms:seo.title', { name }),
      h1: text(locale, 'rooms:seo.h1', { name }),
      description: text(locale, 'rooms:seo.description', { name }),
      fullBioHtml: bioHtml(owner.about),
      ...words,
    },
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\'': '&#39;',
};

/** A person's text as paragraphs; markup in it is escaped. */
const bioHtml = (about: string): string =>
  linesIn(about)
    .map((line) => `<p>${line.replaceAll(/[&<>"']/gu, (letter) => ENTITIES[letter] ?? '')}</p>`).join('');

const NO_NAMES = { moderatorUsernameList: [], silencedUsernameList: [] };

/** Usernames of moderators and silenced people, for the moderation panel. */
async function moderatedNames(
  { extensions, accounts }: RoomsDependencies,
  tx: Tx,
  performerId: number,
): Promise<Pick<RoomDataView['chat'], 'moderatorUsernameList' | 'silencedUsernameList'>> {
  const { moderatorIds, silencedIds } = await extensions.one(roomGuard).moderatedPeople(tx, performerId);
  const people = await accounts.findMany(tx, [...new Set([...moderatorIds, ...silencedIds])]);
  const namesOf = (ids: readonly number[]): string[] =>
    ids.flatMap((id) => people.get(id)?.username ?? []).toSorted();
  return { moderatorUsernameList: namesOf(moderatorIds), silencedUsernameList: namesOf(silencedIds) };
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}
