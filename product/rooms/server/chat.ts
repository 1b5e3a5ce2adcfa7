import { listen, type FrameContext, type Listening } from '../../../platform/contract/bind.ts';
import { topicChannel } from '../../../platform/contract/event.ts';
import type { Slots } from '../../../platform/contract/slot.ts';
import type { Data, Tx } from '../../../platform/data/data.ts';
import type { HostPort } from '../../../platform/http/host-port.ts';
import type { AccountsService, Person } from '../../accounts/server.ts';
import { chatMessage, sayInChat, viewerStanding, type ChatMessageView } from '../contract.ts';
import {
  cleanText, faultOfMessage, isRested, MAX_PACED_PEOPLE, nextPace, performerOfTopic, placeOf, roomTopic,
  type ChatFault, type Pace,
} from '../rules.ts';
import { findMessages, insertMessage, noteShown, type Message } from '../store.ts';

export interface ChatNeeds {
  readonly data: Data;
  readonly slots: Slots;
  readonly accounts: AccountsService;
  readonly text: HostPort['text'];
}

/** A tip as the room shows it. */
export interface ShownTip {
  /** Id of the fact behind it: shown once per id. */
  readonly factId: string;
  readonly performerId: number;
  readonly senderId: number;
  readonly tokens: number;
  readonly comment: string;
  /** Tokens the sender tipped this performer in the last 24 h, this tip included. */
  readonly recentTips: number;
}

/** What people say in rooms. */
export class Chat {
  readonly #needs: ChatNeeds;
  readonly #paces = new Map<string, Pace>();

  constructor(needs: ChatNeeds) {
    this.#needs = needs;
  }

  listenings(): Listening[] {
    return [listen(sayInChat)(({ message }, context) => this.#say(message, context))];
  }

  /** The last messages of a room, oldest first. */
  async history(tx: Tx, performerId: number): Promise<ChatMessageView[]> {
    const messages = await findMessages(tx, performerId);
    const senderIds = new Set(messages.map((one) => one.senderId));
    const senders = await this.#needs.accounts.findMany(tx, [...senderIds]);
    return messages.flatMap((message) => {
      const sender = senders.get(message.senderId);
      return sender ? [viewOf(message, sender)] : [];
    });
  }

  /** Shows a tip as a chat line, once per fact. */
  async showTip(tx: Tx, tip: ShownTip): Promise<void> {
    const { performerId, senderId, tokens, recentTips } = tip;
    if (!(await noteShown(tx, tip.factId))) return;
    const sender = await this.#needs.accounts.findById(tx, senderId);
    if (!sender) throw new Error(`person ${senderId} tipped and has no account`);
    const message = await insertMessage(tx, performerId, {
      senderId, kind: 'tip', body: cleanText(tip.comment), tokens, recentTips, language: null,
      isPerformer: sender.type === 'model',
      isModerator: placeOf({ personId: senderId, roles: sender.roles }, performerId).isModerator,
    });
    await tx.tell(topicChannel(roomTopic(performerId)), chatMessage, viewOf(message, sender));
  }

  async #say(text: string, context: FrameContext): Promise<void> {
    const { data, slots, accounts } = this.#needs;
    const { caller, scope, locale } = context;
    const performerId = performerOfTopic(context.topic);
    const senderId = caller.personId;
    const body = cleanText(text);
    const fault = senderId === null
      ? 'log_in'
      : (faultOfMessage(body) ?? (this.#mayGo(scope.operatorId, senderId) ? null : 'too_fast'));
    if (senderId === null || fault !== null) return this.#answerFault(context, body, fault ?? 'log_in');
    const recent = await slots.one(viewerStanding).recentTips(scope, [senderId], performerId);
    await data.tx(scope, async (tx) => {
      const sender = await accounts.findById(tx, senderId);
      if (!sender || sender.suspendedAt !== null) return;
      const { isModerator } = placeOf(caller, performerId);
      const message = await insertMessage(tx, performerId, {
        senderId, kind: 'message', body, tokens: 0, recentTips: recent.get(senderId) ?? 0,
        isPerformer: sender.type === 'model', isModerator, language: locale,
      });
      await tx.tell(topicChannel(roomTopic(performerId)), chatMessage, viewOf(message, sender));
    });
  }

  /** Takes one message of a person's pace. */
  #mayGo(operatorId: number, personId: number): boolean {
    const key = `${operatorId}:${personId}`;
    const nowMs = this.#needs.data.clock.now().getTime();
    const { allowed, pace } = nextPace(this.#paces.get(key), nowMs);
    this.#paces.delete(key);
    this.#paces.set(key, pace);
    for (const [oldest, known] of this.#paces) {
      if (this.#paces.size <= MAX_PACED_PEOPLE && !isRested(known, nowMs)) break;
      this.#paces.delete(oldest);
    }
    return allowed;
  }

  /** What was refused comes back to its sender alone; id 0 is no place in the room. */
  #answerFault({ reply, caller, locale }: FrameContext, body: string, fault: ChatFault): void {
    const username = caller.username ?? '';
    reply(chatMessage, {
      ...UNADORNED, id: 0, username, display_name: username, message: body, type: 'message',
      is_tip: false, value: 0, recent_tips: 0,
      error: true, errorMessage: this.#needs.text(locale, `rooms:errors.${fault}`),
      is_model: false, is_moderator: false, is_guest: caller.kind !== 'person', user_language: locale,
      at: this.#needs.data.clock.now().toISOString(),
    });
  }
}

/** Fields of a message that moderation, invisible mode and paid looks fill. */
const UNADORNED = {
  subject_username: null, is_invisible_mode: false, is_moderation_message: false, action: null,
  background: null, fontStyle: null, color: null, weight: null,
} as const;

function viewOf(message: Message, sender: Person): ChatMessageView {
  return {
    ...UNADORNED, id: message.id, username: sender.username, display_name: sender.displayName,
    message: message.body, type: message.kind,
    is_tip: message.kind === 'tip', value: message.tokens, recent_tips: message.recentTips,
    error: false, errorMessage: null, is_model: message.isPerformer, is_moderator: message.isModerator,
    is_guest: false, user_language: message.language, at: message.at.toISOString(),
  };
}
