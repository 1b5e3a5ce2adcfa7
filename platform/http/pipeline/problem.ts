import type { Problem } from '#platform/contract/client.ts';
import {
  errorText,
  hostRefusals,
  Refused,
  type Refusal,
  type RefusalKind,
} from '#platform/contract/refusal.ts';

/** The one place where kinds of refusal become HTTP statuses (RFC 9110 §15.5). */
const STATUS_OF_KIND: Readonly<Record<RefusalKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  denied: 403,
  absent: 404,
  gone: 410,
  conflict: 409,
  invalid: 422,
  limited: 429,
  funds: 402,
  precondition_required: 428,
  precondition_failed: 412,
};

/** The host's own refusals have the status that HTTP defines for them. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  [hostRefusals.malformed.code]: 400,
  [hostRefusals.methodNotAllowed.code]: 405,
  [hostRefusals.tooLarge.code]: 413,
  [hostRefusals.mediaUnsupported.code]: 415,
  [hostRefusals.unknownSite.code]: 421,
};

/** RFC 9457 §3: the media type of every answer that is not a success. */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Message key of the link on {@link problemPage}. */
const BACK_TEXT = 'site:problem.back';

export interface Issue {
  readonly path: string;
  readonly message: string;
}

export type Text = (key: string, values?: Readonly<Record<string, string | number>>) => string;

export const statusOf = (refusal: Refusal): number =>
  STATUS_OF_CODE[refusal.code] ?? STATUS_OF_KIND[refusal.kind];

/**
 * The body of a refused call: the spec's fields (`status`, `error`, `errorType`, `error_type`, `message`)
 * beside those of RFC 9457 (`type`, `title`, `detail`), and what the refusal adds. Added fields never replace
 * these.
 * @param text the caller's language; a text that is missing there falls back to the refusal's description.
 */
export function problemOf({ refusal, detail }: Refused, text: Text): Problem {
  const words = text(refusal.message, detail.values);
  const message = words === refusal.message ? refusal.description : words;
  return {
    ...detail.extra,
    status: statusOf(refusal),
    error: message,
    errorType: refusal.code,
    error_type: refusal.code,
    message,
    type: `urn:candela:refusal:${refusal.code}`,
    title: refusal.description,
    detail: message,
  };
}

/** The body of an unexpected error: nothing of its cause, only the reference it was logged under. */
export function problemOfError(reference: string, text: Text): Problem {
  const problem = problemOf(new Refused(errorText, { values: { reference } }), text);
  return { ...problem, status: 500, reference, type: 'urn:candela:fault' };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/gu, (sign) => ENTITIES[sign] ?? '');

/**
 * A problem as a page, for a person who followed a link to a download. It needs no style and no script,
 * because answers other than pages may not have any.
 * @param back path that the person came from
 */
export function problemPage(
  { message }: Problem,
  { text, locale, back }: { text: Text; locale: string; back: string },
): string {
  const shown = escaped(message);
  return `<!doctype html><html lang="${escaped(locale)}"><head><meta charset="utf-8">`
    + '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
    + `<title>${shown}</title></head><body><main><h1>${shown}</h1>`
    + `<p><a href="${escaped(back)}">${escaped(text(BACK_TEXT))}</a></p></main></body></html>`;
}
