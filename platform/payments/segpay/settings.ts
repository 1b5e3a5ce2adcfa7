import type { DeclineCode } from '#platform/contract/payment.ts';

/** One merchant at Segpay. */
export interface SegpaySettings {
  /** `https://secure2.segpay.com/billing/poset.cgi`: the payment page. */
  readonly pages: string;
  /** `https://srs.segpay.com`: prices, one-click, cancelling and reports. */
  readonly api: string;
  readonly merchant: string;
  readonly user: { readonly id: string; readonly accessKey: string };
  /** `package:price` of the tickets with dynamic prices, by currency. */
  readonly tickets: Readonly<Record<string, { readonly single: string; readonly renewing: string }>>;
  /** A secret of ours in the address of the postbacks, because they are not signed. */
  readonly postbackKey: string;
  /** Networks postbacks come from. */
  readonly networks: readonly string[];
  /** PayPal through Segpay, for operators that have its approval. */
  readonly paypal: boolean;
  readonly descriptor: string;
}

/**
 * The parameters that postbacks are configured to send, in the address set at Segpay: each under its own
 * name, with `key` last, so that a truncated request lacks it.
 */
export const POSTBACK_FIELDS = [
  'action',
  'stage',
  'approved',
  'trantype',
  'purchaseid',
  'tranid',
  'relatedtranid',
  'price',
  'currencycode',
  'eticketid',
  'authcode',
  'rval',
  'rint',
  'transtime',
  'paymenttype',
  'cardtype',
  'ccbin',
  'cclast4',
  'ccexp',
  'ref1',
] as const;

/**
 * `authcode` of a decline in our catalogue: the bank's code of ISO 8583 where there is one, else Segpay's
 * own. From memory, and to be compared with the merchant's copy; a missing code shows as a plain decline.
 */
export const SEGPAY_DECLINES: readonly (readonly [code: string, decline: DeclineCode])[] = [
  ['05', 'NDECLINED'],
  ['12', 'NMYINVTRANSTYPE'],
  ['13', 'NMYINVAMT'],
  ['14', 'NMYINVINFO'],
  ['19', 'NMYRETRY'],
  ['51', 'NDECLINEDINSFUNDS'],
  ['54', 'NEXPIRED'],
  ['57', 'NMYSERVNOTALLOWED'],
  ['65', 'NDECLINEDE'],
  ['75', 'NMYDNVEL'],
  ['82', 'NINVCVV2'],
  ['89', 'NMYINVAUTHCODE'],
  ['1A', 'VERIFY'],
  ['AVS', 'NBADZIP'],
  ['NOACH', 'NMYACNOTACCEPTED'],
  ['NOAMEX', 'NMYAMNOTACCEPTED'],
  ['NODD', 'NMYDDNOTACCEPTED'],
  ['NODISC', 'NMYDSNOTACCEPTED'],
  ['NOMC', 'NMYMCNOTACCEPTED'],
  ['NOVISA', 'NMYVSNOTACCEPTED'],
];

export const declineOf = (code: string | undefined): DeclineCode =>
  SEGPAY_DECLINES.find(([own]) => own === code)?.[1] ?? 'NDECLINED';
