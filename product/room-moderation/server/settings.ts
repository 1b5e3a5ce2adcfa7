import { topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import type { SettingsPart, UserPart } from '#product/accounts/extension-points.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { chatRulesChanged } from '../contract.ts';
import { MODERATOR_DAYS } from '../rules.ts';
import { isAutosilenced } from '../store.ts';
import { findRules, saveRules, UNCHANGED_RULES, type StoredRules } from '../store/rules.ts';
import { rulesOf } from './dependencies.ts';

/** Stores the rules of a room and sends the public ones to everybody. */
export async function applyRules(
  tx: Tx,
  performerId: number,
  rules: StoredRules,
  change: {
    readonly byId: number | null;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await saveRules(tx, performerId, rules);
  const { chat_allowed, slow_mode_seconds } = rulesOf(rules);
  const seen = { chat_allowed, slow_mode_seconds };
  await tx.send(topicChannel(roomTopic(performerId)), chatRulesChanged, seen);
  await tx.audit({
    action: 'room-moderation.setChatRules',
    actorId: change.byId,
    subject: `person:${performerId}`,
    detail: change.detail,
  });
}

/** Days after which the rights of a moderator named in this room end. */
export const moderatorDaysOf = async (tx: Tx, performerId: number): Promise<number> =>
  (await findRules(tx, performerId))?.moderator_days ?? MODERATOR_DAYS;

/** A performer's settings of their own room. */
export const roomSettings: SettingsPart = {
  keys: ['chat_allowed', 'mod_expire'],
  read: async (tx, { id, type }) => {
    if (type !== 'model') return {};
    const rules = await findRules(tx, id);
    return { chat_allowed: rulesOf(rules).chat_allowed, mod_expire: rules?.moderator_days ?? MODERATOR_DAYS };
  },
  check: async (_tx, { type }) => (type === 'model' ? null : 'setting_refused'),
  write: async (tx, { id }, { chat_allowed: allowed, mod_expire: days }) => {
    const before = (await findRules(tx, id)) ?? UNCHANGED_RULES;
    const detail = {
      ...(allowed === undefined ? {} : { chat_allowed: allowed }),
      ...(days === undefined ? {} : { moderator_days: days }),
    };
    await applyRules(tx, id, { ...before, ...detail }, { byId: id, detail });
  },
};

/** Whether the rules of any room silenced a person for spam. */
export const silencedPart: UserPart = {
  keys: ['autosilenced'],
  read: async (tx, { id }) => ({ autosilenced: await isAutosilenced(tx, id) }),
};
