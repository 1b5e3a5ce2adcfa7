import { handleCall, type CallHandler } from '../../../platform/contract/bind.ts';
import type { CallContext } from '../../../platform/contract/context.ts';
import type { InputOf, OutputOf } from '../../../platform/contract/call.ts';
import { topicChannel } from '../../../platform/contract/event.ts';
import type { Tx } from '../../../platform/data/data.ts';
import { randomId } from '../../../platform/data/ids.ts';
import { DEVICE_COOKIE, roomTopic } from '../../rooms/rules.ts';
import { roomUnknown } from '../../rooms/contract.ts';
import { tipping } from '../../rooms/extension-points.ts';
import {
  chatRulesChanged, getChatRules, getSiteChatRules, moderationForbidden, setChatRules, setSiteChatRules,
  wordInvalid,
} from '../contract.ts';
import {
  canModerate, DEFAULT_PRESET, DEVICE_SECONDS, hushOf, mayChangeRules, mayNameModerators, MODERATORS_RULES,
  type Rank,
} from '../rules.ts';
import { findRules, findSiteWords, saveRules, saveSiteWords, type StoredRules } from '../store.ts';
import type { Guarding } from './chat-guard/guarding.ts';
import type { Marking } from './chat-guard/marks.ts';
import { roomFor, rulesOf, type ModerationDependencies } from './dependencies.ts';
import { patternOf } from './chat-guard/words.ts';

type RulesAnswer = OutputOf<typeof getChatRules>;
type FullRules = OutputOf<typeof setChatRules>;

const UNCHANGED: StoredRules = {
  preset: DEFAULT_PRESET, chat_allowed: null, slow_mode_seconds: null, join_cool_down_seconds: null,
  links: null, first_message_hold: null, blocked_words: [],
};

/** What rooms, and the site, ask of those who write. */
export class ChatRulesDesk {
  readonly #deps: ModerationDependencies;
  readonly #guarding: Guarding;
  readonly #marking: Marking;

  constructor(deps: ModerationDependencies, guarding: Guarding, marking: Marking) {
    this.#deps = deps;
    this.#guarding = guarding;
    this.#marking = marking;
  }

  answers(): CallHandler[] {
    const { data } = this.#deps;
    return [
      handleCall(getChatRules)(async ({ username }, context) => {
        this.#giveDevice(context);
        return data.tx(context.scope, async (tx) => {
          const room = await roomFor(this.#deps, tx, context, username);
          if (!room) return context.refuse(roomUnknown);
          return this.#seen(tx, context, { performerId: room.owner.id, rank: room.rank });
        });
      }),
      handleCall(setChatRules)(async (
        { username, ...changes }, context,
      ) => data.tx(context.scope, async (tx) => {
        const room = await roomFor(this.#deps, tx, context, username);
        if (!room) return context.refuse(roomUnknown);
        if (!mayChange(room.rank, changes)) return context.refuse(moderationForbidden);
        const isWrong = changes.blocked_words?.some((word) => patternOf(word) === null) ?? false;
        if (isWrong) return context.refuse(wordInvalid);
        const after = await this.#change(tx, room.owner.id, changes, context.caller.personId);
        return fullOf(after, room.rank);
      })),
      handleCall(getSiteChatRules)(async (_input, { scope }) =>
        data.tx(scope, async (tx) => ({ blocked_words: [...(await findSiteWords(tx))] }))),
      handleCall(setSiteChatRules)(async (input, { scope, caller, refuse }) => {
        const words = [...new Set(input.blocked_words)];
        if (words.some((word) => patternOf(word) === null)) return refuse(wordInvalid);
        await data.tx(scope, async (tx) => {
          await saveSiteWords(tx, words);
          await tx.audit({
            action: 'room-moderation.setSiteChatRules', actorId: caller.personId, subject: 'site',
            detail: { words: words.length },
          });
        });
        return { blocked_words: words };
      }),
    ];
  }

  /** A browser that has none gets the cookie by which a ban knows it again. */
  #giveDevice({ scope, cookie, setCookie }: CallContext): void {
    const device = this.#marking.deviceFor(scope.operatorId, cookie(DEVICE_COOKIE), randomId());
    if (device !== null) setCookie(DEVICE_COOKIE, device, { maxAgeSeconds: DEVICE_SECONDS, httpOnly: true });
  }

  async #seen(
    tx: Tx, { caller }: CallContext,
    { performerId, rank }: { readonly performerId: number; readonly rank: Rank },
  ): Promise<RulesAnswer> {
    const stored = (await findRules(tx, performerId)) ?? UNCHANGED;
    const { chat_allowed, slow_mode_seconds } = rulesOf(stored);
    return {
      chat_allowed, slow_mode_seconds,
      speaking: await this.#speaking(tx, caller.personId, performerId),
      may: {
        moderate: canModerate(rank), name_moderators: mayNameModerators(rank),
        change_rules: mayChangeRules(rank),
      },
      rules: canModerate(rank) ? fullOf(stored, rank) : null,
    };
  }

  async #speaking(
    tx: Tx, personId: number | null, performerId: number,
  ): Promise<RulesAnswer['speaking']> {
    const person = personId === null ? null : await this.#deps.accounts.findById(tx, personId);
    if (!person) return { allowed: false, why: 'log_in', until: null };
    const tips = await this.#deps.extensions.one(tipping).recentTips(tx, [person.id], performerId);
    const recentTips = tips.get(person.id) ?? 0;
    const { facts } = await this.#guarding.factsOf(tx, performerId, person, recentTips, false);
    const hush = hushOf(facts);
    return { allowed: hush === null, why: hush?.fault ?? null, until: hush?.until?.toISOString() ?? null };
  }

  async #change(
    tx: Tx, performerId: number,
    { preset, ...changes }: Omit<InputOf<typeof setChatRules>, 'username'>, byId: number | null,
  ): Promise<StoredRules> {
    const before = (await findRules(tx, performerId)) ?? UNCHANGED;
    const chosen = preset ? { ...UNCHANGED, preset, blocked_words: before.blocked_words } : before;
    const blocked_words = [...new Set(changes.blocked_words ?? chosen.blocked_words)];
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const after: StoredRules = { ...chosen, ...given, blocked_words };
    await saveRules(tx, performerId, after);
    const { chat_allowed, slow_mode_seconds } = rulesOf(after);
    const seen = { chat_allowed, slow_mode_seconds };
    await tx.send(topicChannel(roomTopic(performerId)), chatRulesChanged, seen);
    await tx.audit({
      action: 'room-moderation.setChatRules', actorId: byId, subject: `person:${performerId}`,
      detail: { ...given, ...(preset ? { preset } : {}), blocked_words: blocked_words.length },
    });
    return after;
  }
}

/** All rules, the words for those alone who may change them. */
const fullOf = (stored: StoredRules, rank: Rank): FullRules => ({
  preset: stored.preset, ...rulesOf(stored),
  blocked_words: mayChangeRules(rank) ? [...stored.blocked_words] : [],
});

/** Moderators of the room turn what they need while it runs hot; the rest is for admin rights. */
function mayChange(rank: Rank, changes: Readonly<Record<string, unknown>>): boolean {
  if (mayChangeRules(rank)) return true;
  const asked = Object.entries(changes).filter(([, value]) => value !== undefined).map(([name]) => name);
  return canModerate(rank) && asked.every((name) => MODERATORS_RULES.includes(name));
}
