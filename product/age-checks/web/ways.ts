import type { CallFunction } from '#platform/contract/client.ts';
import { CreditCard, IdCard, LifeBuoy, ScanFace, Smartphone, type LucideIcon } from 'lucide-react';
import { getIncodeEstimationUrl, getIncodeVerificationUrl, getYotiUrl } from '../client.ts';
import type { AgeVerificationStatusView } from '../contract.ts';
import type { AgeCheckKind } from '../rules.ts';

/** A way to prove an age, as the server offers it. */
export type Way = AgeVerificationStatusView['offered'][number];

export const ICONS: Readonly<Record<AgeCheckKind, LucideIcon>> = {
  yoti_doc_scan: IdCard,
  yoti_digital_id: Smartphone,
  incode_age_estimation: ScanFace,
  incode_age_verification: IdCard,
  card: CreditCard,
  support: LifeBuoy,
};

/** Begins a check on a provider's page; the answer has its address. */
const PAGES: Readonly<Partial<Record<AgeCheckKind, (call: CallFunction) => Promise<{ url: string }>>>> = {
  yoti_doc_scan: (call) => call(getYotiUrl, { type: 'TYPE_DOC_SCAN' }),
  yoti_digital_id: (call) => call(getYotiUrl, { type: 'TYPE_DIGITAL_ID' }),
  incode_age_estimation: (call) => call(getIncodeEstimationUrl, {}),
  incode_age_verification: (call) => call(getIncodeVerificationUrl, {}),
};

export const beginOn = (call: CallFunction, kind: AgeCheckKind): Promise<{ url: string }> | null =>
  PAGES[kind]?.(call) ?? null;

/** Ways that this page can begin; it leaves out those it has no call for. */
export const beginnable = (ways: readonly Way[]): readonly Way[] =>
  ways.filter(({ kind }) => kind === 'card' || kind === 'support' || kind in PAGES);
