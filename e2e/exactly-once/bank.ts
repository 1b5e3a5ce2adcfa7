import type { BillerName } from '#platform/contract/payment.ts';
import { systemClock } from '#platform/data/clock.ts';
import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import type { Payment } from '#platform/payments/simulators/checkout/till.ts';
import type { Fault } from '#platform/payments/simulators/faults.ts';
import { openSimulators, type Simulators } from '#platform/payments/simulators/open.ts';

const EXPIRY = '12/30';
const [MONTH = '', YEAR = ''] = EXPIRY.split('/');
const CVV = '123';
/** Status of a biller that is down. */
const DOWN = 503;

/** Billers whose pages take cards. */
export const CARD_BILLERS = ['ccbill', 'segpay', 'rocketgate'] as const satisfies readonly BillerName[];

/** The card form that the site gives to a page. */
interface Form {
  readonly url: string;
  readonly bearer: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The simulated billers. They run with the driver and not in the program that is killed: real billers go on
 * too, and the site's records are compared with theirs.
 */
export class Bank {
  readonly #simulators: Simulators;

  private constructor(simulators: Simulators) {
    this.#simulators = simulators;
  }

  /** @param sitePort where the callbacks go, whether the site is up or not */
  static async open(sitePort: number): Promise<Bank> {
    return new Bank(
      await openSimulators({
        port: 0,
        host: '127.0.0.1',
        clock: systemClock,
        fetch,
        callback: (biller) => `http://127.0.0.1:${sitePort}/callbacks/${biller}`,
      }),
    );
  }

  /** Content of BILLERS_FILE: accounts at the simulators that take cards. */
  get accounts(): object {
    const { ccbill, segpay, rocketgate } = this.#simulators.accounts;
    return { ccbill, segpay, rocketgate };
  }

  /** Injects a fault the next time it can apply. */
  arm(biller: BillerName, injected: Fault): void {
    this.#simulators.arm(biller, injected);
  }

  /** Sends a good card to the token service, as a browser does. Resolves with its token. */
  async keeps({ url, bearer, fields }: Form): Promise<string> {
    const typed = {
      nameOnCard: 'Kim Doe',
      cardNumber: cardNumberFor(null),
      expMonth: MONTH,
      expYear: YEAR,
      cvv2: CVV,
    };
    const made = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ ...fields, ...typed }),
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    });
    return ((await made.json()) as { paymentTokenId: string }).paymentTokenId;
  }

  /** Follows a link to the payment page. Resolves with its address, or null while the biller is down. */
  async opens(link: string): Promise<string | null> {
    const { url, status } = await fetch(link);
    if (status === DOWN) return null;
    if (status !== 200) throw new Error(`the page of a biller answered ${status}`);
    return url;
  }

  /** Types a good card and clicks the button; nothing happens while the biller is down. */
  async pays(page: string): Promise<void> {
    const form = { number: cardNumberFor(null), expiry: EXPIRY, cvv: CVV, action: 'pay' };
    const { status } = await fetch(page, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(form),
    });
    if (status !== 303 && status !== DOWN) throw new Error(`a biller answered ${status} to a card`);
  }

  /** Payments the billers approved. */
  approved(): readonly (Payment & { readonly biller: BillerName })[] {
    return CARD_BILLERS.flatMap((biller) =>
      this.#simulators.till(biller).payments()
        .filter(({ state }) => state === 'approved').map((payment) => ({ ...payment, biller }))
    );
  }

  /** Waits until no callback is in flight. */
  settle(): Promise<void> {
    return this.#simulators.settle();
  }

  close(): Promise<void> {
    return this.#simulators.close();
  }
}
