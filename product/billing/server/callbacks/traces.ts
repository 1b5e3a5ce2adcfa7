import { z } from 'zod';
import { digest, seal, unseal } from '../../../../platform/data/database/seal.ts';
import { HOUR_MS } from '../../../../platform/time/units.ts';
import type { Trace } from '../../store/orders.ts';

/** What a page says of where somebody came from and what they browse with. */
interface Signs {
  readonly advert_id?: string | undefined;
  readonly fp?: string | undefined;
  readonly iobb?: string | undefined;
}

const PURPOSE = 'billing trace';
/** Tracking data is over after an hour (spec 1 §4, §9): a purchase after that came from nowhere. */
const TRACE_MS = HOUR_MS;
/** Ids of adverts as operators make them up; anything else is nobody's advert. */
const ADVERT = /^[\w.-]{1,64}$/u;

const Sealed = z.object({
  person: z.int(), until: z.int(), advertId: z.string().nullable(), device: z.string().nullable(),
  blackbox: z.string().nullable(),
});

export const NO_TRACE: Trace = { advertId: null, device: null, blackbox: null };

/**
 * What is kept of the signs of a page, sealed for the purchase that may follow: it goes through the browser,
 * so that listing products writes nothing. Null where there are none.
 */
export function traceOf(
  secret: string, of: { readonly operatorId: number; readonly personId: number; readonly now: Date },
  { advert_id: advert, fp, iobb }: Signs,
): string | null {
  const digested = (purpose: string, text: string | undefined): string | null =>
    (text ? digest(secret, purpose, `${of.operatorId} ${text}`) : null);
  const trace: Trace = {
    advertId: advert !== undefined && ADVERT.test(advert) ? advert : null,
    device: digested('billing device', fp), blackbox: digested('billing blackbox', iobb),
  };
  if (Object.values(trace).every((one) => one === null)) return null;
  return seal(secret, PURPOSE, { person: of.personId, until: of.now.getTime() + TRACE_MS, ...trace });
}

/**
 * The trace a purchase brings along; none for one that is another person's, too old, or nobody's. It is never
 * a reason to refuse: who is paid does not depend on it.
 */
export function readTrace(
  secret: string, of: { readonly personId: number; readonly now: Date }, sealed: string | undefined,
): Trace {
  const parsed = Sealed.safeParse(unseal(secret, PURPOSE, sealed ?? null));
  if (!parsed.success) return NO_TRACE;
  const { person, until, advertId, device, blackbox } = parsed.data;
  return person === of.personId && until > of.now.getTime() ? { advertId, device, blackbox } : NO_TRACE;
}
