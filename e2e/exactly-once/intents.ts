import { createHash } from 'node:crypto';
import { buyAtOnce, getPurchaseLink } from '#product/billing/contract.ts';
import { addCard, openCardForm } from '#product/billing/contract/cards.ts';
import { getOrder } from '#product/billing/contract/orders.ts';
import type { OrderState } from '#product/billing/rules.ts';
import { takeDemoGrant } from '#product/ledger/contract.ts';
import { DEMO_GRANT_TOKENS } from '#product/ledger/rules.ts';
import { sendTip } from '#product/tips/contract.ts';
import { CARD_BILLERS, type Bank } from './bank.ts';
import type { Browser, Received } from './browser.ts';

const PERFORMER = 'demo_performer';
/** Grants of a person on one day: the demo gives no more. */
const GRANTS = 5;
const MAX_TIP = 6;
const MAX_SENDS = 5;
/** The rate limit of tips is 300 a minute and person: these pace the run below it. */
const TIPS_EACH = 100;
/** A minute knows 20 purchases of a person, and a day so many of the smallest packs. */
const PURCHASES_EACH = 10;
export const INTENTS_EACH = GRANTS + TIPS_EACH + PURCHASES_EACH;
/** What goes wrong at the billers on the way of every fifth purchase. */
const CALLBACK_FAULTS = ['duplicate', 'lost', 'reorder', 'forged', 'truncated'] as const;
const FAULTS = {
  card: ['timeout_after_charge', ...CALLBACK_FAULTS], page: ['down', ...CALLBACK_FAULTS],
} as const;
const FAULTY = 0.2;
/** Re-asks of one intent; each waits for the site. */
const MAX_ASKS = 200;
const PAUSE_MS = 500;

export interface Person { readonly browser: Browser; readonly id: number; readonly name: string }
/** How far a run is. */
export interface Progress { answers: number; isOver: boolean }
/** `card`: a saved card is charged. `page`: somebody pays on the page of a biller. */
export type Kind = 'tip' | 'grant' | 'card' | 'page';

/** What somebody wanted once, under one key, and all that was ever answered. */
export interface Intent {
  readonly person: Person;
  readonly kind: Kind;
  readonly key: string;
  readonly tokens: number;
  sends: number;
  unanswered: number;
  tooMany: number;
  /** Ids of its answers: of the tip, or of the order. */
  readonly ids: string[];
  /** Whether it was said that it happened, or that it never will. */
  outcome: 'done' | 'declined' | null;
  /** Where one pays for it. */
  page: string | null;
}

