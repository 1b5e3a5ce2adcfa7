/** An amount in the smallest unit of an ISO 4217 currency, e.g. `{minor: 1099, currency: 'USD'}`. */
export interface Money {
  readonly minor: number;
  readonly currency: string;
}

export const BILLER_NAMES = [
  'ccbill',
  'segpay',
  'rocketgate',
  'nowpayments',
  'btcpay',
  'cashtocode',
] as const;
export type BillerName = (typeof BILLER_NAMES)[number];

/**
 * Why a payment was declined, in one catalogue for all billers: the decline codes of the payment return (spec
 * 1 §8), with `VERIFY` when the biller requires the person to be verified first. A biller's code without a
 * mapping is `NDECLINED`.
 */
export const DECLINE_CODES = [
  'NBADZIP',
  'NDECLINED',
  'NDECLINEDE',
  'NDECLINEDINSFUNDS',
  'NEXPIRED',
  'NINVCVV2',
  'NMYACNOTACCEPTED',
  'NMYAMNOTACCEPTED',
  'NMYDDNOTACCEPTED',
  'NMYDNVEL',
  'NMYDSNOTACCEPTED',
  'NMYINVAMT',
  'NMYINVAUTHCODE',
  'NMYINVINFO',
  'NMYINVTRANSTYPE',
  'NMYMCNOTACCEPTED',
  'NMYRETRY',
  'NMYSERVNOTALLOWED',
  'NMYVSNOTACCEPTED',
  'VERIFY',
] as const;
export type DeclineCode = (typeof DECLINE_CODES)[number];
