import {
  handleCall,
  subscribe,
  type CallHandler,
  type DeadlineHandler,
  type Subscription,
} from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { FactPayload } from '#platform/contract/fact.ts';
import type { Tx } from '#platform/data/data.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { dayOf } from '#platform/time/days.ts';
import type { Person } from '#product/accounts/server.ts';
import { broadcastEnded, broadcastMoved } from '#product/broadcast/contract.ts';
import type { Operation } from '#product/ledger/server.ts';
import type { Command, CommandOutcome } from '#product/rooms/extension-points.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { geoBlockReceiver, geoBlockSender, overDailyLimit, ownTip, tipPaid } from '../../contract.ts';
import {
  cancelSplit,
  joinSplit,
  splitChanged,
  splitForbidden,
  splitNotOpen,
  splitPriceDiffers,
  splitSilenced,
  splitTooSmall,
  startSplit,
  type TipSplitView,
} from '../../contract/splits.ts';
import { isTipAmount, PERFORMER_SHARE_PERCENT, SPLIT_TYPE } from '../../rules.ts';
import {
  joinRefusal,
  MAX_SPLITTERS,
  MIN_SPLITTERS,
  nextShareOf,
  sharesOf,
  SPLIT_OPEN_MS,
  SPLIT_SHOWN_MS,
  splitCommand,
  startRefusal,
  type SplitReason,
  type SplitState,
} from '../../rules/split.ts';
import { allowTip, disallowTip, findDailyLimit, lockTips, tippedOn } from '../../store.ts';
import { findSplit, saveSplit, type StoredSplit } from '../../store/splits.ts';
import { geoBlock, localeOf, performerFor, type TipsDependencies } from '../dependencies.ts';
import type { Effects } from '../overlay/effects.ts';
import { earningLegs } from './sending.ts';
import {
  ENTRY,
  EXCLUDED,
  JOIN_REFUSALS,
  NO_SPLIT,
  outcomeOf,
  START_REFUSALS,
  type Barred,
  type CancelRefusal,
  type JoinRefusal,
  type Outcome,
  type StartRefusal,
} from './split-outcomes.ts';

const DUE = 'tips.splitDue';

/** What somebody was shown before joining; a chat command has just the price. */
interface Shown {
  readonly id?: string;
  readonly price: number | null;
}

/** Tips that several people pay together: proposed, joined, and charged all together or not at all. */
export class Splits {
  readonly #deps: TipsDependencies;
  readonly #effects: Effects;

  constructor(deps: TipsDependencies, effects: Effects) {
    this.#deps = deps;
    this.#effects = effects;
  }

  /** The split of a room as everybody sees it. */
  async view(tx: Tx, performerId: number, split?: StoredSplit | null): Promise<TipSplitView> {
    const known = split === undefined ? await findSplit(tx, performerId) : split;
    if (!known || known.mode === 'available') return NO_SPLIT;
    const { proposerId, splitters, people, total } = known;
    const ids = [...splitters.map(({ personId }) => personId), ...(proposerId === null ? [] : [proposerId])];
    const named = await this.#deps.accounts.findMany(tx, [...new Set(ids)]);
    const nameOf = (id: number): string => named.get(id)?.username ?? '';
    return {
      id: known.splitId,
      mode: known.mode,
      splitters: splitters.map(({ personId }) => nameOf(personId)),
      target_splitters: people,
      split_amount: sharesOf(total, people)?.share ?? 0,
      remaining: people - splitters.length,
      total,
      reason: known.reason,
      proposer: proposerId === null ? null : nameOf(proposerId),
      ends_at: known.endsAt.toISOString(),
    };
  }

