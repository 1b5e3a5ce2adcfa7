import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { getPortrait, portraitUnknown } from '../contract/pictures.ts';
import { PORTRAIT_REMOVAL } from '../rules.ts';
import { findPortrait } from '../store.ts';
import type { BroadcastDependencies } from './dependencies.ts';

/** A portrait's URL changes with it. Access is restricted, so shared caches must not store it. */
const CACHE_CONTROL = 'private, max-age=3600';

/** Portraits, for viewers who may perceive the performer. Hidden and missing ones get the same refusal. */
export function portraitHandler({ data, accounts, compliance, blobs }: BroadcastDependencies): CallHandler {
  return handleCall(getPortrait)(async ({ username }, context) => {
    const blobId = await data.tx(context.scope, async (tx) => {
      const person = await accounts.findByUsername(tx, normalizeUsername(username));
      if (!person) return null;
      const seen = await compliance.mayPerceive(tx, compliance.viewerOf(context), person.id, 'thumbnail');
      return seen ? findPortrait(tx, person.id) : null;
    });
    const body = blobId === null ? null : await blobs.get(blobId);
    if (blobId === null || body === null) return context.refuse(portraitUnknown);
    const headers = { 'cache-control': CACHE_CONTROL, etag: `"${blobId.slice(0, 16)}"` };
    return { status: 200, headers, body };
  });
}

/** Removes the portraits of an erased person, after the unit of work. */
export const portraitDeadlines = ({ blobs }: Pick<BroadcastDependencies, 'blobs'>): DeadlineHandler[] => [
  { kind: PORTRAIT_REMOVAL, handle: ({ key }) => blobs.remove(key) },
];
