import { ANY_TYPE, call } from '#platform/contract/call.ts';
import { hostRefusals, refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { Gate } from '#product/compliance/contract.ts';
import { z } from 'zod';
import { AGE_CHECKS, CHECK_STATES, MAX_SUPPORT_MESSAGE } from './rules.ts';
import { DO_PURCHASE, EXPIRATION_LENGTH, MAX_TEXT, PURCHASE_STATES } from './rules/card-form.ts';

const slice = 'age-checks';
export const checkUnavailable = refusal({
  slice,
  code: 'check_unavailable',
  kind: 'denied',
  description: 'The region’s rules do not accept this way to prove an age, or the site does not offer it.',
});
export const providerUnavailable = refusal({
  slice,
  code: 'provider_unavailable',
  kind: 'conflict',
  description: 'The provider of the check does not answer. Nothing is lost: the same may be tried again.',
});
export const tooManyAttempts = refusal({
  slice,
  code: 'too_many_attempts',
  kind: 'conflict',
  description: 'As many checks were begun within a day as may be.',
});
export const checkFailed = refusal({
  slice,
  code: 'check_failed',
  kind: 'denied',
  description: 'The check did not show that the person is old enough.',
});
export const underAge = refusal({
  slice,
  code: 'under_age',
  kind: 'denied',
  description: 'By the birth date given the person is too young.',
});
export const noCheck = refusal({
  slice,
  code: 'no_check',
  kind: 'absent',
  description: 'This browser has begun no check, or it is over.',
});

/** Few people begin more than three checks; a program would begin thousands, and each costs money. */
const BEGINNING = { points: 10, seconds: 600, per: 'address' } as const;
const StartUrl = z.object({
  /** Address of the provider’s page, where the browser goes. */
  url: z.string(),
});
const beginning = {
  method: 'GET',
  access: 'anyone',
  credential: 'cookie',
  effects: true,
  output: StartUrl,
  refusals: [checkUnavailable, providerUnavailable, tooManyAttempts],
  limit: BEGINNING,
} as const;

export const getYotiUrl = call({
  ...beginning,
  name: 'age-checks.getYotiUrl',
  path: '/yoti/url',
  input: z.object({ type: z.enum(['TYPE_DOC_SCAN', 'TYPE_DIGITAL_ID']) }),
  summary: 'Begin a check with Yoti',
  description:
    'Opens a session of Yoti for this browser, with one method. The answer has the address to go to.',
  requirements: ['C-307'],
});
export const getIncodeEstimationUrl = call({
  ...beginning,
  name: 'age-checks.getIncodeEstimationUrl',
  path: '/incode/url/user-age-estimation',
  input: z.object({}),
  summary: 'Begin an age estimation with Incode',
  description: 'Opens a session of the operator’s flow for estimation.',
  requirements: ['C-305'],
});
export const getIncodeVerificationUrl = call({
  ...beginning,
  name: 'age-checks.getIncodeVerificationUrl',
  path: '/incode/url/user-age-verification',
  input: z.object({}),
  summary: 'Begin a check of a document with Incode',
  description: 'Opens a session of the operator’s flow for verification.',
  requirements: ['C-306'],
});

export const getCardToken = call({
  name: 'age-checks.getCardToken',
  method: 'POST',
  path: '/ccbill/oauth_token',
  access: 'member',
  // Changes nothing here: the page of the card form is rendered with it.
  credential: 'cookie',
  effects: false,
  input: z.object({}),
  output: z.object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    /** The token service: the browser sends the card there and nowhere else. */
    url: z.string(),
    /** Further fields of the token service, sent unchanged. */
    fields: z.record(z.string(), z.string()),
    /** Whether the form asks for an email address: none is on file. */
    needs_email: z.boolean(),
    /** The offer that `do_purchase` 1 buys, in minor units; null for people it is not sold to. */
    offer: z.object({
      tokens: z.int(),
      free_tokens: z.int(),
      price: z.object({ minor: z.int(), currency: z.string() }),
    }).nullable(),
  }),
  refusals: [checkUnavailable, providerUnavailable],
  limit: { points: 10, seconds: 600, per: 'caller' },
  summary: 'A token for the card form',
  description: 'Short-lived, valid only for turning a card into a payment token at CCBill’s token service.',
  requirements: ['C-303'],
});

