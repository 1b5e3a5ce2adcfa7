import type { DeclineCode } from '#platform/contract/payment.ts';

/** One merchant at RocketGate. */
export interface RocketgateSettings {
  /**
   * Addresses of the gateway; each is tried when the one before does not answer:
   * `https://gateway.rocketgate.com`, `gateway-16`, `gateway-17`; for tests `dev-gateway`.
   */
  readonly gateways: readonly string[];
  /** `https://secure.rocketgate.com`, for the hosted page. */
  readonly pages: string;
  /** Where transactions are looked up. */
  readonly reports: string;
  readonly merchant: string;
  readonly password: string;
  /** Signs links to the hosted page, and what the page returns. */
  readonly hashSecret: string;
  readonly descriptor: string;
}

export const GATEWAY_PATH = '/gateway/servlet/ServiceDispatcherAccess';
export const PAGE_PATH = '/hostedpage/servlet/HostedPagePurchase';
export const REPORT_PATH = '/com/rocketgate/gateway/xml/TransactionReports';
export const VERSION = 'K2.4';

/** `responseCode` of the gateway. */
export const RESPONSES = {
  success: '0',
  bankDecline: '1',
  scrubDecline: '2',
  systemError: '3',
  missing: '4',
} as const;

/**
 * Reason codes in our catalogue; those from 100 are the bank's, those from 200 the gateway's own checks. From
 * memory, to be compared with the merchant's copy of the documents; a missing code is a plain decline.
 */
export const ROCKETGATE_REASONS: readonly (readonly [reason: string, decline: DeclineCode])[] = [
  ['104', 'NDECLINED'],
  ['105', 'NDECLINEDINSFUNDS'],
  ['106', 'NINVCVV2'],
  ['107', 'NEXPIRED'],
  ['108', 'NMYINVAUTHCODE'],
  ['110', 'NDECLINEDE'],
  ['111', 'NMYINVINFO'],
  ['113', 'NMYRETRY'],
  ['114', 'NMYINVTRANSTYPE'],
  ['117', 'NBADZIP'],
  ['150', 'VERIFY'],
  ['151', 'NMYACNOTACCEPTED'],
  ['152', 'NMYAMNOTACCEPTED'],
  ['153', 'NMYDDNOTACCEPTED'],
  ['154', 'NMYDSNOTACCEPTED'],
  ['155', 'NMYMCNOTACCEPTED'],
  ['156', 'NMYVSNOTACCEPTED'],
  ['201', 'NMYDNVEL'],
  ['205', 'NMYSERVNOTALLOWED'],
  ['408', 'NMYINVAMT'],
];

export const declineOf = (reason: string | undefined): DeclineCode =>
  ROCKETGATE_REASONS.find(([own]) => own === reason)?.[1] ?? 'NDECLINED';
