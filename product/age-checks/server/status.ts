import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import type { UserPart } from '#product/accounts/extension-points.ts';
import { getAgeVerification } from '../contract.ts';
import { acceptedChecks, isCardOnly, NEEDS_ACCOUNT, type CheckState } from '../rules.ts';
import { attemptsOf, attemptsOfPerson, newestSupportCheck, pendingOfPerson, proofsOf } from '../store.ts';
import type { Attempts } from './attempts.ts';
import { checksOf, type AgeChecksDependencies } from './dependencies.ts';
import { heldProof } from './held.ts';

/** The state of the caller's age verification. */
export const statusHandler = (deps: AgeChecksDependencies, attempts: Attempts): CallHandler =>
  handleCall(getAgeVerification)(async (_input, context) => {
    const { compliance, data } = deps;
    const { scope, caller: { personId } } = context;
    const { gate } = compliance.viewerOf(context);
    const policy = compliance.policyOf(context.scope, context.region);
    const { begun, elsewhere, asked, held } = await data.read(scope, async (tx) => ({
      begun: await attemptsOf(tx, attempts.beginnerOf(context)),
      elsewhere: personId === null ? null : await pendingOfPerson(tx, personId),
      asked: personId === null ? null : await newestSupportCheck(tx, personId),
      held: personId === null ? null : await heldProof(tx, personId, policy),
    }));
    const bound = await attempts.boundTo(context);
    const underWay = bound?.state === 'pending' ? bound : elsewhere;
    const waiting = underWay
      ? { kind: underWay.kind, since: underWay.createdAt.toISOString() }
      : asked?.decision === null
      ? { kind: 'support' as const, since: asked.askedAt.toISOString() }
      : null;
    const offered = gate === 'verify' ? acceptedChecks(policy, checksOf(deps, scope)) : [];
    return {
      gate,
      has_failed_attempts: begun.some(({ state }) => state === 'failed'),
      has_result: gate === 'verify' && (bound !== null || held !== null),
      pending: gate === 'verify' ? waiting : null,
      offered: offered.map(({ kind, isAnonymous }) => ({
        kind,
        needs_account: NEEDS_ACCOUNT.includes(kind),
        is_anonymous: isAnonymous,
      })),
      minimum_age: policy.minimumAge,
    };
  });

/** The newest check of a person with Yoti, or a proof of it that still counts. */
async function yotiState(tx: Tx, personId: number): Promise<CheckState | null> {
  for (const { kind, state } of await attemptsOfPerson(tx, personId)) {
    if (kind.startsWith('yoti_') && state !== 'cancelled') return state;
  }
  return (await proofsOf(tx, personId)).some(({ provider }) => provider === 'yoti') ? 'verified' : null;
}

/** What support did; a decision counts until its proof expires, a refusal until it is forgotten. */
async function supportState(tx: Tx, personId: number): Promise<CheckState | null> {
  const asked = await newestSupportCheck(tx, personId);
  if (asked?.decision === null) return 'pending';
  if (asked?.decision === 'refused') return 'failed';
  return (await proofsOf(tx, personId)).some(({ provider }) => provider === 'support') ? 'verified' : null;
}

/** Age verification as GET /user/current shows it. */
export const verificationPart = ({ compliance }: AgeChecksDependencies): UserPart => ({
  keys: ['ageVerification'],
  read: async (tx, { id }, viewed) => {
    const required = compliance.viewerOf(viewed).gate === 'verify';
    return {
      ageVerification: {
        required,
        methods: { yoti: await yotiState(tx, id), zendesk: await supportState(tx, id) },
        creditCardRequired: required && isCardOnly(compliance.policyOf(viewed.scope, viewed.region)),
      },
    };
  },
});
