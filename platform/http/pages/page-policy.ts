import { createHash } from 'node:crypto';
import { isOrigin, type DocumentPolicy } from '#platform/contract/document-policy.ts';

/** Where a page's scripts and styles may come from beside its own files. */
export interface InlineSources {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** What a page may do beside the usual. */
export interface PageLeave extends DocumentPolicy {
  /** Origins whose pages may stand in a frame of ours. */
  readonly frames?: readonly string[];
}

/**
 * The Content-Security-Policy (CSP Level 3) of a page: own files, and the inline elements named by nonce or
 * hash.
 * @param host of the request, for sockets: not every browser counts `ws:` as the page's own origin
 */
export function pagePolicy(
  host: string, { scripts, styles }: InlineSources, leave: PageLeave = {},
): string {
  const { connect = [], frames = [], providers = [], formsLocked = false } = leave;
  const framed = leave.framesLocked ? [] : frames.filter(isOrigin);
  const sockets = providers.map((origin) => origin.replace(/^http/u, 'ws'));
  // A nonce or a hash would forbid the styles of a provider's script.
  const styled = providers.length > 0 ? ["'unsafe-inline'", ...providers] : styles;
  const from = (...sources: string[]): string => [...sources, ...providers].join(' ');
  return [
    "default-src 'none'",
    `script-src ${from("'self'", ...scripts)}`,
    `style-src ${["'self'", ...styled].join(' ')}`,
    `img-src ${from("'self' data: blob:")}`,
    `font-src ${from("'self'")}`,
    `media-src ${from("'self' blob:")}`,
    "worker-src 'self' blob:",
    from("connect-src 'self'", `ws://${host}`, `wss://${host}`, ...connect, ...sockets),
    from("frame-src 'self'", ...framed),
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action ${formsLocked ? "'none'" : "'self'"}`,
    `frame-ancestors ${leave.framedByAnyone ? '*' : leave.framedBySelf ? "'self'" : "'none'"}`,
  ].join('; ');
}

const INLINE = /<(script|style)\b([^>]*)>([\s\S]*?)<\/\1>/gu;

/**
 * Turns a document rendered with a nonce into one without: only elements that carried the nonce are allowed
 * by hash, so that markup smuggled into a text gains nothing. The nonce itself, which a cached page would
 * repeat, is taken out.
 */
export function hashInline(html: string, nonce: string): { readonly html: string } & InlineSources {
  const attribute = ` nonce="${nonce}"`;
  const scripts = new Set<string>();
  const styles = new Set<string>();
  for (const [, tag, attributes = '', body = ''] of html.matchAll(INLINE)) {
    if (!attributes.includes(attribute) || body === '') continue;
    const hash = `'sha256-${createHash('sha256').update(body).digest('base64')}'`;
    (tag === 'script' ? scripts : styles).add(hash);
  }
  return { html: html.replaceAll(attribute, ''), scripts: [...scripts], styles: [...styles] };
}
