/**
 * How the content policy of one page differs from that of all others. Said by its route, written by the
 * host.
 */
export interface DocumentPolicy {
  /** Origins beside our own that the page may talk to. */
  readonly connect?: readonly string[];
  /** Our own pages may show it in a frame. */
  readonly framedBySelf?: boolean;
  /** No form of it is ever sent by the browser itself, not even before its scripts run. */
  readonly formsLocked?: boolean;
  /** Nobody else's page ever stands in a frame of it. */
  readonly framesLocked?: boolean;
}

/** Carries a {@link DocumentPolicy} as JSON from the renderer to the host; it never leaves the process. */
export const POLICY_HEADER = 'x-document-policy';

const ORIGIN = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/u;

/** Whether a text is one origin, so that it opens in a content policy what it names and nothing more. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text);

/** The policy of a rendered page; the usual one where it says none. An origin that is none is left out. */
export function documentPolicy(header: string | null): DocumentPolicy {
  if (header === null) return {};
  const policy = JSON.parse(header) as DocumentPolicy;
  return { ...policy, connect: (policy.connect ?? []).filter(isOrigin) };
}
