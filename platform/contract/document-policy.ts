/**
 * How the content policy of one page differs from the default. Declared by its route, written by the
 * host.
 */
export interface DocumentPolicy {
  /** Origins besides our own that the page may send requests to. */
  readonly connect?: readonly string[];
  /**
   * Other origins whose scripts the page runs: it may load from them and send to them. Their scripts insert
   * styles of their own, so such a page allows all inline styles.
   */
  readonly providers?: readonly string[];
  /** Our own pages may show it in a frame. */
  readonly framedBySelf?: boolean;
  /**
   * Whether pages of any site may show it in a frame: then no click in it may have an effect for its viewer.
   */
  readonly framedByAnyone?: boolean;
  /** Forbids the browser to submit its forms natively, even before its scripts run. */
  readonly formsLocked?: boolean;
  /** Forbids frames with pages of other origins. */
  readonly framesLocked?: boolean;
}

/** Carries a {@link DocumentPolicy} as JSON from the renderer to the host; it never leaves the process. */
export const POLICY_HEADER = 'x-document-policy';

/**
 * Carries the name under which visits of a document are counted from the renderer to the host; it never
 * leaves the process.
 */
export const MARK_HEADER = 'x-document-mark';

/** Exactly one origin. */
export const ORIGIN = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/u;

/** Whether a text is exactly one origin, so that it allows nothing more in a content policy. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text);

/** The policy of a rendered page, or the default without a header. Invalid origins are left out. */
export function documentPolicy(header: string | null): DocumentPolicy {
  if (header === null) return {};
  const policy = JSON.parse(header) as DocumentPolicy;
  return {
    ...policy,
    connect: (policy.connect ?? []).filter(isOrigin),
    providers: (policy.providers ?? []).filter(isOrigin),
  };
}
