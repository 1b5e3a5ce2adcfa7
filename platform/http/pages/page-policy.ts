import { isOrigin, type DocumentPolicy } from '#platform/contract/document-policy.ts';
import { createHash } from 'node:crypto';

/** Additional sources of a page's scripts and styles, besides its own files. */
export interface InlineSources {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** What a page may do besides the usual. */
export interface PageLeave extends DocumentPolicy {
  /** Origins whose pages may be shown in a frame of ours. */
  readonly frames?: readonly string[];
}

/**
 * The Content-Security-Policy (CSP Level 3) of a page: own files, and the inline elements named by nonce or
 * hash.
 * @param host of the request, for sockets: not every browser counts `ws:` as the page's own origin
 */
export function pagePolicy(
  host: string,
  { scripts, styles }: InlineSources,
  leave: PageLeave = {},
): string {
  const { connect = [], frames = [], providers = [], formsLocked = false } = leave;
  const framed = leave.framesLocked ? [] : frames.filter(isOrigin);
  const sockets = providers.map((origin) => origin.replace(/^http/u, 'ws'));
  // A nonce or a hash would block the styles that a provider's script inserts.
  const styled = providers.length > 0 ? ['\'unsafe-inline\'', ...providers] : styles;
  const from = (...sources: string[]): string => [...sources, ...providers].join(' ');
  return [
    'default-src \'none\'',
    `script-src ${from('\'self\'', ...scripts)}`,
    `style-src ${['\'self\'', ...styled].join(' ')}`,
    `img-src ${from('\'self\' data: blob:')}`,
    `font-src ${from('\'self\'')}`,
    `media-src ${from('\'self\' blob:')}`,
    'worker-src \'self\' blob:',
    from('connect-src \'self\'', `ws://${host}`, `wss://${host}`, ...connect, ...sockets),
    from('frame-src \'self\'', ...framed),
    'manifest-src \'self\'',
    'object-src \'none\'',
    'base-uri \'none\'',
    `form-action ${formsLocked ? '\'none\'' : '\'self\''}`,
    `frame-ancestors ${leave.framedByAnyone ? '*' : leave.framedBySelf ? '\'self\'' : '\'none\''}`,
  ].join('; ');
}

const INLINE = /<(script|style)\b([^>]*)>([\s\S]*?)<\/\1>/gu;

/**
 * Turns a document rendered with a nonce into one without it: only elements that carried the nonce are
 * allowed by hash, so that markup smuggled into a text gains nothing. The nonce itself is removed, because a
 * cached page would repeat it.
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
