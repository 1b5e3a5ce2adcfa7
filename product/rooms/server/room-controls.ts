import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel, topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { SettingsPart } from '#product/accounts/extension-points.ts';
import type { Person } from '#product/accounts/server.ts';
import { chatSubject } from '../contract.ts';
import {
  highlightedMessage,
  highlightMessage,
  invisibleMode,
  mayNotHide,
  nothingToSay,
  notYourRoom,
  sendNotice,
  setInvisibleMode,
  setSubject,
  viewerAbsent,
} from '../contract/controls.ts';
import { roomTopic } from '../rules.ts';
import { lockState } from '../store.ts';
import { findSettings, saveInvisible, saveSettings } from '../store/settings.ts';
import type { Chat } from './chat/chat.ts';
import { record } from './chat/log.ts';
import { scheduleNotice } from './chat/notices.ts';
import type { RoomsDependencies } from './dependencies.ts';
import { staffFlag } from './people/people.ts';
import { invisibleLevels, mayHide, tiersOf } from './people/tiers.ts';
import { enterRoom, refuseEntry } from './room/entry.ts';

/** Calls of room admins and moderators, and of people who hide from user lists. */
export function roomControlHandlers(deps: RoomsDependencies, chat: Chat): CallHandler[] {
  return [
    subjectHandler(deps),
    noticeHandler(deps, chat),
    highlightHandler(deps),
    invisibleModeHandler(deps),
  ];
}

/** The topic is the broadcast's title, which publishes its change; the colour is the room's. */
function subjectHandler(deps: RoomsDependencies): CallHandler {
  const { data, broadcast } = deps;
  return handleCall(setSubject)(async ({ username, subject, subject_color }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      if (!entry.rights.canModerate) return context.refuse(notYourRoom);
      const { id } = entry.owner;
      await lockState(tx, id);
      const before = await findSettings(tx, id);
      const color = subject_color === undefined ? before.subjectColor : subject_color?.toLowerCase() ?? null;
      if (color !== before.subjectColor) await saveSettings(tx, id, before, { subjectColor: color });
      const { title, tags } = await broadcast.viewOf(tx, id);
      const text = cleanText(subject);
      if (text !== title) await broadcast.setDetails(tx, id, text, tags);
      else if (color !== before.subjectColor) {
        await record(tx, id, chatSubject, () => ({ payload: { subject: title, subject_color: color } }));
      }
      return { status: 1, subject: text, subject_color: color };
    })
  );
}

function noticeHandler(deps: RoomsDependencies, chat: Chat): CallHandler {
  return handleCall(sendNotice)(async ({ username, message, every_minutes = null }, context) =>
    deps.data.tx(context.scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      if (!entry.rights.isRoomAdmin) return context.refuse(notYourRoom);
      const { id } = entry.owner;
      const text = cleanText(message);
      const before = await findSettings(tx, id);
      if (text === '' && before.notice === null) return context.refuse(nothingToSay);
      if (text === '' || every_minutes !== null) {
        const recurring = text === ''
          ? { notice: null, noticeMinutes: null }
          : { notice: text, noticeMinutes: every_minutes };
        await saveSettings(tx, id, before, recurring);
        await scheduleNotice(tx, id);
      }
      if (text !== '') await chat.notice(tx, id, text);
      return { status: 1 };
    })
  );
}

function highlightHandler(deps: RoomsDependencies): CallHandler {
  const { data, accounts } = deps;
  return handleCall(highlightMessage)(async ({ username, message, to = null }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await enterRoom(deps, tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      if (!entry.rights.isRoomAdmin) return context.refuse(notYourRoom);
      const text = cleanText(message);
      if (text === '') return context.refuse(nothingToSay);
      const sender = await accounts.findById(tx, context.personId);
      const receiver = to === null ? null : await accounts.findByUsername(tx, normalizeUsername(to));
      if (!sender || (to !== null && !receiver)) return context.refuse(viewerAbsent);
      const topic = roomTopic(entry.owner.id);
      const staff = await accounts.staffAmong(tx, [sender]);
      const payload = {
        username: sender.username,
        display_name: sender.displayName,
        ...staffFlag(staff.has(sender.id)),
        message: text,
        to_all: receiver === null,
      };
      const channel = receiver ? topicPersonChannel(topic, receiver.id) : topicChannel(topic);
      await tx.send(channel, highlightedMessage, payload);
      return { status: 1 };
    })
  );
}

/** Hides a person from user lists, or shows them again. */
async function hide(tx: Tx, { id, username }: Pick<Person, 'id' | 'username'>, level: number): Promise<void> {
  await saveInvisible(tx, id, level);
  await tx.send(personChannel(id), invisibleMode, { username, invisible_mode_level: level });
}

/** Invisible mode as a setting. Its level is the one in force, lower once a membership has ended. */
export const invisibleSetting = (deps: Pick<RoomsDependencies, 'billing'>): SettingsPart => ({
  keys: ['invisible_mode_level'],
  read: async (tx, person) => ({
    invisible_mode_level: (await invisibleLevels(deps, tx, [person])).get(person.id) ?? 0,
  }),
  check: async (tx, person, { invisible_mode_level: level = 0 }) => {
    const tier = (await tiersOf(deps, tx, [person.id]))(person.id);
    return level > mayHide(person, tier) ? 'setting_refused' : null;
  },
  write: async (tx, person, { invisible_mode_level: level }) => {
    if (level !== undefined) await hide(tx, person, level);
  },
});

function invisibleModeHandler(deps: RoomsDependencies): CallHandler {
  const { data, accounts } = deps;
  return handleCall(setInvisibleMode)(async ({ level }, { caller, personId, scope, refuse }) => {
    return data.tx(scope, async (tx) => {
      const tier = (await tiersOf(deps, tx, [personId]))(personId);
      if (level > mayHide({ id: personId, roles: caller.roles }, tier)) return refuse(mayNotHide);
      const person = await accounts.findById(tx, personId);
      if (!person) throw new Error(`person ${personId} has a session and no account`);
      await hide(tx, person, level);
      await accounts.sendSettings(tx, personId);
      return { status: 1, invisible_mode_level: level };
    });
  });
}
