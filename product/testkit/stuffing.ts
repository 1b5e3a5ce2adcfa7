import type { CallFailed } from '#platform/contract/client.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { login, logout } from '#product/accounts/contract.ts';
import { Dice } from './money/dice.ts';
import { createSite, type TestSite } from './site.ts';
import type { Visitor } from './visitor.ts';

const PASSWORD = 'correct horse battery';
/** The list is tried within this time, as if by a few thousand machines. */
const ATTACK_MS = 6 * HOUR_MS;
/** Shares of real log-ins in a new browser at home, and in a new browser elsewhere. The rest is as usual. */
const [NEW_BROWSER, NEW_PLACE] = [0.2, 0.1];
/** Share of people who mistype their password once before they get it right. */
const TYPOS = 0.15;

export interface StuffingSize {
  /** Pairs of name and password that are tried, most of them wrong. */
  readonly pairs: number;
  /** Networks of the attack. */
  readonly addresses: number;
  /** How many of the pairs are right. */
  readonly valid: number;
  /** Log-ins of real people meanwhile. */
  readonly real: number;
}

export interface StuffingResult {
  /** Right pairs that got a session without a second step. */
  readonly entered: number;
  /** Right pairs that were asked for a code by email. */
  readonly asked: number;
  /** Wrong pairs that got a session. */
  readonly guessed: number;
  readonly real: { readonly tried: number; readonly entered: number; readonly withCode: number };
}

/** Somebody with an account, a home network, and a browser that was logged in there. */
interface Owner {
  readonly username: string;
  readonly email: string;
  readonly home: string;
  readonly browser: Visitor;
}

const addressOf = (kind: number, at: number): string => `${kind}.${at >> 8}.${at & 0xff}.7`;

/** Tries a list of stolen passwords at a site, while its people log in and out. */
export async function runStuffing(
  { pairs, addresses, valid, real }: StuffingSize,
  seed: string,
): Promise<StuffingResult> {
  const site = await createSite();
  const dice = new Dice(seed);
  try {
    const owners = await ownersOf(site, valid);
    const bots: (Visitor | undefined)[] = [];
    const found = { entered: 0, asked: 0, guessed: 0, real: { tried: 0, entered: 0, withCode: 0 } };
    for (let at = 0; at < pairs; at += 1) {
      const nth = at % addresses;
      const bot = bots[nth] ??= await site.visitor({ address: addressOf(10, nth) });
      // The right ones are spread over the list.
      const isRight = Math.floor((at * valid) / pairs) !== Math.floor(((at + 1) * valid) / pairs);
      const owner = isRight ? owners[Math.floor((at * valid) / pairs)] : undefined;
      const outcome = await tries(
        bot,
        owner?.username ?? `stolen${at}`,
        owner ? PASSWORD : 'somebody else’s password',
      );
      if (outcome === 'in') bots[nth] = undefined;
      if (outcome === 'in') found[owner ? 'entered' : 'guessed'] += 1;
      if (owner && outcome === 'email_code_required') found.asked += 1;
      site.clock.advance(ATTACK_MS / pairs);
      const isDue = Math.floor((at * real) / pairs) !== Math.floor(((at + 1) * real) / pairs);
      const somebody = isDue ? owners[dice.between(0, owners.length - 1)] : undefined;
      if (somebody) await comesBack(site, somebody, dice, found.real);
    }
    return found;
  } finally {
    await site.close();
  }
}

async function ownersOf(site: TestSite, count: number): Promise<readonly Owner[]> {
  const { accounts } = site.services;
  const passwordHash = await accounts.hashPassword(PASSWORD);
  const owners: Owner[] = [];
  for (let at = 0; at < count; at += 1) {
    const username = `owner${at}`;
    const email = `${username}@people.example`;
    await accounts.create(site.scope, {
      username,
      email,
      password: PASSWORD,
      passwordHash,
      birthDate: '1990-01-01',
      type: 'user',
    });
    const home = addressOf(11, at);
    const browser = await site.visitor({ address: home });
    await browser.call(login, { login: username, password: PASSWORD });
    owners.push({ username, email, home, browser });
  }
  return owners;
}

/** @returns `in`, or the code of the refusal */
async function tries(browser: Visitor, name: string, password: string, code?: string): Promise<string> {
  try {
    await browser.call(login, { login: name, password, ...(code === undefined ? {} : { code }) });
    return 'in';
  } catch (error) {
    return (error as CallFailed).problem.errorType;
  }
}

/** A real person logs in again: in their browser, in a new one at home, or in a new one elsewhere. */
async function comesBack(
  site: TestSite,
  owner: Owner,
  dice: Dice,
  counts: { tried: number; entered: number; withCode: number },
): Promise<void> {
  const roll = dice.roll();
  const isElsewhere = roll < NEW_PLACE;
  const isNew = roll < NEW_PLACE + NEW_BROWSER;
  counts.tried += 1;
  const address = isElsewhere ? addressOf(12, counts.tried) : owner.home;
  const browser = isNew ? await site.visitor({ address }) : owner.browser;
  if (!isNew) {
    await browser.opens();
    await browser.call(logout, {});
    await browser.opens();
  }
  if (dice.chance(TYPOS)) await tries(browser, owner.username, 'correct horse batery');
  let outcome = await tries(browser, owner.username, PASSWORD);
  if (outcome === 'email_code_required') {
    const [code] = await site.loginCodesOf(owner.email);
    outcome = await tries(browser, owner.username, PASSWORD, code);
    counts.withCode += 1;
  }
  if (outcome === 'in') counts.entered += 1;
}
