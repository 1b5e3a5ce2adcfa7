/**
 * Refusals are data: an expected "no" that a call declares and its handler returns.
 * Errors (bugs, outages) are exceptions and never declared.
 */

/** Why a call was refused; `platform/http` maps each kind to one HTTP status. */
export type RefusalKind =
  | 'unauthenticated'
  | 'denied'
  | 'absent'
  | 'gone'
  | 'conflict'
  | 'invalid'
  | 'limited'
  | 'funds'
  /** The body cannot be parsed; an `invalid` body can, but its values are wrong (RFC 9110 §15.5.1). */
  | 'malformed'
  /** A conditional request whose condition is missing, or does not hold (RFC 6585 §3, RFC 9110 §15.5.13). */
  | 'precondition_required'
  | 'precondition_failed';

/** A declared "no". `message` is the i18n key of its text in the owning slice's `messages/`. */
export interface Refusal<Code extends string = string> {
  readonly code: Code;
  readonly kind: RefusalKind;
  readonly message: string;
  readonly description: string;
}

/** Declares a refusal. Its user text is in `product/<slice>/messages/*.json` under `refusals.<code>`. */
export function refusal<const Code extends string>(definition: {
  slice: string;
  code: Code;
  kind: RefusalKind;
  description: string;
}): Refusal<Code> {
  const { slice, code, kind, description } = definition;
  return { code, kind, description, message: `${slice}:refusals.${code}` };
}

/**
 * Details that a refusal may carry: values for its text, and fields added to the answer (e.g. `suggestions`).
 */
export interface RefusalDetail {
  readonly values?: Readonly<Record<string, string | number>>;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Seconds until a retry makes sense (kind `limited`). */
  readonly retryAfterSeconds?: number;
}

/** A refusal as returned by a handler. */
export class Refused<R extends Refusal = Refusal> {
  readonly refusal: R;
  readonly detail: RefusalDetail;
  constructor(refusal: R, detail: RefusalDetail = {}) {
    this.refusal = refusal;
    this.detail = detail;
  }
}

/**
 * Thrown in a unit of work when its caller was logged out after the request arrived: the host answers
 * `not_authenticated`.
 */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** Refusals that the host, never a handler, may return for any call. */
export const hostRefusals = {
  notAuthenticated: refusal({
    slice: 'site',
    code: 'not_authenticated',
    kind: 'unauthenticated',
    description: 'The call needs a logged-in person.',
  }),
  forbidden: refusal({
    slice: 'site',
    code: 'forbidden',
    kind: 'denied',
    description: 'This person may not use this call.',
  }),
  twoFactorRequired: refusal({
    slice: 'site',
    code: 'two_factor_required',
    kind: 'denied',
    description: 'The person may use this call once their log-in takes two steps.',
  }),
  csrf: refusal({
    slice: 'site',
    code: 'csrf',
    kind: 'denied',
    description: 'The x-csrf-token header is missing or wrong, or the request comes from another site.',
  }),
  invalidInput: refusal({
    slice: 'site',
    code: 'invalid_input',
    kind: 'invalid',
    description: 'The input does not have the shape of the call; `issues` names each field.',
  }),
  tooLarge: refusal({
    slice: 'site',
    code: 'too_large',
    kind: 'invalid',
    description: 'The body exceeds the limit of the call.',
  }),
  tooManyRequests: refusal({
    slice: 'site',
    code: 'too_many_requests',
    kind: 'limited',
    description: 'The rate limit of the call is used up; `Retry-After` says when to come back.',
  }),
  malformed: refusal({
    slice: 'site',
    code: 'malformed',
    kind: 'invalid',
    description: 'The request cannot be read: broken JSON, a broken address, or a header that came twice.',
  }),
  mediaUnsupported: refusal({
    slice: 'site',
    code: 'media_unsupported',
    kind: 'invalid',
    description: 'The body is not of the media type the call takes.',
  }),
  oneFile: refusal({
    slice: 'site',
    code: 'one_file',
    kind: 'invalid',
    description: 'The call takes exactly one file, in the field `file` of the form.',
  }),
  methodNotAllowed: refusal({
    slice: 'site',
    code: 'method_not_allowed',
    kind: 'invalid',
    description: '`Allow` names the methods of this path.',
  }),
  unknownSite: refusal({
    slice: 'site',
    code: 'unknown_site',
    kind: 'absent',
    description: 'No site has this host name.',
  }),
  notFound: refusal({
    slice: 'site',
    code: 'not_found',
    kind: 'absent',
    description: 'There is no such call.',
  }),
  cardNumber: refusal({
    slice: 'site',
    code: 'card_number_refused',
    kind: 'invalid',
    description: 'The request holds what reads as the number of a payment card, which only the token '
      + 'service of a payment processor may see.',
  }),
  keyReused: refusal({
    slice: 'site',
    code: 'idempotency_key_reused',
    kind: 'conflict',
    description: 'The Idempotency-Key was used before with other parameters.',
  }),
} as const;

/** The text shown with an unexpected error and its `reference`; no call refuses with it. */
export const errorText = refusal({
  slice: 'site',
  code: 'fault',
  kind: 'conflict',
  description: 'Something broke; `reference` finds it in the log.',
});
