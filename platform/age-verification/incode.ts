import type { Outside } from '#platform/payments/biller.ts';
import { ask, type Asked } from '#platform/payments/wire/ask.ts';
import { jsonOf } from '#platform/payments/wire/fields.ts';
import { z } from 'zod';
import type { AgeCheck, AgeVerifier, Begun, Finding, Opened, Opening } from './age-verifier.ts';

/** A flow as the operator set it up at Incode: it decides the age, and how lifelike a face must be. */
const Flow = z.strictObject({
  id: z.string().min(1).max(128),
  /** The age in full years that the flow demands; for an estimation with the margin that the law wants. */
  provesAge: z.int().min(18).max(99),
  liveness: z.enum(['none', 'passive', 'active']),
});
/** A site's account at Incode. The API key is never logged. */
export const IncodeAccount = z.strictObject({
  /** Address of the API, e.g. `https://api.incodesmile.com`. */
  address: z.url(),
  apiKey: z.string().min(1).max(512),
  flows: z.strictObject({ estimation: Flow.optional(), verification: Flow.optional() }),
  /** Where browsers come back to without learning the site; only with it is the account anonymous. */
  relay: z.url().optional(),
});
export type IncodeAccount = z.infer<typeof IncodeAccount>;

const FLOW_OF = { estimation: 'estimation', document: 'verification' } as const;

const Started = z.object({ interviewId: z.string().min(1).max(64), token: z.string().min(1).max(900) });
const Page = z.object({ url: z.url() });
const Status = z.object({ onboardingStatus: z.string() });
const Score = z.object({ overall: z.object({ status: z.string() }) });
const FINISHED = 'ONBOARDING_FINISHED';
/** The session can no longer be finished. */
const OVER = ['EXPIRED', 'DELETED', 'CANCELLED'];

/** Incode's hosted flows: a session by the API key, its result by the token of that session alone. */
export function incodeVerifier(account: IncodeAccount, outside: Outside): AgeVerifier {
  const { flows } = account;
  const flowOf = (check: AgeCheck) => (check === 'digital_id' ? undefined : flows[FLOW_OF[check]]);
  const checks = (['estimation', 'document'] as const).filter((check) => flowOf(check) !== undefined);
  return {
    name: 'incode',
    checks,
    isAnonymous: account.relay !== undefined,
    provesAge: Math.min(...checks.map((check) => flowOf(check)?.provesAge ?? 0)),
    livenessOf: (check) => flowOf(check)?.liveness ?? 'none',
    open: (opening) => open(account, outside, flowOf(opening.check)?.id, opening),
    result: (begun) => result(account, outside, flowOf(begun.check)?.provesAge ?? 0, begun),
    // Results are asked for: webhooks of Incode are set up per flow, and carry more than we may know.
    read: () => null,
  };
}

const COMMON = { 'content-type': 'application/json', 'api-version': '1.0' } as const;
const bearing = (token: string) => ({ headers: { ...COMMON, 'x-incode-hardware-id': token } });

async function open(
  { address, apiKey, relay }: IncodeAccount,
  { fetch: send }: Outside,
  flow: string | undefined,
  { nonce, returnUrl }: Opening,
): Promise<Opened> {
  if (flow === undefined) return { kind: 'unreachable', reason: 'no flow for this check' };
  const started = read(
    Started,
    await ask(send, `${address}/omni/start`, {
      method: 'POST',
      headers: { ...COMMON, 'x-api-key': apiKey },
      body: JSON.stringify({
        configurationId: flow,
        countryCode: 'ALL',
        externalCustomerId: nonce,
        redirectionUrl: relay ?? returnUrl,
      }),
    }),
  );
  if ('kind' in started) return started;
  const page = read(Page, await ask(send, `${address}/0/omni/onboarding-url`, bearing(started.token)));
  if ('kind' in page) return page;
  return { kind: 'opened', reference: started.token, url: page.url };
}

async function result(
  { address }: IncodeAccount,
  { fetch: send }: Outside,
  provesAge: number,
  { reference, minimumAge }: Begun,
): Promise<Finding> {
  const ours = bearing(reference);
  const answered = await ask(send, `${address}/0/omni/get/onboarding/status`, ours);
  if (answered.kind === 'answer' && answered.status === 404) return { kind: 'failed' };
  const status = read(Status, answered);
  if ('kind' in status) return status;
  if (OVER.includes(status.onboardingStatus)) return { kind: 'failed' };
  if (status.onboardingStatus !== FINISHED) return { kind: 'pending' };
  const score = read(Score, await ask(send, `${address}/0/omni/get/score`, ours));
  if ('kind' in score) return score;
  return { kind: score.overall.status === 'OK' && provesAge >= minimumAge ? 'passed' : 'failed' };
}

type Unreachable = { readonly kind: 'unreachable'; readonly reason: string };

/** The fields that are used of an answer; whatever else it has is dropped unread. */
function read<T extends object>(shape: z.ZodType<T>, answer: Asked): T | Unreachable {
  if (answer.kind !== 'answer') return { kind: 'unreachable', reason: answer.reason };
  const found = answer.status === 200 ? shape.safeParse(jsonOf(answer.body)) : null;
  return found?.success ? found.data : { kind: 'unreachable', reason: `status ${answer.status}` };
}
