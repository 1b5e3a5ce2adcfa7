import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { personChannel, topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import type { FactPayload } from '#platform/contract/fact.ts';
import type { Tx } from '#platform/data/data.ts';
import { ANONYMOUS, roomTopic } from '#product/rooms/rules.ts';
import { tipPaid, tipReceived } from '../../contract.ts';
import { findOverlay, noteRecent, storeTip, sumRecent, type StoredTip } from '../../store.ts';
import type { TipsDependencies } from '../dependencies.ts';
import type { Goals } from '../goals.ts';
import type { Effects } from '../overlay/effects.ts';

type Paid = FactPayload<typeof tipPaid> & { readonly showChat: string | null };

const storedTipOf = (paid: Paid, at: Date): StoredTip => ({
  tipId: paid.tipId,
  senderId: paid.senderId,
  receiverId: paid.receiverId,
  tokens: paid.tokens,
  comment: paid.comment,
  type: paid.type,
  sourceId: paid.sourceId,
  vr: paid.vr,
  appData: paid.appData,
  title: paid.order?.title ?? null,
  isAnonymous: paid.anonymous,
  at,
});

/**
 * Stores a posted tip, counts it towards the goal, shows it in the chat, sends it to the tabs of both people
 * and to the room, and queues its effects: all once, in one unit of work.
 */
export function counted(deps: TipsDependencies, goals: Goals, effects: Effects): Subscription {
  const { data, rooms } = deps;
  // The consumer's name is older than what it does: undelivered facts are stored under it.
  return subscribe(tipPaid, 'tips.shown')(({ id: factId, operatorId, at, payload }) =>
    data.tx({ operatorId }, async (tx) => {
      const { senderId, receiverId, tokens, comment } = payload;
      // A fact published by an older version lacks newer fields.
      const paid: Paid = {
        ...payload,
        anonymous: payload.anonymous ?? false,
        sourceId: payload.sourceId ?? null,
        vr: payload.vr ?? false,
        appData: payload.appData ?? {},
        order: payload.order ?? null,
        showChat: payload.showChat ?? null,
      };
      const tip = storedTipOf(paid, at);
      if (!(await storeTip(tx, tip))) return;
      await noteRecent(tx, tip);
      const isAnonymous = paid.anonymous;
      const recentTips = isAnonymous ? 0 : (await sumRecent(tx, [senderId], receiverId)).get(senderId) ?? 0;
      await rooms.showTip(tx, {
        factId,
        performerId: receiverId,
        senderId,
        tokens,
        comment,
        recentTips,
        isAnonymous,
        showChat: paid.showChat,
      });
      await publish(deps, tx, paid);
      await goals.count(tx, receiverId, tokens);
      await queueEffects(tx, effects, paid);
    })
  );
}

/** Sends the tip to all tabs of both people, and to the room, or only to the people in its show. */
async function publish({ rooms }: TipsDependencies, tx: Tx, paid: Paid): Promise<void> {
  const payload = {
    tip_id: paid.tipId,
    tokens: paid.tokens,
    receiver_name: paid.receiverName,
    sender_name: paid.anonymous ? ANONYMOUS.displayName : paid.senderName,
    type: paid.type,
    comment: paid.comment,
    anonymous: paid.anonymous,
  };
  await tx.send(personChannel(paid.senderId), tipReceived, payload);
  await tx.send(personChannel(paid.receiverId), tipReceived, payload);
  const topic = roomTopic(paid.receiverId);
  if (paid.showChat === null) return tx.send(topicChannel(topic), tipReceived, payload);
  const show = await rooms.showChatOf(tx, paid.receiverId, paid.senderId);
  // Once the show is over nobody else receives it.
  for (const personId of show?.key === paid.showChat ? show.readerIds : []) {
    await tx.send(topicPersonChannel(topic, personId), tipReceived, payload);
  }
}

/** Queues the effects of a tip: the item it ordered, and an alert if there is an overlay. */
async function queueEffects(tx: Tx, effects: Effects, paid: Paid): Promise<void> {
  const effect = {
    performer_id: paid.receiverId,
    source: `tip:${paid.tipId}`,
    title: paid.order?.title ?? '',
    tokens: paid.tokens,
    show_chat: paid.showChat,
    // An overlay is part of a video that may be shown again after the show, so the sender stays unnamed.
    ...(paid.anonymous || paid.showChat !== null ? { sender_name: null } : { sender_name: paid.senderName }),
    comment: paid.showChat === null ? paid.comment : '',
  };
  if (paid.order !== null) await effects.queue(tx, { ...effect, kind: 'order' });
  const overlay = await findOverlay(tx, { performerId: paid.receiverId });
  if (overlay !== null) await effects.queue(tx, { ...effect, kind: 'alert' });
}