  callHandlers(): CallHandler[] {
    const { data } = this.#deps;
    return [
      handleCall(startSplit)(async ({ username, amount, people }, context) =>
        data.tx(context.scope, async (tx) => {
          const performer = await this.#performer(tx, context, username);
          if (typeof performer === 'string') return context.refuse(ENTRY[performer]);
          const split = { total: amount, people };
          const done = await this.start(tx, performer.id, context.personId, split, context);
          return 'refusal' in done
            ? context.refuse(done.refusal, done.detail)
            : this.view(tx, performer.id, done.split);
        })
      ),
      handleCall(joinSplit)(async ({ username, ...shown }, context) =>
        data.tx(context.scope, async (tx) => {
          const performer = await this.#performer(tx, context, username);
          if (typeof performer === 'string') return context.refuse(ENTRY[performer]);
          const done = await this.join(tx, performer.id, context.personId, shown, context);
          return 'refusal' in done
            ? context.refuse(done.refusal, done.detail)
            : this.view(tx, performer.id, done.split);
        })
      ),
      handleCall(cancelSplit)(async ({ username }, context) =>
        data.tx(context.scope, async (tx) => {
          const performer = await this.#performer(tx, context, username);
          if (typeof performer === 'string') return context.refuse(ENTRY[performer]);
          const rights = await this.#deps.rooms.roomRightsIn(tx, context.caller, performer.id);
          const done = await this.cancel(tx, performer.id, context.personId, rights.canModerate);
          return 'refusal' in done
            ? context.refuse(done.refusal, done.detail)
            : this.view(tx, performer.id, done.split);
        })
      ),
    ];
  }

  /** Ends a proposed split, with a line in the chat, when the performer leaves the public room. */
  subscriptions(): Subscription[] {
    return [
      subscribe(broadcastMoved, 'tips.splitOvertaken')(async (
        { operatorId, payload: { performerId, mode } },
      ) => {
        if (mode !== 'public') await this.#overtake(operatorId, performerId, 'private');
      }),
      subscribe(broadcastEnded, 'tips.splitLeft')(({ operatorId, payload: { performerId } }) =>
        this.#overtake(operatorId, performerId, 'offline')
      ),
    ];
  }

