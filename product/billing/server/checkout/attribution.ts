import type { Consent } from '#platform/contract/context.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { z } from 'zod';
import type { Attribution } from '../../store/orders.ts';

/** A page's report of where a person came from, and of their device. */
interface PageSignals {
  readonly advert_id?: string | undefined;
  readonly fp?: string | undefined;
  readonly iobb?: string | undefined;
}

const PURPOSE = 'billing trace';
/** Tracking data expires after an hour (spec 1 §4, §9). */
const ATTRIBUTION_MS = HOUR_MS;
/** Advert ids, chosen by operators. */
const ADVERT = /^[\w.-]{1,64}$/u;

const Sealed = z.object({
  person: z.int(),
  until: z.int(),
  advertId: z.string().nullable(),
  device: z.string().nullable(),
  blackbox: z.string().nullable(),
});

export const NO_ATTRIBUTION: Attribution = { advertId: null, device: null, blackbox: null };

/**
 * Seals a page's signals for a possible purchase. They travel through the browser, so that listing products
 * writes nothing. Null without signals.
 */
export function sealAttribution(
  secret: string,
  of: { readonly operatorId: number; readonly personId: number; readonly now: Date },
  { advert_id: advert, fp, iobb }: PageSignals,
): string | null {
  const digested = (
    purpose: string,
    text: string | undefined,
  ): string | null => (text ? digest(secret, purpose, `${of.operatorId} ${text}`) : null);
  const attribution: Attribution = {
    advertId: advert !== undefined && ADVERT.test(advert) ? advert : null,
    device: digested('billing device', fp),
    blackbox: digested('billing blackbox', iobb),
  };
  if (Object.values(attribution).every((item) => item === null)) return null;
  const until = of.now.getTime() + ATTRIBUTION_MS;
  return seal(secret, PURPOSE, { person: of.personId, until, ...attribution });
}

/**
 * Opens the attribution of a purchase; empty if it is expired, forged or another person's. Never makes a
 * purchase fail.
 */
export function readAttribution(
  secret: string,
  of: { readonly personId: number; readonly now: Date; readonly consent: Pick<Consent, 'marketing'> },
  sealed: string | undefined,
): Attribution {
  const parsed = Sealed.safeParse(unseal(secret, PURPOSE, sealed ?? null));
  if (!parsed.success) return NO_ATTRIBUTION;
  const { person, until, advertId, device, blackbox } = parsed.data;
  if (person !== of.personId || until <= of.now.getTime()) return NO_ATTRIBUTION;
  // The consent may have been withdrawn since the products were listed.
  return { advertId: of.consent.marketing ? advertId : null, device, blackbox };
}
