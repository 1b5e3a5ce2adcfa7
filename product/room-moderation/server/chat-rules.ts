import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import { roomUnknown } from '#product/rooms/contract.ts';
import { tipping } from '#product/rooms/extension-points.ts';
import { DEVICE_COOKIE } from '#product/rooms/rules.ts';
import {
  getChatRules,
  getSiteChatRules,
  moderationForbidden,
  setChatRules,
  setSiteChatRules,
  wordInvalid,
} from '../contract.ts';
import {
  canModerate,
  DEVICE_SECONDS,
  mayChangeRules,
  mayNameModerators,
  MODERATORS_RULES,
  speechBlockOf,
  type RoomRole,
} from '../rules.ts';
import {
  findRules,
  findSiteWords,
  saveSiteWords,
  UNCHANGED_RULES,
  type StoredRules,
} from '../store/rules.ts';
import type { ModerationGuard } from './chat-guard/guard.ts';
import type { Marking } from './chat-guard/marks.ts';
import { patternOf } from './chat-guard/words.ts';
import { roomFor, rulesOf, type ModerationDependencies } from './dependencies.ts';
import { applyRules } from './settings.ts';

type RulesAnswer = OutputOf<typeof getChatRules>;
type FullRules = OutputOf<typeof setChatRules>;

/** Calls for the chat rules of rooms and of the site. */
export class ChatRulesHandlers {
  readonly #deps: ModerationDependencies;
  readonly #guard: ModerationGuard;
  readonly #marking: Marking;

  constructor(deps: ModerationDependencies, guard: ModerationGuard, marking: Marking) {
    this.#deps = deps;
    this.#guard = guard;
    this.#marking = marking;
  }

  callHandlers(): CallHandler[] {
    const { data } = this.#deps;
    return [
      handleCall(getChatRules)(async ({ username }, context) => {
        this.#giveDevice(context);
        return data.tx(context.scope, async (tx) => {
          const room = await roomFor(this.#deps, tx, context, username);
          if (!room) return context.refuse(roomUnknown);
          return this.#seen(tx, context, { performerId: room.owner.id, role: room.role });
        });
      }),
      handleCall(setChatRules)(async (
        { username, ...changes },
        context,
      ) =>
        data.tx(context.scope, async (tx) => {
          const room = await roomFor(this.#deps, tx, context, username);
          if (!room) return context.refuse(roomUnknown);
          if (!mayChange(room.role, changes)) return context.refuse(moderationForbidden);
          const isWrong = changes.blocked_words?.some((word) => patternOf(word) === null) ?? false;
          if (isWrong) return context.refuse(wordInvalid);
          const after = await this.#change(tx, room.owner.id, changes, context.caller.personId);
          return fullOf(after, room.role);
        })
      ),
      handleCall(getSiteChatRules)(async (_input, { scope }) =>
        data.tx(scope, async (tx) => ({ blocked_words: [...(await findSiteWords(tx))] }))
      ),
      handleCall(setSiteChatRules)(async (input, { scope, caller, refuse }) => {
        const words = [...new Set(input.blocked_words)];
        if (words.some((word) => patternOf(word) === null)) return refuse(wordInvalid);
        await data.tx(scope, async (tx) => {
          await saveSiteWords(tx, words);
          await tx.audit({
            action: 'room-moderation.setSiteChatRules',
            actorId: caller.personId,
            subject: 'site',
            detail: { words: words.length },
          });
        });
        return { blocked_words: words };
      }),
    ];
  }

  /** Sets the device cookie, by which a ban identifies a browser, if it is missing. */
  #giveDevice({ scope, cookie, setCookie }: CallContext): void {
    const device = this.#marking.deviceFor(scope.operatorId, cookie(DEVICE_COOKIE), randomId());
    if (device !== null) setCookie(DEVICE_COOKIE, device, { maxAgeSeconds: DEVICE_SECONDS, httpOnly: true });
  }

  async #seen(
    tx: Tx,
    { caller }: CallContext,
    { performerId, role }: { readonly performerId: number; readonly role: RoomRole },
  ): Promise<RulesAnswer> {
    const stored = (await findRules(tx, performerId)) ?? UNCHANGED_RULES;
    const { chat_allowed, slow_mode_seconds } = rulesOf(stored);
    return {
      chat_allowed,
      slow_mode_seconds,
      speaking: await this.#speaking(tx, caller.personId, performerId),
      may: {
        moderate: canModerate(role),
        name_moderators: mayNameModerators(role),
        change_rules: mayChangeRules(role),
      },
      rules: canModerate(role) ? fullOf(stored, role) : null,
    };
  }

  async #speaking(
    tx: Tx,
    personId: number | null,
    performerId: number,
  ): Promise<RulesAnswer['speaking']> {
    const person = personId === null ? null : await this.#deps.accounts.findById(tx, personId);
    if (!person) return { allowed: false, why: 'log_in', until: null, reason: null };
    const tips = await this.#deps.extensions.one(tipping).recentTips(tx, [person.id], performerId);
    const recentTips = tips.get(person.id) ?? 0;
    const { facts } = await this.#guard.factsOf(tx, performerId, person, recentTips, false);
    const block = speechBlockOf(facts);
    return {
      allowed: block === null,
      why: block?.refusal ?? null,
      until: block?.until?.toISOString() ?? null,
      reason: facts.silence?.reason ?? null,
    };
  }

  async #change(
    tx: Tx,
    performerId: number,
    { preset, ...changes }: Omit<InputOf<typeof setChatRules>, 'username'>,
    byId: number | null,
  ): Promise<StoredRules> {
    const before = (await findRules(tx, performerId)) ?? UNCHANGED_RULES;
    const chosen = preset
      ? {
        ...UNCHANGED_RULES,
        preset,
        blocked_words: before.blocked_words,
        moderator_days: before.moderator_days,
      }
      : before;
    const blocked_words = [...new Set(changes.blocked_words ?? chosen.blocked_words)];
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const after: StoredRules = { ...chosen, ...given, blocked_words };
    const detail = { ...given, ...(preset ? { preset } : {}), blocked_words: blocked_words.length };
    await applyRules(tx, performerId, after, { byId, detail });
    await this.#deps.accounts.sendSettings(tx, performerId);
    return after;
  }
}

/** All rules; the blocked words only for viewers who may change them. */
const fullOf = (stored: StoredRules, role: RoomRole): FullRules => ({
  preset: stored.preset,
  ...rulesOf(stored),
  blocked_words: mayChangeRules(role) ? [...stored.blocked_words] : [],
});

/** Room moderators may change only what they need while the chat is busy. */
function mayChange(role: RoomRole, changes: Readonly<Record<string, unknown>>): boolean {
  if (mayChangeRules(role)) return true;
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined).map(([name]) => name);
  return canModerate(role) && changed.every((name) => MODERATORS_RULES.includes(name));
}
