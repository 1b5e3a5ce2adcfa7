import { subscribe, type Subscription } from '../../../../platform/contract/bind.ts';
import { personChannel, topicChannel } from '../../../../platform/contract/event.ts';
import type { FactPayload } from '../../../../platform/contract/fact.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { ANONYMOUS, roomTopic } from '../../../rooms/rules.ts';
import { tipPaid, tipReceived } from '../../contract.ts';
import { findOverlay, keepTip, noteRecent, sumRecent, type KeptTip } from '../../store.ts';
import type { Effects } from '../overlay/effects.ts';
import type { Goals } from '../goals.ts';
import type { TipsDependencies } from '../dependencies.ts';

type Paid = FactPayload<typeof tipPaid>;

const keptOf = (paid: Paid, at: Date): KeptTip => ({
  tipId: paid.tipId, senderId: paid.senderId, receiverId: paid.receiverId, tokens: paid.tokens,
  comment: paid.comment, type: paid.type, sourceId: paid.sourceId, vr: paid.vr, appData: paid.appData,
  title: paid.order?.title ?? null, isAnonymous: paid.anonymous, at,
});

/**
 * A posted tip is kept, counted towards the goal, shown in the chat, told to the tabs of both people and of
 * the room, and sets off what it sets off: all once, in one unit.
 */
export function counted(deps: TipsDependencies, goals: Goals, effects: Effects): Subscription {
  const { data, rooms } = deps;
  // The consumer's name is older than what it does: facts on their way bear it.
  return subscribe(tipPaid, 'tips.shown')(({ id: factId, operatorId, at, payload }) =>
    data.tx({ operatorId }, async (tx) => {
      const { senderId, receiverId, tokens, comment } = payload;
      // Announced by a program of before, a fact lacks what came since.
      const paid: Paid = {
        ...payload, anonymous: payload.anonymous ?? false, sourceId: payload.sourceId ?? null,
        vr: payload.vr ?? false, appData: payload.appData ?? {}, order: payload.order ?? null,
      };
      const tip = keptOf(paid, at);
      if (!(await keepTip(tx, tip))) return;
      await noteRecent(tx, tip);
      const isAnonymous = paid.anonymous;
      const recentTips = isAnonymous ? 0 : (await sumRecent(tx, [senderId], receiverId)).get(senderId) ?? 0;
      await rooms.showTip(tx, {
        factId, performerId: receiverId, senderId, tokens, comment, recentTips, isAnonymous,
      });
      await tell(tx, paid);
      await goals.count(tx, receiverId, tokens);
      await setOff(tx, effects, paid);
    }));
}

/** To every tab of both people, and to the room. */
async function tell(tx: Tx, paid: Paid): Promise<void> {
  const told = {
    tip_id: paid.tipId, tokens: paid.tokens, receiver_name: paid.receiverName,
    sender_name: paid.anonymous ? ANONYMOUS.displayName : paid.senderName, type: paid.type,
    comment: paid.comment, anonymous: paid.anonymous,
  };
  await tx.send(personChannel(paid.senderId), tipReceived, told);
  await tx.send(personChannel(paid.receiverId), tipReceived, told);
  await tx.send(topicChannel(roomTopic(paid.receiverId)), tipReceived, told);
}

/** What a tip sets off: the item it ordered, and an alert where there is an overlay to show it. */
async function setOff(tx: Tx, effects: Effects, paid: Paid): Promise<void> {
  const effect = {
    performer_id: paid.receiverId, source: `tip:${paid.tipId}`, title: paid.order?.title ?? '',
    tokens: paid.tokens, comment: paid.comment, sender_name: paid.anonymous ? null : paid.senderName,
  };
  if (paid.order !== null) await effects.queue(tx, { ...effect, kind: 'order' });
  const overlay = await findOverlay(tx, { performerId: paid.receiverId });
  if (overlay !== null) await effects.queue(tx, { ...effect, kind: 'alert' });
}
