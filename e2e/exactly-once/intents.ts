import { buyAtOnce, getPurchaseLink } from '#product/billing/contract.ts';
import { addCard, openCardForm } from '#product/billing/contract/cards.ts';
import { getOrder } from '#product/billing/contract/orders.ts';
import type { OrderState } from '#product/billing/rules.ts';
import { takeDemoGrant } from '#product/ledger/contract.ts';
import { DEMO_GRANT_TOKENS } from '#product/ledger/rules.ts';
import { sendTip } from '#product/tips/contract.ts';
import { createHash } from 'node:crypto';
import { CARD_BILLERS, type Bank } from './bank.ts';
import type { Browser, Received } from './browser.ts';

const PERFORMER = 'demo_performer';
/** Grants per person on one day: the demo gives no more. */
const GRANTS = 5;
const MAX_TIP = 6;
const MAX_SENDS = 5;
/** Tips are limited to 300 a minute and person: this number paces the run below the limit. */
const TIPS_EACH = 100;
/** A person may buy 20 times a minute, and this many of the smallest packs a day. */
const PURCHASES_EACH = 10;
export const INTENTS_EACH = GRANTS + TIPS_EACH + PURCHASES_EACH;
/** Faults of the billers, injected into every fifth purchase. */
const CALLBACK_FAULTS = ['duplicate', 'lost', 'reorder', 'forged', 'truncated'] as const;
const FAULTS = {
  card: ['timeout_after_charge', ...CALLBACK_FAULTS],
  page: ['down', ...CALLBACK_FAULTS],
} as const;
const FAULTY = 0.2;
/** How often one intent is asked about; each attempt waits for the site. */
const MAX_ASKS = 200;
const PAUSE_MS = 500;

export interface Person {
  readonly browser: Browser;
  readonly id: number;
  readonly name: string;
}
/** Progress of a run. */
export interface Progress {
  answers: number;
  isOver: boolean;
}
/** `card`: a saved card is charged. `page`: the person pays on the page of a biller. */
export type Kind = 'tip' | 'grant' | 'card' | 'page';

/** One thing a person wanted, under one key, and every answer to it. */
export interface Intent {
  readonly person: Person;
  readonly kind: Kind;
  readonly key: string;
  readonly tokens: number;
  sends: number;
  unanswered: number;
  tooMany: number;
  /** Ids in its answers: of the tip, or of the order. */
  readonly ids: string[];
  /** What the answers said: that it happened, or that it never will. */
  outcome: 'done' | 'declined' | null;
  /** Address of its payment page. */
  page: string | null;
}

/** A number from 0 up to, but not including, 1, derived from a text. */
export const chanceOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 4_294_967_296;
export const pause = (ms: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, ms);
  });
const pick = <T>(choices: readonly T[], text: string): T => {
  const choice = choices[Math.floor(chanceOf(text) * choices.length)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
};

/** What one lane of a run works with. */
export interface World {
  readonly bank: Bank;
  readonly seed: string;
  readonly progress: Progress;
}

/** All actions of one person: takes tokens, saves a card, then tips and buys. */
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
  const tokens = kind === 'grant'
    ? DEMO_GRANT_TOKENS
    : kind === 'tip'
    ? 1 + Math.floor(chanceOf(`${key} tokens`) * MAX_TIP)
    : pick([50, 100], `${key} pack`);
  return {
    person,
    kind,
    key,
    tokens,
    sends: 0,
    unanswered: 0,
    tooMany: 0,
    ids: [],
    outcome: null,
    page: null,
  };
}

async function perform(intent: Intent, world: World): Promise<void> {
  const { key, kind } = intent;
  if ((kind === 'card' || kind === 'page') && chanceOf(`${key} faulty`) < FAULTY) {
    world.bank.arm(kind === 'card' ? 'ccbill' : billerOf(intent), pick(FAULTS[kind], `${key} fault`));
  }
  if (kind === 'page') await openPage(intent, world);
  const sends = 1 + Math.floor(chanceOf(`${key} sends`) * MAX_SENDS);
  // Some people click twice at the same moment; some send again, with or without a reply.
  const together = chanceOf(`${key} together`) < 0.5 ? Math.min(2, sends) : 1;
  await Promise.all(Array.from({ length: together }, () => send(intent, world)));
  for (let sent = together; sent < sends; sent += 1) await send(intent, world);
  // Grants are waited for: without tokens nothing else can be tried.
  if (kind === 'grant') await resolve(intent, world);
}

const billerOf = ({ key }: Intent): (typeof CARD_BILLERS)[number] => pick(CARD_BILLERS, `${key} biller`);

/** Opens an order with its page. Links that never arrived leave orders behind that nobody pays. */
async function openPage(intent: Intent, { bank, progress }: World): Promise<void> {
  const { person: { browser }, tokens } = intent;
  for (let asks = 0; intent.page === null; asks += 1) {
    if (asks > MAX_ASKS) throw new Error(`${intent.key} gets no page`);
    const link = await browser.send(getPurchaseLink, {
      internal_id: `1_${tokens}`,
      biller: billerOf(intent),
    });
    const body = await receivedFrom(link, intent, progress);
    if (body === null) continue;
    intent.page = await bank.opens(body.purchase_link);
    if (intent.page !== null) intent.ids.push(body.order_id);
  }
}

/** Sends an intent once, and records the answer. */
async function send(intent: Intent, { bank, progress }: World): Promise<void> {
  const { person: { browser }, kind, key, tokens } = intent;
  intent.sends += 1;
  if (kind === 'tip') {
    const tip = await receivedFrom(
      await browser.send(sendTip, { username: PERFORMER, amount: tokens }, key),
      intent,
      progress,
    );
    if (tip) note(intent, tip.tip_id, 'paid');
  } else if (kind === 'grant') {
    const grant = await receivedFrom(await browser.send(takeDemoGrant, {}, key), intent, progress);
    if (grant) note(intent, null, 'paid');
  } else if (kind === 'card') {
    const order = await receivedFrom(
      await browser.send(buyAtOnce, { internal_id: `1_${tokens}` }, key),
      intent,
      progress,
    );
    if (order) note(intent, order.order_id, order.state);
  } else {
    if (intent.page !== null) await bank.pays(intent.page);
    const read = await receivedFrom(
      await browser.send(getOrder, { id: intent.ids[0] ?? '' }),
      intent,
      progress,
    );
    if (read) note(intent, null, read.order.state);
  }
}

function note(intent: Intent, id: string | null, state: OrderState): void {
  if (id !== null) intent.ids.push(id);
  if (state === 'paid') intent.outcome = 'done';
  else if (state === 'declined' || state === 'expired') intent.outcome ??= 'declined';
}

/** The body of an answer; null without one, when the intent must be sent again. */
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

/** Sends the intent until its outcome is known. */
export async function resolve(intent: Intent, world: World): Promise<void> {
  for (let asks = 0; intent.outcome === null; asks += 1) {
    if (asks > MAX_ASKS) throw new Error(`${intent.key} is never answered`);
    await send(intent, world);
    if (intent.outcome === null) await pause(PAUSE_MS);
  }
}

/** Saves a card for one-click purchases. Repeated until it succeeds: this is not an intent under test. */
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
