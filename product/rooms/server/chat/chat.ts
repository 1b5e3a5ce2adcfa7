import { handleEvent, type EventContext, type EventHandler } from '#platform/contract/bind.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import type { RateLimits } from '#platform/data/limits/rate-limits.ts';
import { withoutCardNumbers } from '#platform/text/card-numbers.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import type { Person } from '#product/accounts/server.ts';
import { chatMessage, sayInChat, type ChatMessageView } from '../../contract.ts';
import { messagesRemoved, messageWithheld } from '../../contract/moderation.ts';
import { sayInShow, showMessage } from '../../contract/show-chat.ts';
import {
  chatCommands,
  fanLevels,
  roomGuard,
  tipping,
  type Command,
  type Verdict,
} from '../../extension-points.ts';
import {
  commandOf,
  isDebugLine,
  MAX_PACED_PEOPLE,
  PACES,
  paceTierOf,
  performerOfTopic,
  refusalOfMessage,
  roomCommand,
  roomTopic,
  TEST_ROLE,
} from '../../rules.ts';
import { chatFor, type RunningShowChat, type WantedChat } from '../../rules/show-chat.ts';
import { findMessages, insertMessage, insertShownFact, lockState, type Message } from '../../store.ts';
import { insertShowMessage } from '../../store/show-messages.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import {
  PLAIN,
  returnedMessage,
  roomRightsIn,
  viewOf,
  type Appearance,
  type Return,
} from '../people/people.ts';
import { tiersOf } from '../people/tiers.ts';
import { setMode } from '../room/room-state.ts';
import {
  ANY,
  messageOf,
  playSound,
  PUBLIC,
  refused,
  repliedIn,
  type ChatInput,
  type HeldMessage,
  type NewMessage,
  type Refusal,
  type Said,
  type ShownTip,
  type Viewer,
} from './chat-input.ts';
import { record, sendToModerators } from './log.ts';
import { runningChat, scheduleForgetting, sendMessageToReaders } from './show-chat.ts';

type Dependencies = Pick<
  RoomsDependencies,
  'data' | 'limits' | 'extensions' | 'accounts' | 'ledger' | 'billing' | 'text'
>;

