import type { DeclineCode } from '#platform/contract/payment.ts';

/**
 * CCBill's decline codes in our catalogue. CCBill gives the full list only to its merchants: these rows are
 * from memory and must be compared with it. A missing code shows as a plain decline, so a wrong row costs
 * only a hint.
 */
export const CCBILL_DECLINES: readonly (readonly [code: string, decline: DeclineCode, text: string])[] = [
  ['BE-103', 'NBADZIP', 'The postal code does not match the card'],
  ['BE-110', 'NDECLINED', 'Denied'],
  ['BE-112', 'NDECLINEDE', 'Too many attempts, wait five minutes'],
  ['BE-113', 'NDECLINEDINSFUNDS', 'Insufficient funds'],
  ['BE-114', 'NEXPIRED', 'Expired card'],
  ['BE-115', 'NINVCVV2', 'Invalid security code'],
  ['BE-116', 'NMYACNOTACCEPTED', 'Checks are not accepted'],
  ['BE-117', 'NMYAMNOTACCEPTED', 'American Express is not accepted'],
  ['BE-118', 'NMYDDNOTACCEPTED', 'Direct debit is not accepted'],
  ['BE-119', 'NMYDNVEL', 'Too many denials'],
  ['BE-120', 'NMYDSNOTACCEPTED', 'Discover is not accepted'],
  ['BE-121', 'NMYINVAMT', 'Invalid amount'],
  ['BE-122', 'NMYINVAUTHCODE', 'Invalid authorisation code'],
  ['BE-123', 'NMYINVINFO', 'Invalid card information'],
  ['BE-124', 'NMYINVTRANSTYPE', 'Invalid action'],
  ['BE-125', 'NMYMCNOTACCEPTED', 'Mastercard is not accepted'],
  ['BE-126', 'NMYRETRY', 'Please try again'],
  ['BE-127', 'NMYSERVNOTALLOWED', 'Service not allowed'],
  ['BE-128', 'NMYVSNOTACCEPTED', 'Visa is not accepted'],
  ['BE-130', 'VERIFY', 'Strong customer authentication is required'],
];

export const declineOf = (code: string | null): DeclineCode =>
  CCBILL_DECLINES.find(([own]) => own === code)?.[1] ?? 'NDECLINED';
