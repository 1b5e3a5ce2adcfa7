import type { Outside } from '#platform/payments/biller.ts';
import { ask } from '#platform/payments/wire/ask.ts';
import { jsonOf } from '#platform/payments/wire/fields.ts';
import { HOUR_MS, SECOND_MS } from '#platform/time/units.ts';
import { z } from 'zod';
import type { AgeCheck, AgeVerifier, Begun, Finding, Opened, Opening } from './age-verifier.ts';

/** A site's account at Yoti. The API key is never logged. */
export const YotiAccount = z.strictObject({
  /** Address of the API and of the pages, e.g. `https://age.yoti.com`. */
  address: z.url(),
  apiKey: z.string().min(1).max(512),
  sdkId: z.string().min(1).max(128),
  /** Where browsers come back to without learning the site; only with it is the account anonymous. */
  relay: z.url().optional(),
});
export type YotiAccount = z.infer<typeof YotiAccount>;

/** Long enough to find a passport; afterwards the session cannot be used. */
const SESSION_SECONDS = HOUR_MS / SECOND_MS;
/** Yoti's name of each check. Every other method is turned off, so that nobody chooses a weaker one. */
const METHODS = { document: 'doc_scan', digital_id: 'digital_id' } as const;
const ALL_METHODS = ['age_estimation', 'doc_scan', 'digital_id', 'credit_card', 'mobile'] as const;
type Method = (typeof METHODS)[keyof typeof METHODS];

const Session = z.object({ id: z.string().min(1).max(128) });
const MethodSettings = z.object({ allowed: z.boolean(), threshold: z.number(), level: z.string().nullish() });
const Result = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  reference_id: z.string(),
  method: z.string().nullish(),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
  doc_scan: MethodSettings.nullish(),
  digital_id: MethodSettings.nullish(),
});
/** A report has the same id; its `state` is not believed. */
const Notification = z.object({ id: z.string().min(1).max(128) });
const FAILED = ['FAIL', 'ERROR', 'EXPIRED', 'CANCELLED'];
const UNDER_WAY = ['PENDING', 'IN_PROGRESS'];

const methodOf = (check: AgeCheck): Method | null => (check === 'estimation' ? null : METHODS[check]);

/** Yoti's age verification service: a session with exactly one method, and its result by the API. */
export function yotiVerifier(account: YotiAccount, outside: Outside): AgeVerifier {
  const headers = {
    'authorization': `Bearer ${account.apiKey}`,
    'yoti-sdk-id': account.sdkId,
    'content-type': 'application/json',
  };
  return {
    name: 'yoti',
    checks: ['document', 'digital_id'],
    isAnonymous: account.relay !== undefined,
    provesAge: 99,
    livenessOf: (check) => (check === 'document' ? 'passive' : 'none'),
    open: (opening) => open(account, outside, headers, opening),
    result: (begun) => result(account, outside, headers, begun),
    read: (body) => Notification.safeParse(jsonOf(body)).data?.id ?? null,
  };
}

async function open(
  { address, sdkId, relay }: YotiAccount,
  { fetch: send }: Outside,
  headers: Readonly<Record<string, string>>,
  { check, nonce, minimumAge, returnUrl, notificationUrl }: Opening,
): Promise<Opened> {
  const method = methodOf(check);
  if (!method) return { kind: 'unreachable', reason: 'Yoti is not used for this check' };
  const back = relay ?? returnUrl;
  const settings = (name: string) =>
    name === method
      ? {
        allowed: true,
        threshold: minimumAge,
        // Of the two, only a document is compared with a face.
        ...(check === 'document' ? { level: 'PASSIVE', authenticity: 'AUTO' } : { level: 'NONE' }),
        retry: 1,
      }
      : { allowed: false, threshold: minimumAge };
  const answer = await ask(send, `${address}/api/v1/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      type: 'OVER',
      ttl: SESSION_SECONDS,
      reference_id: nonce,
      callback: { auto: true, url: back },
      cancel_url: back,
      ...(relay === undefined ? { notification_url: notificationUrl } : {}),
      ...Object.fromEntries(ALL_METHODS.map((name) => [name, settings(name)])),
    }),
  });
  if (answer.kind !== 'answer') return { kind: 'unreachable', reason: answer.reason };
  const session = answer.status < 300 ? Session.safeParse(jsonOf(answer.body)) : null;
  if (!session?.success) return { kind: 'unreachable', reason: `status ${answer.status}` };
  const { id } = session.data;
  const query = new URLSearchParams({ sessionId: id, sdkId });
  return { kind: 'opened', reference: id, url: `${address}?${query.toString()}` };
}

async function result(
  { address }: YotiAccount,
  { fetch: send, now }: Outside,
  headers: Readonly<Record<string, string>>,
  begun: Begun,
): Promise<Finding> {
  const answer = await ask(send, `${address}/api/v1/sessions/${encodeURIComponent(begun.reference)}/result`, {
    headers,
  });
  if (answer.kind !== 'answer') return { kind: 'unreachable', reason: answer.reason };
  // The session expired and was deleted.
  if (answer.status === 404) return { kind: 'failed' };
  const found = answer.status === 200 ? Result.safeParse(jsonOf(answer.body)) : null;
  if (!found?.success) return { kind: 'unreachable', reason: `status ${answer.status}` };
  const { data } = found;
  if (data.id !== begun.reference || data.reference_id !== begun.nonce) {
    return { kind: 'unreachable', reason: 'the answer is about another session' };
  }
  if (UNDER_WAY.includes(data.status)) {
    const isLate = data.expires_at != null && new Date(data.expires_at) <= now();
    return { kind: isLate ? 'failed' : 'pending' };
  }
  if (FAILED.includes(data.status)) return { kind: 'failed' };
  if (data.status !== 'COMPLETE') return { kind: 'unreachable', reason: 'an unknown status' };
  const method = methodOf(begun.check);
  const asked = method && data[method];
  const isAsAsked = data.type === 'OVER' && data.method?.toLowerCase() === method
    && asked?.allowed === true && asked.threshold >= begun.minimumAge;
  return { kind: isAsAsked ? 'passed' : 'failed' };
}
