import type { AgeCheck, AgeProvider, AgeVerifier } from '#platform/age-verification/age-verifier.ts';
import type { Data } from '#platform/data/data.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { BillingService } from '#product/billing/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { ANY_AGE, METHOD_OF, SUPPORT_LIVENESS, type AgeCheckKind, type OfferedCheck } from '../rules.ts';

/** Checks on a provider's pages. */
export const PROVIDER_CHECKS = {
  yoti_doc_scan: { provider: 'yoti', check: 'document' },
  yoti_digital_id: { provider: 'yoti', check: 'digital_id' },
  incode_age_estimation: { provider: 'incode', check: 'estimation' },
  incode_age_verification: { provider: 'incode', check: 'document' },
} as const satisfies Partial<
  Record<AgeCheckKind, { readonly provider: AgeProvider; readonly check: AgeCheck }>
>;
export type ProviderCheckKind = keyof typeof PROVIDER_CHECKS;

/** The ways to prove an age that an operator offers. */
export interface AgeChecksOffer {
  /** Providers with the operator's own account, at most one of each name. */
  readonly verifiers: readonly AgeVerifier[];
  /** Members may prove their age by card, where the operator has an account at the processor. */
  readonly card: boolean;
  /** Members may ask somebody of the site. */
  readonly support: boolean;
}
const NOTHING_OFFERED: AgeChecksOffer = { verifiers: [], card: false, support: false };

export interface AgeChecksDependencies {
  readonly data: Data;
  readonly accounts: Pick<AccountsService, 'findById' | 'findMany'>;
  readonly compliance: ComplianceService;
  readonly billing: Pick<BillingService, 'cardChecks'>;
  readonly notices: Pick<NoticesService, 'sendTo'>;
  readonly site: Pick<SiteService, 'linkOrigin' | 'viewOf'>;
  /** Nothing is offered without it. */
  readonly ageChecksOf?: ((operatorId: number) => AgeChecksOffer) | undefined;
  /** Path prefix of calls. */
  readonly apiBase: string;
  /** The site's secret. */
  readonly secret: string;
}

/** The processor of the card form (spec 3 §7). */
export const CARD_BILLER = 'ccbill';

export const offerOf = (
  { ageChecksOf }: Pick<AgeChecksDependencies, 'ageChecksOf'>,
  { operatorId }: { readonly operatorId: number },
): AgeChecksOffer => ageChecksOf?.(operatorId) ?? NOTHING_OFFERED;

const KINDS = Object.keys(PROVIDER_CHECKS) as readonly ProviderCheckKind[];

/** Every check that an operator offers, with what its proof is worth. */
export function checksOf(
  deps: Pick<AgeChecksDependencies, 'ageChecksOf' | 'billing'>,
  scope: { readonly operatorId: number },
): readonly OfferedCheck[] {
  const { verifiers, card, support } = offerOf(deps, scope);
  const own = { isAnonymous: false, provesAge: ANY_AGE } as const;
  return [
    ...KINDS.flatMap((kind): OfferedCheck[] => {
      const { provider, check } = PROVIDER_CHECKS[kind];
      const verifier = verifiers.find(({ name, checks }) => name === provider && checks.includes(check));
      if (!verifier) return [];
      const { isAnonymous, provesAge } = verifier;
      return [{ kind, isAnonymous, provesAge, liveness: verifier.livenessOf(check) }];
    }),
    ...(card && deps.billing.cardChecks.isOffered(scope, CARD_BILLER)
      ? [{ ...own, kind: 'card' as const, liveness: 'none' as const }]
      : []),
    ...(support ? [{ ...own, kind: 'support' as const, liveness: SUPPORT_LIVENESS }] : []),
  ];
}

/** The provider of a check; null where the operator has no account there any more. */
export function verifierOf(
  deps: Pick<AgeChecksDependencies, 'ageChecksOf'>,
  scope: { readonly operatorId: number },
  kind: ProviderCheckKind,
): AgeVerifier | null {
  const { provider } = PROVIDER_CHECKS[kind];
  return offerOf(deps, scope).verifiers.find(({ name }) => name === provider) ?? null;
}

/** What a passed check proves, in the terms of the region's policy. */
export const proofOf = ({ kind, liveness, isAnonymous }: OfferedCheck, minimumAge: number) => ({
  method: METHOD_OF[kind],
  liveness,
  isAnonymous,
  minimumAge,
});