/** The chat of rooms. */
export class Chat {
  readonly #deps: Dependencies;
  readonly #paces: RateLimits;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#paces = deps.limits.family('rooms.chat', { maxKeys: MAX_PACED_PEOPLE, whenAway: 'local' });
  }

  eventHandlers(): EventHandler[] {
    return [
      handleEvent(sayInChat)(
        ({ message, reply_to: replyTo, chat = 'any' }, context) =>
          this.#answer({ text: message, replyTo, wanted: chat === 'any' ? ANY : PUBLIC }, context),
        {
          refuseCardNumber: ({ message }, context) =>
            this.#return(context, withoutCardNumbers(cleanText(message)), refused('card_number')),
        },
      ),
      handleEvent(sayInShow)(
        ({ message, reply_to: replyTo, chat: key }, context) =>
          this.#answer({ text: message, replyTo, wanted: { kind: 'show', key } }, context),
        {
          refuseCardNumber: ({ message, chat: key }, context) =>
            this.#return(
              context,
              withoutCardNumbers(cleanText(message)),
              refused('card_number'),
              { kind: 'show', key },
            ),
        },
      ),
    ];
  }

  /**
   * The last messages of a room, oldest first.
   * @param viewer the recipient, who gets the private fields for their own messages
   */
  async history(tx: Tx, performerId: number, viewer: Viewer): Promise<ChatMessageView[]> {
    return this.viewsOf(tx, performerId, await findMessages(tx, performerId), viewer);
  }

  /** Stored messages as they are shown now. @param viewer the recipient */
  async viewsOf(
    tx: Tx,
    performerId: number,
    messages: readonly Message[],
    viewer: Viewer | null,
  ): Promise<ChatMessageView[]> {
    const ids = messages.flatMap(({ senderId, reply }) => (reply ? [senderId, reply.senderId] : [senderId]));
    const people = await this.#deps.accounts.findMany(tx, [...new Set(ids)]);
    const staff = await this.#deps.accounts.staffAmong(tx, people.values());
    return messages.flatMap((message) => {
      // Messages of a sender in deletion are not shown.
      if (people.get(message.senderId)?.deletionRequestedAt != null) return [];
      const view = viewOf(performerId, message, people, staff);
      if (!view) return [];
      const isOwn = viewer !== null && message.senderId === viewer.personId && !message.isAnonymous;
      return [isOwn ? { ...view, ...viewer.own } : view];
    });
  }

  /** Shows a tip as a chat line, once per fact. */
  async showTip(tx: Tx, tip: ShownTip): Promise<void> {
    const { performerId, senderId, tokens, recentTips, isAnonymous } = tip;
    if (!(await insertShownFact(tx, tip.factId))) return;
    const sender = await this.#personOf(tx, senderId);
    const shown = isAnonymous ? PLAIN : await this.#appearanceIn(tx, sender, performerId, recentTips);
    await this.#showIn(tx, performerId, sender, {
      kind: 'tip',
      body: cleanText(tip.comment),
      tokens,
      language: null,
      reply: null,
      isAnonymous,
      ...shown,
    }, tip.showChat);
  }

  /** Shows a held message that a moderator approved. */
  async showHeld(tx: Tx, held: HeldMessage): Promise<number> {
    const { performerId, senderId, body, recentTips, language } = held;
    const sender = await this.#personOf(tx, senderId);
    const shown = await this.#appearanceIn(tx, sender, performerId, recentTips);
    return this.#show(tx, performerId, sender, {
      kind: 'message',
      body,
      tokens: 0,
      language,
      reply: null,
      isAnonymous: false,
      ...shown,
    });
  }

  /** Shows a notice in the performer's name. @param showChat in the chat of this show; null for the room */
  async notice(tx: Tx, performerId: number, text: string, showChat: string | null = null): Promise<number> {
    const performer = await this.#personOf(tx, performerId);
    return this.#showIn(tx, performerId, performer, {
      kind: 'notice',
      body: cleanText(text),
      tokens: 0,
      language: null,
      reply: null,
      ...PLAIN,
      isPerformer: true,
      isAnonymous: false,
    }, showChat);
  }

  async #personOf(tx: Tx, personId: number): Promise<Person> {
    const person = await this.#deps.accounts.findById(tx, personId);
    if (!person) throw new Error(`person ${personId} speaks and has no account`);
    return person;
  }

  /** Badges and colour data of a sender who is not connected. */
  async #appearanceIn(
    tx: Tx,
    sender: Person,
    performerId: number,
    recentTips: number,
  ): Promise<Appearance> {
    const caller = { personId: sender.id, roles: sender.roles };
    const { isModerator } = await roomRightsIn(this.#deps.extensions, tx, caller, performerId);
    return this.#appearance(tx, sender, performerId, { recentTips, isModerator });
  }

  async #appearance(
    tx: Tx,
    sender: Person,
    performerId: number,
    known: Pick<Appearance, 'recentTips' | 'isModerator'>,
  ): Promise<Appearance> {
    const hasTokens = (await this.#deps.ledger.balance(tx, sender.id)) > 0;
    const tier = (await tiersOf(this.#deps, tx, [sender.id]))(sender.id);
    const levels = await this.#deps.extensions.one(fanLevels)(tx, [sender.id], performerId);
    return {
      ...known,
      ...tier,
      isPerformer: sender.type === 'model',
      hasTokens,
      fanclubLevel: levels.get(sender.id) ?? null,
    };
  }

  /** Stores a message and sends it to the room; returns its sequence number. */
  async #show(
    tx: Tx,
    performerId: number,
    sender: Person,
    said: NewMessage,
  ): Promise<number> {
    return record(tx, performerId, chatMessage, async (id) => {
      const message = await messageOf(this.#deps, tx, id, sender, said);
      await insertMessage(tx, performerId, message);
      // Removing the sender's messages must not reveal an anonymous tip.
      const subjectId = message.isAnonymous ? null : sender.id;
      return { payload: await this.#viewIn(tx, performerId, message, sender), subjectId };
    });
  }

  /** Shows a message in the room, or in the chat of a show; if that show is over, nobody receives it. */
  async #showIn(
    tx: Tx,
    performerId: number,
    sender: Person,
    said: NewMessage,
    showChat: string | null,
  ): Promise<number> {
    if (showChat === null) return this.#show(tx, performerId, sender, said);
    const running = await runningChat(this.#deps.extensions, tx, performerId);
    return this.#showToReaders(tx, performerId, sender, said, {
      key: showChat,
      running: running?.key === showChat ? running : null,
    });
  }

  /** Stores a message of a show's chat and sends it to those who may read it now. */
  async #showToReaders(
    tx: Tx,
    performerId: number,
    sender: Person,
    said: NewMessage,
    { key, running }: { readonly key: string; readonly running: RunningShowChat | null },
  ): Promise<number> {
    // The room's lock also orders the messages of a show.
    await lockState(tx, performerId);
    const message = await insertShowMessage(
      tx,
      performerId,
      key,
      await messageOf(this.#deps, tx, 0, sender, said),
    );
    await scheduleForgetting(tx, performerId);
    if (!running) return message.id;
    await sendMessageToReaders(
      tx,
      performerId,
      running,
      message,
      (shown) => this.#viewIn(tx, performerId, shown, sender),
    );
    return message.id;
  }

  async #viewIn(tx: Tx, performerId: number, message: Message, sender: Person): Promise<ChatMessageView> {
    const { reply } = message;
    const others = reply ? await this.#deps.accounts.findMany(tx, [reply.senderId]) : [];
    const people = new Map([...others, [sender.id, sender]]);
    const staff = await this.#deps.accounts.staffAmong(tx, people.values());
    const view = viewOf(performerId, message, people, staff);
    if (!view) throw new Error('a message lost its sender');
    return view;
  }

  /** Handles a message; if that fails unexpectedly, its sender gets it back without a reason. */
  async #answer(said: Said, context: EventContext): Promise<void> {
    try {
      await this.#handle(said, context);
    } catch (error) {
      const why = { errorMessage: null, action: null, isModeration: false };
      this.#giveBack(context, cleanText(said.text), why, said.wanted);
      // The gateway logs and counts it.
      throw error;
    }
  }

  async #handle({ text, replyTo, wanted }: Said, context: EventContext): Promise<void> {
    const { data, extensions } = this.#deps;
    const { caller, scope, locale } = context;
    const body = cleanText(text);
    // Debug lines and messages of test users are not shown (spec 2 §5).
    if (isDebugLine(body) || caller.roles.includes(TEST_ROLE)) return;
    const senderId = caller.personId;
    const code = senderId === null ? 'log_in' : refusalOfMessage(body);
    if (senderId === null || code !== null) {
      return this.#return(context, body, refused(code ?? 'log_in'), wanted);
    }
    const performerId = performerOfTopic(context.topic);
    const speaker = await data.tx(scope, async (tx) => {
      const sender = await this.#deps.accounts.findById(tx, senderId);
      if (!sender || sender.inactiveSince !== null) return null;
      const rights = await roomRightsIn(extensions, tx, caller, performerId);
      const recent = await extensions.one(tipping).recentTips(tx, [senderId], performerId);
      const recentTips = recent.get(senderId) ?? 0;
      const accountAgeMs = tx.now.getTime() - sender.createdAt.getTime();
      return { sender, rights, recentTips, tier: paceTierOf({ rights, accountAgeMs, recentTips }) };
    });
    if (!speaker) return;
    const { sender, rights, recentTips, tier } = speaker;
    // Between two units of work, because the limits may be counted in Redis.
    const waitMs = await this.#paces.take(`${scope.operatorId}:${senderId}`, PACES[tier]);
    if (waitMs > 0) return this.#return(context, body, refused('too_fast'), wanted);
    const refusal = await data.tx(scope, async (tx) => {
      const running = await runningChat(extensions, tx, performerId);
      const where = chatFor(wanted, running, senderId);
      if (where === 'over' || where === 'read_only') return refused(`show_${where}`);
      const show = where === 'show' ? running : null;
      const reply = await repliedIn(tx, performerId, show, replyTo);
      const { isModerator } = rights;
      const shown = await this.#appearance(tx, sender, performerId, { recentTips, isModerator });
      const saying = { performerId, caller, sender, rights, body, locale, shown, reply, show };
      return show ? this.#sayInShow(tx, saying, show) : this.#say(tx, saying);
    });
    if (refusal) this.#return(context, body, refusal, wanted);
  }

  /**
   * Sends a message to the chat of a show, by the silences, blocked words and links of the room. Nothing
   * waits for a moderator, who would have to read it. Returns the refusal; null when the message was shown.
   */
  async #sayInShow(tx: Tx, saying: ChatInput, show: RunningShowChat): Promise<Refusal | null> {
    const { performerId, caller, sender, body, locale, shown, reply } = saying;
    // The effect of a command would be seen in the room.
    if (commandOf(body)) return refused('show_command');
    const guard = this.#deps.extensions.one(roomGuard);
    const visitor = { caller, address: '', device: null };
    const isOut = performerId !== sender.id && await guard.isExcluded(tx, visitor, performerId);
    if (isOut) return refused('show_over');
    const verdict = await guard.judgeAside(tx, { performerId, person: sender }, body);
    if (verdict) return { ...verdict, isModeration: true };
    await this.#showToReaders(tx, performerId, sender, {
      kind: 'message',
      body,
      tokens: 0,
      language: locale,
      reply,
      isAnonymous: false,
      ...shown,
    }, { key: show.key, running: show });
    return null;
  }

  /** Returns the refusal; null when the message was shown or shadowed. */
  async #say(tx: Tx, saying: ChatInput): Promise<Refusal | null> {
    const { performerId, sender, rights, body, locale, shown } = saying;
    const command = commandOf(body);
    if (command) {
      // Looked up again: rights of an earlier unit of work may be outdated.
      const now = await roomRightsIn(this.#deps.extensions, tx, saying.caller, performerId);
      return this.#command(tx, saying, { performerId, personId: sender.id, rights: now, locale, ...command });
    }
    const speaker = { performerId, person: sender, rights, locale, recentTips: shown.recentTips };
    const verdict = await this.#deps.extensions.one(roomGuard).judge(tx, speaker, body);
    if (verdict.kind === 'refuse') return { ...verdict, isModeration: true };
    const said = {
      kind: 'message',
      body,
      tokens: 0,
      language: locale,
      reply: saying.reply,
      isAnonymous: false,
      ...shown,
    } as const;
    if (verdict.kind === 'show') await this.#show(tx, performerId, sender, said);
    else await this.#withhold(tx, saying, said, verdict);
    return verdict.kind === 'hold' ? { ...refused('held'), isModeration: true } : null;
  }

  /**
   * Sends a shadowed or held message to the moderators. A shadowed message takes a sequence number, and its
   * log entry is empty for everybody else; a held one takes none.
   */
  async #withhold(
    tx: Tx,
    { performerId, sender }: ChatInput,
    said: NewMessage,
    { kind, heldId = null }: Extract<Verdict, { kind: 'hold' | 'shadow' }>,
  ): Promise<void> {
    const id = kind === 'hold'
      ? 0
      : await record(tx, performerId, messagesRemoved, () => ({ payload: { ids: [] } }));
    const message = await this.#viewIn(
      tx,
      performerId,
      await messageOf(this.#deps, tx, id, sender, said),
      sender,
    );
    await sendToModerators(tx, performerId, messageWithheld, { verdict: kind, heldId, message });
    if (kind === 'hold') return;
    await tx.send(topicPersonChannel(roomTopic(performerId), sender.id), chatMessage, message);
  }

  async #command(tx: Tx, { sender }: ChatInput, command: Command): Promise<Refusal | null> {
    const asked = roomCommand(command, command.rights.canModerate);
    if (asked === null) {
      for (const run of this.#deps.extensions.all(chatCommands)) {
        const outcome = await run(tx, command);
        if (outcome !== null) return outcome === 'done' ? null : outcome;
      }
      return refused('unknown_command');
    }
    if ('refusal' in asked) return refused(asked.refusal);
    if ('sound' in asked) await playSound(tx, command.performerId, sender, asked.sound);
    else await setMode(this.#deps.extensions, tx, command.performerId, asked.mode);
    return null;
  }

  /** Returns a refused message to its sender only, in the chat where it was written. */
  #return(
    context: EventContext,
    body: string,
    { key, values, isModeration = false }: Refusal,
    wanted: WantedChat = ANY,
  ): void {
    const errorMessage = this.#deps.text(context.locale, key, values);
    const action = key.slice(key.lastIndexOf('.') + 1);
    this.#giveBack(context, body, { errorMessage, action, isModeration }, wanted);
  }

  #giveBack(
    { reply, caller, locale }: EventContext,
    body: string,
    why: Return,
    wanted: WantedChat,
  ): void {
    const message = returnedMessage(caller, body, locale, this.#deps.data.clock.now(), why);
    if (wanted.kind === 'show') reply(showMessage, { chat: wanted.key, message });
    else reply(chatMessage, message);
  }
}
