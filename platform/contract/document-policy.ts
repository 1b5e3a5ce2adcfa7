/**
 * How the content policy of one page differs from the default. Declared by its route, written by the
 * host.
 */
export interface DocumentPolicy {
  /** Origins beside our own that the page may talk to. */
  readonly connect?: readonly string[];
  /**
   * Origins of others whose script the page runs: it may load from them and send to them. Their scripts write
   * styles of their own, so such a page allows those of any text.
   */
  readonly providers?: readonly string[];
  /** Our own pages may show it in a frame. */
  readonly framedBySelf?: boolean;
  /** Pages of any site may show it in a frame: it must have nothing that a click could do to its viewer. */
  readonly framedByAnyone?: boolean;
  /** The browser may not submit its forms natively, not even before its scripts run. */
  readonly formsLocked?: boolean;
  /** It may not embed pages of other origins in frames. */
  readonly framesLocked?: boolean;
}

/** Carries a {@link DocumentPolicy} as JSON from the renderer to the host; it never leaves the process. */
export const POLICY_HEADER = 'x-document-policy';

/**
 * Carries what a document is counted as, where it is, from the renderer to the host; it never leaves the
 * process.
 */
export const MARK_HEADER = 'x-document-mark';

/** Exactly one origin. */
export const ORIGIN = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/u;

/** Whether a text is exactly one origin, so that it allows nothing more in a content policy. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text);

/** The policy of a rendered page; the default without one. Invalid origins are left out. */
export function documentPolicy(header: string | null): DocumentPolicy {
  if (header === null) return {};
  const policy = JSON.parse(header) as DocumentPolicy;
  return {
    ...policy, connect: (policy.connect ?? []).filter(isOrigin),
    providers: (policy.providers ?? []).filter(isOrigin),
  };
}
