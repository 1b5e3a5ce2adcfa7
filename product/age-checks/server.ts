import type { Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import { loggedIn, personalData, userPart } from '#product/accounts/extension-points.ts';
import { personProofs } from '#product/compliance/extension-points.ts';
import { Attempts } from './server/attempts.ts';
import { cardHandlers } from './server/card.ts';
import type { AgeChecksDependencies } from './server/dependencies.ts';
import { reopen } from './server/held.ts';
import { ProviderChecks } from './server/provider-checks.ts';
import { statusHandler, verificationPart } from './server/status.ts';
import { SupportChecks } from './server/support.ts';
import { provedBy } from './store.ts';
import { ownRows } from './store/own-rows.ts';

export type { AgeChecksOffer } from './server/dependencies.ts';

/** Later slices ask compliance about the gate, and nothing here. */
export type AgeChecksService = Readonly<Record<string, never>>;

/** How visitors prove their age: by a provider, a card or support, and what is stored of it. */
export function ageChecksSlice(deps: AgeChecksDependencies): Slice<AgeChecksService> {
  const attempts = new Attempts(deps);
  const support = new SupportChecks(deps, attempts);
  return {
    name: 'age-checks',
    service: {},
    callHandlers: [
      ...new ProviderChecks(deps, attempts).callHandlers,
      ...cardHandlers(deps, attempts),
      ...support.callHandlers,
      statusHandler(deps, attempts),
    ],
    deadlineHandlers: [...attempts.deadlineHandlers, ...support.deadlineHandlers],
    extensions: [
      implement(personalData, ownRows),
      implement(userPart, verificationPart(deps)),
      implement(personProofs, provedBy),
      implement(loggedIn, async (tx, personId, context) => {
        await attempts.adopt(tx, personId, context);
        await reopen(deps.compliance, tx, personId, context);
      }),
    ],
  };
}