/** A number from 0 to below 1 that follows from a text. */
export const chanceOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 4_294_967_296;
export const pause = (ms: number): Promise<void> => new Promise((done) => { setTimeout(done, ms); });
const pick = <T>(choices: readonly T[], text: string): T => {
  const choice = choices[Math.floor(chanceOf(text) * choices.length)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
};

/** What one lane of a run works with. */
export interface World { readonly bank: Bank; readonly seed: string; readonly progress: Progress }

/** Everything one person does: takes tokens first, keeps a card, then tips and buys. */
export async function actsOf(person: Person, world: World): Promise<Intent[]> {
  const intents: Intent[] = [];
  const act = async (kind: Kind, at: number): Promise<void> => {
    const intent = intentOf(person, kind, `${world.seed}-${person.name}-${kind}-${at}`);
    intents.push(intent);
    await perform(intent, world);
  };
  for (let at = 0; at < GRANTS; at += 1) await act('grant', at);
  await keepCard(person, world.bank);
  // Purchases are spread among the tips.
  const every = TIPS_EACH / PURCHASES_EACH;
  for (let at = 0; at < TIPS_EACH; at += 1) {
    await act('tip', at);
    if (at % every === 0) await act((at / every) % 2 === 0 ? 'card' : 'page', at);
  }
  return intents;
}

function intentOf(person: Person, kind: Kind, key: string): Intent {
  const tokens = kind === 'grant' ? DEMO_GRANT_TOKENS
    : kind === 'tip' ? 1 + Math.floor(chanceOf(`${key} tokens`) * MAX_TIP) : pick([50, 100], `${key} pack`);
  return {
    person, kind, key, tokens, sends: 0, unanswered: 0, tooMany: 0, ids: [], outcome: null, page: null,
  };
}

async function perform(intent: Intent, world: World): Promise<void> {
  const { key, kind } = intent;
  if ((kind === 'card' || kind === 'page') && chanceOf(`${key} faulty`) < FAULTY) {
    world.bank.arm(kind === 'card' ? 'ccbill' : billerOf(intent), pick(FAULTS[kind], `${key} fault`));
  }
  if (kind === 'page') await openPage(intent, world);
  const sends = 1 + Math.floor(chanceOf(`${key} sends`) * MAX_SENDS);
  // Some press twice at the same moment, some send again, with or without a reply.
  const together = chanceOf(`${key} together`) < 0.5 ? Math.min(2, sends) : 1;
  await Promise.all(Array.from({ length: together }, () => send(intent, world)));
  for (let sent = together; sent < sends; sent += 1) await send(intent, world);
  // Tokens are waited for: without them nothing else can be tried.
  if (kind === 'grant') await resolve(intent, world);
}

const billerOf = ({ key }: Intent): (typeof CARD_BILLERS)[number] => pick(CARD_BILLERS, `${key} biller`);

/** An order with its page. Links that never arrived leave orders behind that nobody pays. */
async function openPage(intent: Intent, { bank, progress }: World): Promise<void> {
  const { person: { browser }, tokens } = intent;
  for (let asks = 0; intent.page === null; asks += 1) {
    if (asks > MAX_ASKS) throw new Error(`${intent.key} gets no page`);
    const link = await browser.send(getPurchaseLink,
      { internal_id: `1_${tokens}`, biller: billerOf(intent) });
    const body = await receivedFrom(link, intent, progress);
    if (body === null) continue;
    intent.page = await bank.opens(body.purchase_link);
    if (intent.page !== null) intent.ids.push(body.order_id);
  }
}

/** Sends an intent once, and notes what is answered. */
async function send(intent: Intent, { bank, progress }: World): Promise<void> {
  const { person: { browser }, kind, key, tokens } = intent;
  intent.sends += 1;
  if (kind === 'tip') {
    const tip = await receivedFrom(await browser.send(sendTip, { username: PERFORMER, amount: tokens }, key),
      intent, progress);
    if (tip) note(intent, tip.tip_id, 'paid');
  } else if (kind === 'grant') {
    const grant = await receivedFrom(await browser.send(takeDemoGrant, {}, key), intent, progress);
    if (grant) note(intent, null, 'paid');
  } else if (kind === 'card') {
    const order = await receivedFrom(await browser.send(buyAtOnce, { internal_id: `1_${tokens}` }, key),
      intent, progress);
    if (order) note(intent, order.order_id, order.state);
  } else {
    if (intent.page !== null) await bank.pays(intent.page);
    const read = await receivedFrom(
      await browser.send(getOrder, { id: intent.ids[0] ?? '' }), intent, progress,
    );
    if (read) note(intent, null, read.order.state);
  }
}

function note(intent: Intent, id: string | null, state: OrderState): void {
  if (id !== null) intent.ids.push(id);
  if (state === 'paid') intent.outcome = 'done';
  else if (state === 'declined' || state === 'expired') intent.outcome ??= 'declined';
}

/** What a site answered; null when that is nothing, and the intent has to be sent again. */
async function receivedFrom<T>(answer: Received<T>, intent: Intent, progress: Progress): Promise<T | null> {
  if (answer?.status === 200) {
    progress.answers += 1;
    return answer.body;
  }
  if (answer === null || answer.status >= 500) {
    intent.unanswered += 1;
    await pause(PAUSE_MS);
  } else if (answer.status === 429) {
    intent.tooMany += 1;
    await pause(PAUSE_MS * 10);
  } else throw new Error(`${intent.key} was refused: ${JSON.stringify(answer)}`);
  return null;
}

/** Sends until it is said what became of it. */
export async function resolve(intent: Intent, world: World): Promise<void> {
  for (let asks = 0; intent.outcome === null; asks += 1) {
    if (asks > MAX_ASKS) throw new Error(`${intent.key} is never answered`);
    await send(intent, world);
    if (intent.outcome === null) await pause(PAUSE_MS);
  }
}

/** A card for one-click purchases. Asked for until it is there: what is lost here is no intent. */
async function keepCard({ browser }: Person, bank: Bank): Promise<void> {
  const insist = async <T>(ask: () => Promise<Received<T>>): Promise<T> => {
    for (let asks = 0; asks < MAX_ASKS; asks += 1) {
      const answer = await ask();
      if (answer?.status === 200) return answer.body;
      await pause(PAUSE_MS);
    }
    throw new Error('no card is kept');
  };
  const form = await insist(() => browser.send(openCardForm, {}));
  const token = await bank.keeps(form);
  await insist(() => browser.send(addCard, { biller: form.biller, token }));
}
