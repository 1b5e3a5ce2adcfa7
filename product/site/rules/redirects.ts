/** Longest stored target of a redirect key. */
export const MAX_TARGET_LENGTH = 500;
/** A line that says what a key is for. */
export const MAX_NOTE_LENGTH = 120;
/** A key for longer than a year is forgotten by whoever made it. */
export const MAX_REDIRECT_DAYS = 365;
export const REDIRECT_DAYS = 30;
/** More than any mailing has readers. */
export const MAX_REDIRECT_USES = 1_000_000;
export const REDIRECT_KEYS_PER_PAGE = 50;
/** Bits of a key: nobody finds one by trying. */
export const REDIRECT_KEY_BITS = 256;
/** Longer texts are no keys, and are answered like unknown ones. */
export const MAX_KEY_LENGTH = 200;

/** Where a redirect key leads. */
export type RedirectTarget =
  | { readonly kind: 'path'; readonly target: string }
  | { readonly kind: 'site'; readonly target: string; readonly host: string };

/** Characters that browsers drop from addresses or read as another: what is seen is not where they lead. */
const DECEIVING = /[\\\s\p{C}]/u;
/** A path, and what may follow it: no part of it is empty or made of dots, which browsers resolve. */
const PATH = /^\/(?:(?!\.{1,2}(?:[/?#]|$)|%2e)[^/?#]+(?:\/|(?=[?#])|$))*(?:[?#].*)?$/iu;
/** A name with a dot, followed by nothing that belongs to the host: no user name, no port. */
const ADDRESS =
  /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:[/?#].*)?$/iu;
/** Pages that would lead on by themselves. */
const REDIRECTS = /^\/redir(?:[/?#]|$)/iu;

/**
 * The target that an admin typed: a path of this site, or an https address of another one. Null for anything
 * else. Whether the host is allowed is another question.
 */
export function redirectTarget(typed: string): RedirectTarget | null {
  if (typed.length > MAX_TARGET_LENGTH || DECEIVING.test(typed)) return null;
  if (PATH.test(typed)) return REDIRECTS.test(typed) ? null : { kind: 'path', target: typed };
  const host = ADDRESS.exec(typed)?.[1]?.toLowerCase();
  return host === undefined ? null : { kind: 'site', target: typed, host };
}

export const REDIRECT_STATES = ['active', 'withdrawn', 'expired', 'used_up', 'host_removed'] as const;
export type RedirectState = (typeof REDIRECT_STATES)[number];

interface Redirect {
  readonly target: string;
  readonly expiresAt: Date;
  readonly withdrawnAt: Date | null;
  readonly maxUses: number | null;
  readonly uses: number;
}

/** Whether a key leads on at a moment, or why not. @param hosts that redirect keys may lead to now */
export function redirectState(redirect: Redirect, now: Date, hosts: readonly string[]): RedirectState {
  const { target, expiresAt, withdrawnAt, maxUses, uses } = redirect;
  if (withdrawnAt !== null) return 'withdrawn';
  if (now >= expiresAt) return 'expired';
  if (maxUses !== null && uses >= maxUses) return 'used_up';
  return isAllowed(redirectTarget(target), hosts) ? 'active' : 'host_removed';
}

/** Whether a target is a path of this site, or on a host of the list. */
export const isAllowed = (
  target: RedirectTarget | null,
  hosts: readonly string[],
): target is RedirectTarget => target !== null && (target.kind === 'path' || hosts.includes(target.host));