const text = z.string().trim().min(1).max(MAX_TEXT).regex(PLAIN_TEXT);
const digits = z.string().regex(/^\d+$/u);
export const verifyByCard = call({
  name: 'age-checks.verifyByCard',
  method: 'POST',
  path: '/age-verification',
  access: 'member',
  credential: 'cookie',
  idempotency: 'optional',
  input: z.object({
    address: text,
    birth_date: z.iso.date(),
    city: text,
    /** ISO 3166-1 alpha-2. */
    country: z.string().regex(/^[A-Z]{2}$/u),
    /** Only where the account has none. */
    email: z.email().max(254).optional(),
    first_name: text,
    last_name: text,
    /** State, or province of Canada. */
    state: text,
    zip: text,
    payment_token: z.string().min(1).max(128),
    card: z.object({
      exp_month: digits.length(EXPIRATION_LENGTH),
      exp_year: digits.length(EXPIRATION_LENGTH),
      first6: digits.length(6),
      last4: digits.length(4),
    }),
    /** 0: only verify, no charge. 1: buy the offer of 300 tokens. */
    do_purchase: z.literal(DO_PURCHASE),
  }),
  output: z.object({
    status: z.literal(1),
    gate: Gate,
    /** 0 unless the offer is paid already. */
    tokens_bought: z.int(),
    /** What became of the offer; null where it was not asked for. The verified age does not depend on it. */
    purchase: z.object({
      state: z.enum(PURCHASE_STATES),
      order_id: z.string().nullable(),
      /** Code of a decline, or of the refusal to sell. */
      reason: z.string().nullable(),
      /** The biller's page where a pending purchase continues. */
      link: z.string().nullable(),
    }).nullable(),
  }),
  refusals: [
    checkUnavailable,
    providerUnavailable,
    checkFailed,
    underAge,
    tooManyAttempts,
    hostRefusals.keyReused,
  ],
  limit: { points: 10, seconds: 600, per: 'caller' },
  summary: 'Verify an age by card',
  description: 'The card is known by CCBill’s payment token alone; its digits must be those CCBill has. With '
    + '`do_purchase` 1 the offer is bought once per Idempotency-Key, or per token without one. A declined or '
    + 'refused purchase leaves the verified age as it is.',
  requirements: ['C-304'],
});

/** The state of the caller's age verification. */
const AgeVerificationStatus = z.object({
  gate: Gate,
  /** A check failed within the last day: the next one begins at the picker, with a notice. */
  has_failed_attempts: z.boolean(),
  /** `finishCheck` has an answer: this browser began a check, or its member has proved an age before. */
  has_result: z.boolean(),
  /** The newest check under way, and since when (ISO 8601). */
  pending: z.object({ kind: z.enum(AGE_CHECKS), since: z.string() }).nullable(),
  /** What the region's policy accepts and the site offers, in order; empty where nothing is needed. */
  offered: z.array(z.object({
    kind: z.enum(AGE_CHECKS),
    needs_account: z.boolean(),
    /** The provider does not learn the site, and the site not the person. */
    is_anonymous: z.boolean(),
  })),
  minimum_age: z.int(),
});
export type AgeVerificationStatusView = z.infer<typeof AgeVerificationStatus>;

export const getAgeVerification = call({
  name: 'age-checks.getAgeVerification',
  method: 'GET',
  path: '/age-verification',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: AgeVerificationStatus,
  refusals: [],
  summary: 'The caller’s age verification',
  description: 'What is open, what failed, and what the region accepts.',
});

