import { createHash } from 'node:crypto';
import { answer, hear, type Hearing, type Slice } from '../../platform/contract/bind.ts';
import type { InputOf } from '../../platform/contract/call.ts';
import { personChannel, topicChannel } from '../../platform/contract/event.ts';
import { hostRefusals } from '../../platform/contract/refusal.ts';
import type { Slots } from '../../platform/contract/slot.ts';
import type { Data } from '../../platform/data/data.ts';
import type { AccountsService, Person } from '../accounts/server.ts';
import { ageVerificationRequired } from '../compliance/contract.ts';
import type { ComplianceService } from '../compliance/server.ts';
import type { Leg, LedgerService, Operation } from '../ledger/server.ts';
import { viewerStanding } from '../rooms/contract.ts';
import { cleanText, normalizeUsername, roomTopic } from '../rooms/rules.ts';
import type { RoomsService } from '../rooms/server.ts';
import {
  notEnoughTokens, ownTip, receiverMissing, receiverUnknown, sendTip, tipPaid, tipReceived,
} from './contract.ts';
import { divideTip, MAX_TIP_COMMENT_LENGTH, PERFORMER_SHARE_PERCENT } from './rules.ts';
import { noteTip, sumRecent } from './store.ts';

/** Nothing is asked of tips by name: later slices hear `tips.received`. */
export type TipsSlice = Slice<null>;

export interface TipsNeeds {
  readonly data: Data;
  readonly slots: Slots;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly compliance: ComplianceService;
  readonly rooms: RoomsService;
  /** Whole percent of a tip the performer earns; {@link PERFORMER_SHARE_PERCENT} unless the operator says
   * otherwise. */
  readonly performerSharePercent?: number;
}

/** Tips: exact, never lost, never doubled, seen by everyone in the room. */
export function tipsSlice(needs: TipsNeeds): TipsSlice {
  const { data, slots, accounts, ledger, compliance } = needs;
  const sharePercent = needs.performerSharePercent ?? PERFORMER_SHARE_PERCENT;
  slots.fill(viewerStanding, {
    recentTips: (scope, personIds, performerId) =>
      data.tx(scope, (tx) => sumRecent(tx, personIds, performerId)),
  });
  const tip = answer(sendTip)(async (input, context) => {
    const { caller: { personId: senderId }, idempotencyKey, refuse, scope } = context;
    if (senderId === null || idempotencyKey === null) throw new Error('a tip came without person or key');
    const viewer = compliance.viewerOf(context);
    if (viewer.gate !== 'open') return refuse(ageVerificationRequired);
    const username = normalizeUsername(input.username);
    if (username === '') return refuse(receiverMissing);
    return data.tx(scope, async (tx) => {
      const receiver = await accounts.findByUsername(tx, username);
      const sender = await accounts.findById(tx, senderId);
      if (!sender) throw new Error(`person ${senderId} has a session and no account`);
      const isThere = receiver?.type === 'model'
        && (await compliance.mayPerceive(tx, viewer, receiver.id, 'room'));
      if (!isThere) return refuse(receiverUnknown);
      if (receiver.id === senderId) return refuse(ownTip);
      const id = ledger.operationId(senderId, sendTip.name, idempotencyKey);
      const [outcome] = await ledger.post(tx, [operationOf(id, sender, receiver, input, sharePercent)]);
      if (!outcome) throw new Error('the ledger answered nothing');
      if (!('balances' in outcome)) {
        return refuse(outcome.status === 'mismatch' ? hostRefusals.keyReused : notEnoughTokens);
      }
      const tokens = outcome.balances.get(senderId);
      if (tokens === undefined) throw new Error('the ledger did not say what the sender has left');
      return { status: 1, errorType: null, error: null, tip_id: id, amount: input.amount, tokens };
    });
  });
  return { name: 'tips', service: null, answers: [tip], hearings: [shown(needs)] };
}

type TipInput = InputOf<typeof sendTip>;

/** A tip as the ledger posts it: from the viewer's tokens to the performer's earnings and the operator's
 * fees. */
function operationOf(
  id: string, sender: Person, receiver: Person, input: TipInput, sharePercent: number,
): Operation {
  const { amount, type = 'tip', source_id: source = null } = input;
  const comment = [...cleanText(input.comment ?? '')].slice(0, MAX_TIP_COMMENT_LENGTH).join('');
  const { performer, operator } = divideTip(amount, sharePercent);
  const legs: Leg[] = [
    { account: { kind: 'person', personId: sender.id, book: 'tokens' }, tokens: -amount },
    { account: { kind: 'person', personId: receiver.id, book: 'earnings' }, tokens: performer },
    { account: { kind: 'operator', name: 'fees' }, tokens: operator },
  ];
  return {
    id, kind: 'tip', parameterHash: hashOf(receiver, input),
    legs: legs.filter((leg) => leg.tokens !== 0),
    memo: { from: sender.username, to: receiver.username, tokens: amount, comment, type, source },
    facts: [{
      name: tipPaid.name, key: roomTopic(receiver.id),
      payload: {
        tipId: id, senderId: sender.id, senderName: sender.username, receiverId: receiver.id,
        receiverName: receiver.username, tokens: amount, comment, type,
      },
    }],
  };
}

/** Everything the sender decided: the same key with anything else is another tip. The share is not theirs. */
function hashOf(receiver: Person, input: TipInput): string {
  const { amount, comment = '', type = 'tip', source_id: source = null, vr = false } = input;
  const fields = input.app_data ?? {};
  const appData = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const decided = [receiver.id, amount, comment, type, source, vr, appData];
  return createHash('sha256').update(JSON.stringify(decided)).digest('hex');
}

/** A posted tip appears in the chat, and in the tabs of both people and of the room: all once, in one unit.
 * */
function shown({ data, rooms }: TipsNeeds): Hearing {
  return hear(tipPaid, 'tips.shown')(({ id: factId, operatorId, at, payload }) =>
    data.tx({ operatorId }, async (tx) => {
      const { tipId, senderId, receiverId, tokens, comment } = payload;
      if (!(await noteTip(tx, { tipId, senderId, receiverId, tokens, at }))) return;
      const recentTips = (await sumRecent(tx, [senderId], receiverId)).get(senderId) ?? 0;
      await rooms.showTip(tx, { factId, performerId: receiverId, senderId, tokens, comment, recentTips });
      const told = {
        tip_id: tipId, tokens, receiver_name: payload.receiverName, sender_name: payload.senderName,
        type: payload.type, comment,
      };
      await tx.tell(personChannel(senderId), tipReceived, told);
      await tx.tell(personChannel(receiverId), tipReceived, told);
      await tx.tell(topicChannel(roomTopic(receiverId)), tipReceived, told);
    }));
}
