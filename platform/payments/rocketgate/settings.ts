import type { DeclineCode } from '#platform/contract/payment.ts';

/** One merchant at RocketGate. */
export interface RocketgateSettings {
  /**
   * Where the gateway answers, the next where one does not: `https://gateway.rocketgate.com`, `gateway-16`,
   * `gateway-17`; for tests `dev-gateway`.
   */
  readonly gateways: readonly string[];
  /** `https://secure.rocketgate.com`, for the hosted page. */
  readonly pages: string;
  /** Where transactions are looked up. */
  readonly reports: string;
  readonly merchant: string;
  readonly password: string;
  /** Signs links to the hosted page and what comes back. */
  readonly hashSecret: string;
  readonly descriptor: string;
}

export const GATEWAY_PATH = '/gateway/servlet/ServiceDispatcherAccess';
export const PAGE_PATH = '/hostedpage/servlet/HostedPagePurchase';
export const REPORT_PATH = '/com/rocketgate/gateway/xml/TransactionReports';
export const VERSION = 'K2.4';

/** `responseCode` of the gateway. */
export const RESPONSES = {
  success: '0', bankDecline: '1', scrubDecline: '2', systemError: '3', missing: '4',
} as const;

/**
 * Reason codes in our catalogue; those of 100 are the bank's, of 200 the gateway's own checks. From memory
 * of its documents and to be compared with the merchant's copy; what is missing shows as a plain decline.
 */
export const ROCKETGATE_REASONS: readonly (readonly [reason: string, decline: DeclineCode])[] = [
  ['104', 'NDECLINED'], ['105', 'NDECLINEDINSFUNDS'], ['106', 'NINVCVV2'], ['107', 'NEXPIRED'],
  ['108', 'NMYINVAUTHCODE'], ['110', 'NDECLINEDE'], ['111', 'NMYINVINFO'], ['113', 'NMYRETRY'],
  ['114', 'NMYINVTRANSTYPE'], ['117', 'NBADZIP'], ['150', 'VERIFY'], ['151', 'NMYACNOTACCEPTED'],
  ['152', 'NMYAMNOTACCEPTED'], ['153', 'NMYDDNOTACCEPTED'], ['154', 'NMYDSNOTACCEPTED'],
  ['155', 'NMYMCNOTACCEPTED'], ['156', 'NMYVSNOTACCEPTED'], ['201', 'NMYDNVEL'], ['205', 'NMYSERVNOTALLOWED'],
  ['408', 'NMYINVAMT'],
];

export const declineOf = (reason: string | undefined): DeclineCode =>
  ROCKETGATE_REASONS.find(([own]) => own === reason)?.[1] ?? 'NDECLINED';