export const finishCheck = call({
  name: 'age-checks.finishCheck',
  method: 'POST',
  path: '/age-verification/finish',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ state: z.enum(CHECK_STATES), gate: Gate }),
  refusals: [noCheck, providerUnavailable, checkFailed],
  limit: { points: 60, seconds: 60, per: 'address' },
  summary: 'Ask for the result of a check',
  description: 'Of the check that this browser began: the provider is asked, whatever address the browser '
    + 'came back to. Repeating it while the state is `pending` waits for the provider. Members without a '
    + 'check here get what they proved in another browser, or to support, where the region allows that.',
});

export const cancelCheck = call({
  name: 'age-checks.cancelCheck',
  method: 'DELETE',
  path: '/age-verification',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [],
  summary: 'Give up a check',
  description:
    'Of the check that this browser, or its member, has under way; another may be chosen. It counts as '
    + 'one of the day, and keeps a result that the provider has by then.',
});

export const askSupport = call({
  name: 'age-checks.askSupport',
  method: 'POST',
  path: '/age-verification/support',
  access: 'member',
  credential: 'cookie',
  input: z.object({ message: z.string().trim().min(1).max(MAX_SUPPORT_MESSAGE).regex(PLAIN_TEXT) }),
  output: z.object({ status: z.literal(1) }),
  refusals: [checkUnavailable, tooManyAttempts],
  summary: 'Ask support to verify an age',
  description: 'For people whom no other way suits. Somebody of the site decides; an email says how.',
});

const SupportCheckLine = z.object({
  id: z.int(),
  username: z.string(),
  /** What the person wrote; null once it is decided. */
  message: z.string().nullable(),
  asked_at: z.string(),
  minimum_age: z.int(),
  decision: z.enum(['verified', 'refused']).nullable(),
  decided_at: z.string().nullable(),
  decided_by: z.string().nullable(),
});
export type SupportCheckView = z.infer<typeof SupportCheckLine>;
export const supportCheckUnknown = refusal({
  slice,
  code: 'support_check_unknown',
  kind: 'absent',
  description: 'There is no such request, or it is decided already.',
});
export const ownSupportCheck = refusal({
  slice,
  code: 'own_support_check',
  kind: 'denied',
  description: 'Nobody may decide about their own age.',
});
export const listSupportChecks = call({
  name: 'age-checks.listSupportChecks',
  method: 'GET',
  path: '/age-verification/support',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ decided: z.boolean().optional(), before: z.int().positive().optional() }),
  output: z.object({ checks: z.array(SupportCheckLine), next: z.int().nullable() }),
  refusals: [],
  summary: 'People who asked support to verify their age',
  description: 'Those without a decision by default. Newest first, 50 a page; `next` goes into `before`.',
});
export const decideSupportCheck = call({
  name: 'age-checks.decideSupportCheck',
  method: 'POST',
  path: '/age-verification/support/:id',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    id: z.int().positive(),
    decision: z.enum(['verify', 'refuse']),
    /** What was examined; for the audit log. */
    reason: z.string().trim().min(3).max(500).regex(PLAIN_TEXT),
  }),
  output: SupportCheckLine,
  refusals: [supportCheckUnknown, ownSupportCheck],
  summary: 'Decide about somebody’s age',
  description: 'The person gets an email in their language. What they wrote is deleted.',
});

export const receiveYotiReport = call({
  name: 'age-checks.receiveYotiReport',
  method: 'POST',
  path: '/yoti/notifications',
  access: 'anyone',
  credential: 'none',
  media: { accepts: ANY_TYPE, answers: 'text/plain' },
  input: z.object({ body: z.string() }),
  output: z.object({
    status: z.literal([200, 400, 503]),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  refusals: [],
  limit: { points: 600, seconds: 60, per: 'address' },
  summary: 'Report of Yoti about a check',
  description:
    'Nothing in it is believed but the session it names, about which Yoti is asked. 503 while Yoti '
    + 'does not answer, so that the report is sent again.',
});
