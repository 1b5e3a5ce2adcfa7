import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { startOfDay } from '#platform/time/days.ts';
import type { Person } from '#product/accounts/server.ts';
import type { Limits } from '#product/ledger/server.ts';
import type { SiteSettings } from '#product/site/rules.ts';
import { compliancePending, countryBlocked, modelCannotBuy, purchasesExcluded } from '../../contract.ts';
import { purchaseBlockOf, remainingToday, type BillingSettings, type PurchaseBlock } from '../../rules.ts';
import { centsSince } from '../../store/orders.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';

const REFUSALS = {
  country: countryBlocked,
  model: modelCannotBuy,
  pending: compliancePending,
  excluded: purchasesExcluded,
} as const satisfies Record<PurchaseBlock, unknown>;

const isExcluded = ({ coolingOffUntil, selfExcludedUntil, blocked }: Limits, now: Date): boolean =>
  blocked !== null || [coolingOffUntil, selfExcludedUntil].some((until) => until !== null && until > now);

/**
 * Whether buying is closed in the country of a person's last log-in: in countries where tips are closed (spec
 * 1 §4, Token purchase flow), and in the operator's further ones.
 */
export const isPurchaseBlocked = (
  { purchaseBlockedCountries }: Pick<BillingSettings, 'purchaseBlockedCountries'>,
  { tipBlockedCountries }: Pick<SiteSettings, 'tipBlockedCountries'>,
  { lastLoginCountry }: Pick<Person, 'lastLoginCountry'>,
): boolean =>
  lastLoginCountry !== null
  && (purchaseBlockedCountries.includes(lastLoginCountry) || tipBlockedCountries.includes(lastLoginCountry));

/** Whether an account may buy, and the remaining daily limit. */
export class Eligibility {
  readonly #deps: BillingDependencies;

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
  }

  /** The buyer, or why they may not buy. Opens its own unit of work. */
  async of(scope: Scope, personId: number): Promise<
    { readonly person: Person } | { readonly refusal: (typeof REFUSALS)[PurchaseBlock] }
  > {
    const { accounts, compliance, data, ledger } = this.#deps;
    return data.tx(scope, async (tx) => {
      const person = await accounts.findById(tx, personId);
      if (!person) throw new Error(`person ${personId} has a session and no account`);
      const { settings } = await configurationOf(tx);
      const block = purchaseBlockOf({
        isCountryBlocked: isPurchaseBlocked(settings, await this.#deps.site.settingsIn(tx), person),
        isModel: person.type === 'model',
        isCompliancePending: await compliance.isPending(tx, personId),
        isExcluded: isExcluded(await ledger.limitsOf(tx, personId), tx.now),
      });
      return block === null ? { person } : { refusal: REFUSALS[block] };
    });
  }

  /** The remaining daily limit, in US cents. Lock the buyer before relying on it. */
  async remaining(tx: Tx, personId: number, settings: BillingSettings): Promise<number> {
    return remainingToday(settings.dailyLimitCents, await centsSince(tx, personId, startOfDay(tx.now)));
  }
}
