import type { Scope } from '../../../../platform/contract/context.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { startOfDay } from '../../../../platform/time/days.ts';
import type { Limits } from '../../../ledger/server/service.ts';
import type { Person } from '../../../accounts/server.ts';
import {
  compliancePending, countryBlocked, modelCannotBuy, purchaseStanding, purchasesExcluded,
} from '../../contract.ts';
import { mayBuy, remainingToday, type BillingSettings, type BuyerFault } from '../../rules.ts';
import { centsSince } from '../../store/orders.ts';
import type { BillingDependencies } from '../dependencies.ts';

const REFUSALS = {
  country: countryBlocked, model: modelCannotBuy, pending: compliancePending, excluded: purchasesExcluded,
  // The permission table keeps guests out, and a page asks people who pay on account for their card.
  guest: purchasesExcluded, postpay: purchasesExcluded,
} as const satisfies Record<BuyerFault, unknown>;

const isExcluded = ({ coolingOffUntil, selfExcludedUntil, blocked }: Limits, now: Date): boolean =>
  blocked !== null || [coolingOffUntil, selfExcludedUntil].some((until) => until !== null && until > now);

/** How people stand who want to buy: the one order of checks, asked of everybody who knows something. */
export class Standing {
  readonly #deps: BillingDependencies;

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
  }

  async isCountryBlocked(scope: { operatorId: number }, country: string | null): Promise<boolean> {
    const { tipBlockedCountries } = await this.#deps.site.settingsOf(scope);
    return country !== null && tipBlockedCountries.includes(country);
  }

  /** Who may buy, or why not. Outside of a unit of work. */
  async of(scope: Scope, personId: number): Promise<
  { readonly person: Person } | { readonly refusal: (typeof REFUSALS)[BuyerFault] }> {
    const { accounts, data, ledger, slots } = this.#deps;
    const { person, limits, now } = await data.tx(scope, async (tx) => ({
      person: await accounts.findById(tx, personId), limits: await ledger.limitsOf(tx, personId), now: tx.now,
    }));
    if (!person) throw new Error(`person ${personId} has a session and no account`);
    const fault = mayBuy({
      isCountryBlocked: await this.isCountryBlocked(scope, person.lastLoginCountry),
      isPostpay: false, isGuest: false, isModel: person.type === 'model',
      isCompliancePending: await slots.one(purchaseStanding).isPending(scope, personId),
      isExcluded: isExcluded(limits, now),
    });
    return fault === null ? { person } : { refusal: REFUSALS[fault] };
  }

  /** What may still be bought today, in US cents. Lock the buyer first where it decides. */
  async remaining(tx: Tx, personId: number, settings: BillingSettings): Promise<number> {
    const today = startOfDay(tx.now);
    return remainingToday(settings.dailyLimitCents, await centsSince(tx, personId, today));
  }
}