  #overtake(operatorId: number, performerId: number, reason: 'private' | 'offline'): Promise<void> {
    return this.#deps.data.tx({ operatorId }, async (tx) => {
      await lockTips(tx, 'split', performerId);
      const split = await findSplit(tx, performerId);
      if (split?.mode === 'proposed') await this.#overtaken(tx, performerId, split, reason);
    });
  }

  /** The result also appears in the chat, because the panel may be closed. */
  async #overtaken(
    tx: Tx,
    performerId: number,
    split: StoredSplit,
    reason: 'private' | 'offline',
  ): Promise<StoredSplit> {
    const { accounts, rooms, text } = this.#deps;
    const ended = await this.#end(tx, performerId, split, reason);
    const performer = await accounts.findById(tx, performerId);
    if (!performer) throw new Error(`performer ${performerId} has a split and no account`);
    const people = await accounts.findMany(tx, split.splitters.map(({ personId }) => personId));
    const names = split.splitters.map(({ personId }) => people.get(personId)?.username ?? '').join(', ');
    const key = `tips:notice.${names === '' ? 'overtaken' : 'overtakenFor'}.${reason}` as const;
    await rooms.notice(tx, performerId, text(localeOf(performer), key, { names, amount: split.total }));
    return ended;
  }

  due(): DeadlineHandler[] {
    return [{
      kind: DUE,
      handle: ({ operatorId, key }) =>
        this.#deps.data.tx({ operatorId }, async (tx) => {
          const performerId = Number(key);
          await lockTips(tx, 'split', performerId);
          const split = await findSplit(tx, performerId);
          // It may have ended while waiting for the lock; in that case another deadline follows.
          if (!split || split.endsAt > tx.now) return;
          if (split.mode === 'proposed') await this.#end(tx, performerId, split, 'timeout');
          else if (split.mode !== 'available') {
            await this.#save(tx, performerId, { ...split, mode: 'available', reason: null, splitters: [] });
          }
        }),
    }];
  }

  /** Proposes a split. A performer just proposes; anybody else is also the first payer. */
  async start(
    tx: Tx,
    performerId: number,
    personId: number,
    { total, people }: { readonly total: number; readonly people: number },
    context: CallContext | null = null,
  ): Promise<Outcome<StartRefusal>> {
    await lockTips(tx, 'split', performerId);
    const refusal = startRefusal(await this.#state(tx, performerId));
    if (refusal !== null) return { refusal: START_REFUSALS[refusal] };
    const shares = sharesOf(total, people);
    if (shares === null) return { refusal: splitTooSmall };
    const isOwner = personId === performerId;
    const barred = isOwner ? null : await this.#barred(tx, personId, performerId, shares.first, context);
    if (barred !== null) return barred;
    const split: StoredSplit = {
      splitId: uuidV4(),
      proposerId: isOwner ? null : personId,
      total,
      people,
      mode: 'proposed',
      reason: null,
      endsAt: new Date(tx.now.getTime() + SPLIT_OPEN_MS),
      splitters: isOwner ? [] : [{ personId, tokens: shares.first }],
    };
    await this.#save(tx, performerId, split);
    await this.#invite(tx, performerId, personId, {
      total,
      share: shares.share,
      price: isOwner ? shares.first : shares.share,
    });
    return { split };
  }

  /**
   * Joins a split; the last person to join makes everybody pay.
   * @param shown what they agreed to: another split may have replaced it
   */
  async join(
    tx: Tx,
    performerId: number,
    personId: number,
    shown: Shown,
    context: CallContext | null = null,
  ): Promise<Outcome<JoinRefusal>> {
    if (personId === performerId) return { refusal: ownTip };
    await lockTips(tx, 'split', performerId);
    const refusal = joinRefusal(await this.#state(tx, performerId), personId);
    if (refusal !== null) return { refusal: JOIN_REFUSALS[refusal] };
    const split = await findSplit(tx, performerId);
    const tokens = split && nextShareOf({ ...split, joined: split.splitters.length });
    if (!split || tokens === null) throw new Error('a proposed split is there and divides');
    // Its time is over, even if its deadline has not been delivered yet.
    if (split.endsAt <= tx.now) return { refusal: splitNotOpen };
    if ((shown.id ?? split.splitId) !== split.splitId || shown.price !== tokens) {
      return {
        refusal: splitPriceDiffers,
        detail: { values: { price: tokens }, extra: { price: tokens } },
      };
    }
    const barred = await this.#barred(tx, personId, performerId, tokens, context);
    if (barred !== null) return barred;
    const joined = { ...split, splitters: [...split.splitters, { personId, tokens }] };
    if (joined.splitters.length < joined.people) {
      await this.#save(tx, performerId, joined);
      return { split: joined };
    }
    return { split: await this.#charge(tx, performerId, joined) };
  }

  /** Withdraws a proposed split. */
  async cancel(
    tx: Tx,
    performerId: number,
    personId: number,
    isModerator: boolean,
  ): Promise<Outcome<CancelRefusal>> {
    await lockTips(tx, 'split', performerId);
    const split = await findSplit(tx, performerId);
    if (split?.mode !== 'proposed') return { refusal: splitNotOpen };
    if (!isModerator && split.proposerId !== personId) return { refusal: splitForbidden };
    return { split: await this.#end(tx, performerId, split, 'withdrawn') };
  }

  /** Invites in the chat, where most people look: a minute is short. */
  async #invite(
    tx: Tx,
    performerId: number,
    personId: number,
    { total, share, price }: { readonly total: number; readonly share: number; readonly price: number },
  ): Promise<void> {
    const { accounts, rooms, text } = this.#deps;
    const people = await accounts.findMany(tx, [performerId, personId]);
    const performer = people.get(performerId);
    if (!performer) throw new Error(`performer ${performerId} has a split and no account`);
    const values = { name: people.get(personId)?.username ?? '', amount: total, share, price };
    await rooms.notice(tx, performerId, text(localeOf(performer), 'tips:notice.proposed', values));
  }

  async #performer(
    tx: Tx,
    context: CallContext,
    username: string,
  ): Promise<Person | keyof typeof ENTRY> {
    return performerFor(this.#deps, tx, context, username);
  }

  async #state(tx: Tx, performerId: number): Promise<SplitState> {
    const split = await findSplit(tx, performerId);
    const status = (await this.#deps.rooms.statusOf(tx, [performerId])).get(performerId)?.status;
    return {
      mode: split?.mode ?? 'available',
      isPrivate: status === 'private',
      splitterIds: split?.splitters.map(({ personId }) => personId) ?? [],
    };
  }

  /** What prevents somebody from paying a share now, except for money, which only the ledger knows about. */
  async #barred(
    tx: Tx,
    personId: number,
    performerId: number,
    tokens: number,
    context: CallContext | null,
  ): Promise<Barred<StartRefusal & JoinRefusal> | null> {
    const { accounts, site, ledger, rooms } = this.#deps;
    const people = await accounts.findMany(tx, [personId, performerId]);
    const [sender, receiver] = [people.get(personId), people.get(performerId)];
    if (!sender || !receiver) throw new Error('both sides of a split have accounts');
    // The names of the people in a split appear in the performer's chat.
    const bar = await rooms.asideBarOf(tx, { performerId, person: sender, context, text: '' });
    if (bar !== null) {
      return { refusal: typeof bar === 'object' ? splitSilenced : EXCLUDED[bar] };
    }
    const blocked = await geoBlock(site, tx, sender, receiver);
    if (blocked !== null) return { refusal: blocked === 'sender' ? geoBlockSender : geoBlockReceiver };
    const limit = await findDailyLimit(tx);
    if (limit !== null && (await tippedOn(tx, personId, dayOf(tx.now))) + tokens > limit) {
      return { refusal: overDailyLimit, detail: { values: { limit }, extra: { limit } } };
    }
    const refused = await ledger.maySpend(tx, personId, tokens);
    return refused &&
      ledger.refuse(
        tx,
        refused,
        { personId, tokens },
        (refusal, detail) => ({ refusal, ...(detail ? { detail } : {}) }),
      );
  }

  /** Charges everybody at once or nobody, as one operation of the ledger. */
  async #charge(tx: Tx, performerId: number, split: StoredSplit): Promise<StoredSplit> {
    const { accounts, ledger, rooms } = this.#deps;
    const { status } = (await rooms.statusOf(tx, [performerId])).get(performerId) ?? { status: 'offline' };
    if (status === 'private') return this.#overtaken(tx, performerId, split, 'private');
    const people = await accounts.findMany(tx, [performerId, ...split.splitters.map((one) => one.personId)]);
    const isAllowed = await this.#count(tx, split);
    const [outcome] = isAllowed ? await ledger.post(tx, [this.#operationOf(performerId, split, people)]) : [];
    if (!outcome || !('balances' in outcome)) {
      for (const { personId } of split.splitters) await disallowTip(tx, this.#tipId(personId, split));
      return this.#end(tx, performerId, split, 'unpaid');
    }
    const paid = await this.#end(tx, performerId, split, null);
    const names = split.splitters.map(({ personId }) => people.get(personId)?.username ?? '');
    await this.#effects.queue(tx, {
      performer_id: performerId,
      source: `split:${split.splitId}`,
      kind: 'split',
      title: names.join(', '),
      tokens: split.total,
      comment: '',
      sender_name: null,
    });
    return paid;
  }

  /** Counts each share towards its payer's daily limit, like a tip. Returns whether all were within it. */
  async #count(tx: Tx, split: StoredSplit): Promise<boolean> {
    const limit = await findDailyLimit(tx);
    if (limit === null) return true;
    // Days are locked in a fixed order, so that two splits with the same people cannot deadlock.
    const ordered = split.splitters.toSorted((a, b) => a.personId - b.personId);
    for (const { personId: senderId, tokens } of ordered) {
      await lockTips(tx, 'day', senderId);
      const tip = { tipId: this.#tipId(senderId, split), senderId, tokens };
      if (!(await allowTip(tx, tip, dayOf(tx.now), limit))) return false;
    }
    return true;
  }

  /** Id of a share as a tip of its own in the histories. */
  #tipId(personId: number, { splitId }: StoredSplit): string {
    return this.#deps.ledger.operationId(personId, joinSplit.name, splitId);
  }

  #operationOf(performerId: number, split: StoredSplit, people: ReadonlyMap<number, Person>): Operation {
    const { performerSharePercent = PERFORMER_SHARE_PERCENT } = this.#deps;
    const { splitId, splitters, total } = split;
    const receiver = people.get(performerId);
    if (!receiver) throw new Error(`performer ${performerId} has a split and no account`);
    return {
      id: splitId,
      kind: 'tip_split',
      parameterHash: splitId,
      legs: [
        ...splitters.map(({ personId, tokens }) => ({
          account: { kind: 'person', personId, book: 'tokens' } as const,
          tokens: -tokens,
        })),
        ...earningLegs(performerId, total, performerSharePercent),
      ],
      memo: { to: receiver.username, tokens: total, people: splitters.length, type: SPLIT_TYPE },
      facts: splitters.map(({ personId, tokens }) => {
        const sender = people.get(personId);
        if (!sender) throw new Error(`person ${personId} splits a tip and has no account`);
        const payload: FactPayload<typeof tipPaid> = {
          tipId: this.#tipId(personId, split),
          senderId: personId,
          senderName: sender.username,
          receiverId: performerId,
          receiverName: receiver.username,
          tokens,
          comment: '',
          type: SPLIT_TYPE,
          anonymous: false,
          sourceId: splitId,
          vr: false,
          appData: {},
          order: null,
          showChat: null,
        };
        return { name: tipPaid.name, key: roomTopic(performerId), payload };
      }),
    };
  }

  /** Shows the result until the next split can be proposed. @param reason null: all have paid */
  async #end(
    tx: Tx,
    performerId: number,
    split: StoredSplit,
    reason: SplitReason | null,
  ): Promise<StoredSplit> {
    const ended: StoredSplit = {
      ...split,
      mode: reason === null ? 'success' : 'canceled',
      reason,
      endsAt: new Date(tx.now.getTime() + SPLIT_SHOWN_MS),
    };
    await this.#save(tx, performerId, ended);
    return ended;
  }

  async #save(tx: Tx, performerId: number, split: StoredSplit): Promise<void> {
    await saveSplit(tx, performerId, split);
    if (split.mode !== 'available') {
      await tx.schedule({ kind: DUE, key: String(performerId), at: split.endsAt });
    }
    const payload = await this.view(tx, performerId, split);
    await tx.send(topicChannel(roomTopic(performerId)), splitChanged, payload);
  }

  /** `/tip_split 100 4`, `/tip_split join 25`, `/tip_split cancel`. */
  async command(tx: Tx, { name, rest, performerId, personId, rights }: Command): Promise<CommandOutcome> {
    if (name !== COMMAND) return null;
    const asked = splitCommand(rest);
    if (asked === null) return { key: 'tips:errors.split_usage' };
    if (asked.kind === 'join') {
      const done = await this.join(tx, performerId, personId, { price: asked.price });
      const outcome = outcomeOf(done);
      // The refusal says what to type.
      return 'refusal' in done && done.refusal === splitPriceDiffers && typeof outcome === 'object' && outcome
        ? { ...outcome, key: 'tips:errors.split_join_price' }
        : outcome;
    }
    if (asked.kind === 'cancel') {
      return outcomeOf(await this.cancel(tx, performerId, personId, rights.canModerate));
    }
    const isPossible = isTipAmount(asked.total) && asked.people >= MIN_SPLITTERS
      && asked.people <= MAX_SPLITTERS;
    if (!isPossible) return { key: 'tips:errors.split_usage' };
    return outcomeOf(await this.start(tx, performerId, personId, asked));
  }
}

const COMMAND = 'tip_split';
