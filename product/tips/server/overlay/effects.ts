import {
  handleCall,
  handleEvent,
  subscribe,
  type CallHandler,
  type DeadlineHandler,
  type EventHandler,
  type Subscription,
} from '#platform/contract/bind.ts';
import { personChannel, sessionChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import {
  effectChanged,
  effectQueued,
  effectUnknown,
  finishOrder,
  listEffects,
  replayEffect,
  type EffectView,
} from '../../contract/effects.ts';
import { overlayAlert, overlayShown } from '../../contract/overlay.ts';
import { EFFECT_WAIT_MS, EFFECTS_PAGE } from '../../rules.ts';
import { findOverlay } from '../../store.ts';
import {
  changeEffect,
  findEffects,
  insertEffect,
  lockEffect,
  type NewEffect,
  type StoredEffect,
} from '../../store/effects.ts';
import { localeOf, type TipsDependencies } from '../dependencies.ts';
import { digestOfSession, overlaySession } from './overlay-session.ts';

const LATE = 'tips.effectLate';

const viewOf = (effect: StoredEffect): EffectView => ({
  id: effect.id,
  kind: effect.kind,
  state: effect.state,
  title: effect.title,
  tokens: effect.tokens,
  sender_name: effect.sender_name,
  tries: effect.tries,
  at: effect.at.toISOString(),
  done: effect.kind === 'order' ? effect.done_at !== null : null,
});

/**
 * Effects of tips, each delivered by itself: queued with the tip, delivered after it, failed if not in time.
 * The performer sees the state of each, and can send it again.
 */
export class Effects {
  readonly #deps: TipsDependencies;

  constructor(deps: TipsDependencies) {
    this.#deps = deps;
  }

  /** Queues an effect once per source and kind. */
  async queue(tx: Tx, effect: NewEffect): Promise<void> {
    const made = await insertEffect(tx, effect);
    if (made) await this.#send(tx, made);
  }

  subscriptions(): Subscription[] {
    return [
      subscribe(effectQueued, 'tips.deliver')(({ operatorId, payload: { effectId } }) =>
        this.#deps.data.tx({ operatorId }, async (tx) => {
          const effect = await lockEffect(tx, effectId);
          if (effect?.state === 'waiting') await this.#deliver(tx, effect);
        })
      ),
    ];
  }

  due(): DeadlineHandler[] {
    return [{
      kind: LATE,
      handle: ({ operatorId, key }) =>
        this.#deps.data.tx({ operatorId }, async (tx) => {
          const effect = await lockEffect(tx, Number(key));
          if (effect?.state === 'waiting') await this.#change(tx, effect.id, { state: 'failed' });
        }),
    }];
  }

  eventHandlers(): EventHandler[] {
    return [
      handleEvent(overlayShown)(async ({ effect_id: id }, { caller, scope }) => {
        const digest = digestOfSession(caller.sessionId);
        if (digest === null) return;
        await this.#deps.data.tx(scope, async (tx) => {
          const overlay = await findOverlay(tx, { digest });
          const effect = overlay && (await lockEffect(tx, id));
          if (!effect || effect.performer_id !== overlay.performerId || effect.kind !== 'alert') return;
          if (effect.state === 'waiting') await this.#arrived(tx, effect.id);
        });
      }),
    ];
  }

  callHandlers(): CallHandler[] {
    const { data } = this.#deps;
    const own = async (tx: Tx, id: number, performerId: number): Promise<StoredEffect | null> => {
      const effect = await lockEffect(tx, id);
      return effect?.performer_id === performerId ? effect : null;
    };
    return [
      handleCall(listEffects)(async ({ before, limit = EFFECTS_PAGE }, context) => {
        const found = await data.tx(
          context.scope,
          (tx) => findEffects(tx, context.personId, before, limit + 1),
        );
        const { page, next } = pageOf(found.map(viewOf), limit);
        return { effects: page, next };
      }),
      handleCall(replayEffect)(async ({ id }, context) =>
        data.tx(context.scope, async (tx) => {
          const effect = await own(tx, id, context.personId);
          if (!effect) return context.refuse(effectUnknown);
          // A waiting effect is already being delivered.
          if (effect.state === 'waiting') return viewOf(effect);
          const again = await changeEffect(tx, id, { state: 'waiting', tries: effect.tries + 1 });
          await this.#send(tx, again);
          return viewOf(again);
        })
      ),
      handleCall(finishOrder)(async ({ id, done }, context) =>
        data.tx(context.scope, async (tx) => {
          const effect = await own(tx, id, context.personId);
          if (effect?.kind !== 'order') return context.refuse(effectUnknown);
          return viewOf(await this.#change(tx, id, { done_at: done ? tx.now : null }));
        })
      ),
    ];
  }

  /** Starts the delivery of a waiting effect, with its time limit. */
  async #send(tx: Tx, effect: StoredEffect): Promise<void> {
    const { id, performer_id: performerId } = effect;
    await tx.schedule({ kind: LATE, key: String(id), at: new Date(tx.now.getTime() + EFFECT_WAIT_MS) });
    await tx.publish(effectQueued, roomTopic(performerId), { effectId: id });
    await this.#publish(tx, effect);
  }

  async #deliver(tx: Tx, effect: StoredEffect): Promise<void> {
    const { kind } = effect;
    if (kind === 'alert') return this.#alert(tx, effect);
    await this.#notice(tx, kind, effect);
    await this.#arrived(tx, effect.id);
  }

  /**
   * Sends an alert to the overlay, which acknowledges it; without an overlay the alert fails after its wait.
   */
  async #alert(tx: Tx, effect: StoredEffect): Promise<void> {
    const overlay = await findOverlay(tx, { performerId: effect.performer_id });
    if (!overlay) return;
    await tx.send(sessionChannel(overlaySession(overlay.digest)), overlayAlert, {
      effect_id: effect.id,
      tokens: effect.tokens,
      sender_name: effect.sender_name,
      comment: effect.comment,
      title: effect.title,
    });
  }

  /** Sends a line in the chat, in the language of the room. */
  async #notice(tx: Tx, kind: Exclude<StoredEffect['kind'], 'alert'>, effect: StoredEffect): Promise<void> {
    const { accounts, rooms, text } = this.#deps;
    const performer = await accounts.findById(tx, effect.performer_id);
    if (!performer) throw new Error(`performer ${effect.performer_id} has effects and no account`);
    const locale = localeOf(performer);
    const name = effect.sender_name ?? text(locale, 'tips:somebody');
    const values = { name, title: effect.title, amount: effect.tokens, count: effect.tokens };
    await rooms.notice(tx, performer.id, text(locale, `tips:notice.${kind}`, values), effect.show_chat);
  }

  async #arrived(tx: Tx, id: number): Promise<void> {
    await tx.unschedule(LATE, String(id));
    await this.#change(tx, id, { state: 'delivered' });
  }

  async #change(
    tx: Tx,
    id: number,
    changed: Parameters<typeof changeEffect>[2],
  ): Promise<StoredEffect> {
    const effect = await changeEffect(tx, id, changed);
    await this.#publish(tx, effect);
    return effect;
  }

  async #publish(tx: Tx, effect: StoredEffect): Promise<void> {
    await tx.send(personChannel(effect.performer_id), effectChanged, { effect: viewOf(effect) });
  }
}
