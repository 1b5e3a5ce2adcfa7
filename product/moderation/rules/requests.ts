/** What the public forms ask for: the fields that each law names, and their limits. */
import type { RequestKind } from './clocks.ts';

/** Who sends a request: the person concerned, somebody who acts for them, or anybody else. */
export const RELATIONS = ['self', 'representative', 'other'] as const;
export type Relation = (typeof RELATIONS)[number];

export const MAX_NAME_LENGTH = 120;
/** Addresses of content in one request: more are sent in a second one. */
export const MAX_ADDRESSES = 10;
export const MAX_ADDRESS_LENGTH = 500;
export const MIN_STATEMENT_LENGTH = 10;
export const MAX_STATEMENT_LENGTH = 4_000;
/** The most requests of one network that wait; more are refused until one is decided. */
const MAX_WAITING_REQUESTS = 20;
/** The most requests that wait. Any more are refused, and support is named instead, except for take-downs. */
const MAX_ALL_WAITING_REQUESTS = 5_000;

/** Characters of a reference: without those that look alike. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const REFERENCE_LENGTH = 10;
export const REFERENCE_PATTERN = /^[2-9A-HJKMNP-TV-Z]{10}$/u;
/** Of the key in a link: 128 bits, base64url. */
export const KEY_PATTERN = /^[A-Za-z0-9_-]{22}$/u;

/** A number that people can read out, from random bytes. It is no secret: the key beside it is. */
export const referenceFrom = (bytes: Uint8Array): string =>
  Array.from(bytes.subarray(0, REFERENCE_LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('');

/** What a request lacks beyond its shape; null for a complete one. */
export function requestFault(
  { kind, relation, work }: {
    readonly kind: RequestKind;
    readonly relation: Relation;
    readonly work: string | null;
  },
): 'work_missing' | 'not_depicted' | null {
  if (kind === 'copyright') return work === null || work === '' ? 'work_missing' : null;
  return kind === 'take_down' && relation === 'other' ? 'not_depicted' : null;
}

/** Whether one more request may wait. Others filling the queue do not shut out who is shown. */
export const mayWait = (
  kind: RequestKind,
  { own, all }: { readonly own: number; readonly all: number },
): boolean => own < MAX_WAITING_REQUESTS && (kind === 'take_down' || all < MAX_ALL_WAITING_REQUESTS);

/** Whether the sender may appeal: who is concerned, or somebody who acts for them. */
export const mayAppeal = ({ relation }: { readonly relation: Relation }): boolean => relation !== 'other';

/** A page that an address names. */
export interface NamedPage {
  /** Null for an address that begins with its path. */
  readonly host: string | null;
  readonly path: string;
}

const ADDRESS = /^(?:https?:\/\/([^/?#\s\\]+))?(\/(?!\/)[^?#\s\\]*)(?:[?#]\S*)?$/iu;

/** The page that an address names; null for what is no address of a page. */
export function pageOfAddress(address: string): NamedPage | null {
  const [, authority, path] = ADDRESS.exec(address.trim()) ?? [];
  if (path === undefined) return null;
  const host = authority?.replace(/^.*@/u, '').replace(/:\d*$/u, '').toLowerCase();
  return { host: host ?? null, path };
}
