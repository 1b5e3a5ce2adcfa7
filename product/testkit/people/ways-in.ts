import { systemClock } from '#platform/data/clock.ts';
import { openIdentitySimulator, type IdentitySimulator } from '#platform/identities/simulator.ts';
import {
  addPasskey,
  beginPasskey,
  beginPasskeyLogin,
  loginByPasskey,
} from '#product/accounts/contract/passkeys.ts';
import { finishProvider, startProvider } from '#product/accounts/contract/providers.ts';
import { beginTwoFactor, confirmTwoFactor } from '#product/accounts/contract/two-factor.ts';
import { generateSync } from 'otplib';
import { Authenticator } from '../passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '../site.ts';
import { lastMessageTo } from '../store/stored-people.ts';
import type { Visitor } from '../visitor.ts';

/** The password of everybody in the testkit. */
export const PASSWORD = 'correct horse battery';
export const ORIGIN = 'http://localhost';

/** What a provider says of somebody, besides who they are. */
interface Identified {
  readonly email?: string;
  readonly isEmailVerified?: boolean;
}

const codeOf = (error: unknown): string =>
  (error as { problem?: { errorType: string } }).problem?.errorType ?? String(error);

/** Ways to log in that people of a site add: passkeys, a second step, an account at a provider. */
export class WaysIn {
  readonly #site: TestSite;
  readonly #simulator: IdentitySimulator;

  constructor(site: TestSite, simulator: IdentitySimulator) {
    this.#site = site;
    this.#simulator = simulator;
  }

  appCode(secret: string): string {
    return generateSync({ secret, epoch: Math.floor(this.#site.clock.now().getTime() / 1000) });
  }

  /** The last message to an address or a number. */
  lastTo(to: string): Promise<string> {
    return this.#site.tx((tx) => lastMessageTo(tx, to));
  }

  async addsPasskey(owner: Visitor): Promise<Authenticator> {
    const key = new Authenticator();
    const { ticket, options } = await owner.call(beginPasskey, {});
    await owner.call(addPasskey, { ticket, name: 'A key', credential: key.makes(options, ORIGIN) });
    return key;
  }

  /** Turns two-step log-in on; returns a function that generates the current code. */
  async takesTwoSteps(owner: Visitor): Promise<() => string> {
    const { secret } = await owner.call(beginTwoFactor, { password: PASSWORD });
    await owner.call(confirmTwoFactor, { code: this.appCode(secret) });
    await this.#site.passes(60_000);
    return () => this.appCode(secret);
  }

  /** Logs in by a passkey in a new browser; returns 'in', or the code of the refusal. */
  async entersByPasskey(key: Authenticator): Promise<string> {
    const browser = await this.#site.visitor();
    const { ticket, options } = await browser.call(beginPasskeyLogin, {});
    const credential = key.answers(options, ORIGIN, {});
    return browser.call(loginByPasskey, { ticket, credential }).then(() => 'in', codeOf);
  }

  /** The query a browser comes back with, after somebody identified themselves at the provider. */
  async cameBack(
    browser: Visitor,
    purpose: 'log_in' | 'link',
    subject: string,
    { email = `${subject}@elsewhere.example`, isEmailVerified = true }: Identified = {},
  ): Promise<string> {
    const { url } = await browser.call(startProvider, { provider: 'google', purpose });
    const person = { subject, email, isEmailVerified };
    return new URL(await this.#simulator.logsIn(url, person)).search.slice(1);
  }

  /** What a browser finds that comes back from the provider: an outcome, or the code of a refusal. */
  async comesBack(...back: Parameters<WaysIn['cameBack']>): Promise<string> {
    const query = await this.cameBack(...back);
    return back[0].call(finishProvider, { query }).then(({ outcome }) => outcome, codeOf);
  }

  async linksProvider(owner: Member): Promise<void> {
    await owner.call(finishProvider, { query: await this.cameBack(owner, 'link', `subject-${owner.id}`) });
  }
}

/** A site where people may log in with an account at a provider, with their ways to log in. */
export async function openWaysIn(
  settings: NonNullable<Parameters<typeof createSite>[0]>['settings'] = {},
): Promise<{ readonly site: TestSite; readonly ways: WaysIn; readonly close: () => Promise<void> }> {
  const simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  const site = await createSite({
    settings: { ...settings, identityProvidersAt: () => simulator.providers },
  });
  const close = async (): Promise<void> => {
    await site.close();
    await simulator.close();
  };
  return { site, ways: new WaysIn(site, simulator), close };
}
