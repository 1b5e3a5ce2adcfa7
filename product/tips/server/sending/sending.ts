import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import type { FactPayload } from '#platform/contract/fact.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { dayOf } from '#platform/time/days.ts';
import type { Person } from '#product/accounts/server.ts';
import { ageVerificationRequired } from '#product/compliance/contract.ts';
import type { Leg, Operation } from '#product/ledger/server.ts';
import { roomBanned, roomKicked } from '#product/rooms/contract.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { createHash } from 'node:crypto';
import {
  commentRefused,
  geoBlockReceiver,
  geoBlockSender,
  overDailyLimit,
  ownTip,
  receiverMissing,
  receiverUnknown,
  sendTip,
  tipPaid,
} from '../../contract.ts';
import { menuItemUnknown, menuPriceDiffers } from '../../contract/menu.ts';
import {
  divideTip,
  MAX_TIP_COMMENT_LENGTH,
  MENU_TYPE,
  PERFORMER_SHARE_PERCENT,
  SPLIT_TYPE,
} from '../../rules.ts';
import { allowTip, disallowTip, findDailyLimit, lockTips } from '../../store.ts';
import { findItem, type MenuItem } from '../../store/menu.ts';
import { geoBlock, performerFor, type TipsDependencies } from '../dependencies.ts';

type TipInput = InputOf<typeof sendTip>;
type TipContext = HandlerContext<RefusalOf<typeof sendTip>, number>;

/** A tip that passed every check except for money. */
interface Checked {
  readonly sender: Person;
  readonly receiver: Person;
  readonly order: MenuItem | null;
  /** Whether it was counted towards the sender's daily limit, which is undone if the ledger refuses. */
  readonly isCounted: boolean;
  /** The show in whose chat it appears; null for the room. */
  readonly showChat: string | null;
}

export function sendingHandlers(deps: TipsDependencies): CallHandler[] {
  const { data, ledger } = deps;
  const sharePercent = deps.performerSharePercent ?? PERFORMER_SHARE_PERCENT;
  return [
    handleCall(sendTip)(async (input, context) => {
      const { idempotencyKey, scope, refuse } = context;
      if (idempotencyKey === null) throw new Error('a tip came without a key');
      const senderId = context.personId;
      const id = ledger.operationId(senderId, sendTip.name, idempotencyKey);
      const checked = await data.tx(scope, async (tx) => (await ledger.isPosted(tx, id)
        ? repeated(deps, tx, context, input)
        : check(deps, tx, context, input, id)));
      if (checked instanceof Refused) return checked;
      const outcome = await ledger.submit(scope, operationOf(id, checked, input, sharePercent));
      if (!('balances' in outcome)) {
        return data.tx(scope, async (tx) => {
          if (checked.isCounted && outcome.status !== 'mismatch') await disallowTip(tx, id);
          return ledger.refuse(tx, outcome, { personId: senderId, tokens: input.amount }, refuse);
        });
      }
      const tokens = outcome.balances.get(senderId);
      if (tokens === undefined) throw new Error('the ledger did not say what the sender has left');
      return { status: 1, errorType: null, error: null, tip_id: id, amount: input.amount, tokens } as const;
    }),
  ];
}

/**
 * A tip already posted: its sender gets the first output again, even if the room has been closed to them
 * since. The ledger compares the sender's decisions; nothing is written again, so an order is not looked up.
 */
async function repeated(
  { accounts }: TipsDependencies,
  tx: Tx,
  context: TipContext,
  input: TipInput,
): Promise<Checked | Refused<RefusalOf<typeof sendTip>>> {
  const receiver = await accounts.findByUsername(tx, normalizeUsername(input.username));
  const sender = await accounts.findById(tx, context.personId);
  if (!receiver || !sender) return context.refuse(receiverUnknown);
  return { sender, receiver, order: null, isCounted: false, showChat: null };
}

/** All checks before money moves, in this order. */
async function check(
  deps: TipsDependencies,
  tx: Tx,
  context: TipContext,
  input: TipInput,
  id: string,
): Promise<Checked | Refused<RefusalOf<typeof sendTip>>> {
  const { refuse } = context;
  const senderId = context.personId;
  const receiver = await performerFor(deps, tx, context, input.username);
  if (receiver === 'gate') return refuse(ageVerificationRequired);
  if (receiver === 'missing') return refuse(receiverMissing);
  if (receiver === 'unknown') return refuse(receiverUnknown);
  if (receiver.id === senderId) return refuse(ownTip);
  const sender = await deps.accounts.findById(tx, senderId);
  if (!sender) throw new Error(`person ${senderId} has a session and no account`);
  const blocked = await geoBlock(deps.site, tx, sender, receiver);
  if (blocked !== null) return refuse(blocked === 'sender' ? geoBlockSender : geoBlockReceiver);
  const order = await orderOf(tx, receiver.id, input);
  if (order === 'unknown') return refuse(menuItemUnknown);
  if (order !== null && order.price !== input.amount) {
    return refuse(menuPriceDiffers, { values: { price: order.price }, extra: { price: order.price } });
  }
  const barred = await barOf(deps, tx, context, { sender, receiver, input, order });
  if (barred !== null) return barred;
  const limit = await findDailyLimit(tx);
  if (limit !== null) {
    await lockTips(tx, 'day', senderId);
    const tip = { tipId: id, senderId, tokens: input.amount };
    if (!(await allowTip(tx, tip, dayOf(tx.now), limit))) {
      return refuse(overDailyLimit, { values: { limit }, extra: { limit } });
    }
  }
  // A spy's words are not part of the show.
  const show = await deps.rooms.showChatOf(tx, receiver.id, senderId);
  return { sender, receiver, order, isCounted: limit !== null, showChat: show?.key ?? null };
}

/** A tip without words or an order passes all rules of a room's chat: the chat shows only those two. */
async function barOf(
  { rooms, text }: TipsDependencies,
  tx: Tx,
  context: TipContext,
  { sender, receiver, input, order }: {
    readonly sender: Person;
    readonly receiver: Person;
    readonly input: TipInput;
    readonly order: MenuItem | null;
  },
): Promise<Refused<typeof commentRefused | typeof roomBanned | typeof roomKicked> | null> {
  const { type = PLAIN_TYPE } = input;
  const shown = [commentOf(input), ...(PROGRAM_TYPES.has(type) ? [] : [type])].join(' ').trim();
  if (shown === '' && order === null) return null;
  const bar = await rooms.asideBarOf(tx, {
    performerId: receiver.id,
    person: sender,
    context,
    text: shown,
  });
  if (bar === null) return null;
  if (bar === 'banned') return context.refuse(roomBanned);
  if (bar === 'kicked') return context.refuse(roomKicked);
  // Muting only concerns words: an order contains none of the viewer's.
  if (shown === '') return null;
  return context.refuse(commentRefused, { values: { reason: text(context.locale, bar.key, bar.values) } });
}

/** A comment as it is shown. */
const commentOf = ({ comment }: TipInput): string =>
  [...cleanText(comment ?? '')].slice(0, MAX_TIP_COMMENT_LENGTH).join('');

const PLAIN_TYPE = 'tip';
/** Types that our own pages send. */
const PROGRAM_TYPES: ReadonlySet<string> = new Set([PLAIN_TYPE, MENU_TYPE, SPLIT_TYPE, '']);

/** The menu item a tip orders; null for a tip that orders nothing. */
async function orderOf(
  tx: Tx,
  performerId: number,
  { type, app_data: fields }: TipInput,
): Promise<MenuItem | 'unknown' | null> {
  if (type !== MENU_TYPE) return null;
  const id = fields?.['item'];
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return 'unknown';
  return (await findItem(tx, performerId, id)) ?? 'unknown';
}

/**
 * A tip as the ledger posts it: from the viewer's tokens to the performer's earnings and the operator's fees.
 */
function operationOf(
  id: string,
  { sender, receiver, order, showChat }: Checked,
  input: TipInput,
  sharePercent: number,
): Operation {
  const { amount, type = PLAIN_TYPE, source_id: source = null, anonymous = false, vr = false } = input;
  const comment = commentOf(input);
  const paid: FactPayload<typeof tipPaid> = {
    tipId: id,
    senderId: sender.id,
    senderName: sender.username,
    receiverId: receiver.id,
    receiverName: receiver.username,
    tokens: amount,
    comment,
    type,
    anonymous,
    sourceId: source,
    vr,
    appData: input.app_data ?? {},
    order: order && { id: order.id, title: order.title },
    showChat,
  };
  return {
    id,
    kind: 'tip',
    parameterHash: hashOf(receiver, input),
    legs: [
      { account: { kind: 'person', personId: sender.id, book: 'tokens' }, tokens: -amount },
      ...earningLegs(receiver.id, amount, sharePercent),
    ],
    // Readers of the memo know whose account it is in: the name is the other person's.
    memo: {
      from: anonymous ? null : sender.username,
      to: receiver.username,
      tokens: amount,
      comment,
      type,
      source,
      ...(order ? { title: order.title } : {}),
      ...(vr ? { vr } : {}),
    },
    facts: [{ name: tipPaid.name, key: roomTopic(receiver.id), payload: paid }],
  };
}

/** Legs of a tip for its payees. */
export function earningLegs(receiverId: number, tokens: number, sharePercent: number): Leg[] {
  const { performer, operator } = divideTip(tokens, sharePercent);
  const legs: Leg[] = [
    {
      account: { kind: 'person', personId: receiverId, book: 'earnings' },
      tokens: performer,
      split: true,
    },
    { account: { kind: 'operator', name: 'fees' }, tokens: operator },
  ];
  return legs.filter((leg) => leg.tokens !== 0);
}

/** The sender's decisions, without the share: the same key with other decisions is another tip. */
function hashOf(receiver: Person, input: TipInput): string {
  const { amount, comment = '', type = 'tip', source_id: source = null, vr = false } = input;
  const fields = input.app_data ?? {};
  const appData = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const decided: unknown[] = [receiver.id, amount, comment, type, source, vr, appData];
  // Hashes from before there were anonymous tips stay the same.
  if (input.anonymous === true) decided.push('anonymous');
  return createHash('sha256').update(JSON.stringify(decided)).digest('hex');
}
