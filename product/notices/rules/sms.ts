import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';

/** Waits before a text message is tried again; later it would be no news. */
const SMS_WAITS_MS: readonly number[] = [MINUTE_MS, 3 * MINUTE_MS, 10 * MINUTE_MS];
export const smsWaitMs = (failures: number): number | null => SMS_WAITS_MS[failures - 1] ?? null;

/**
 * Notices by text message that one number gets a day; more are left out. Each costs the operator, and the
 * owner of a premium-rate number would ask for as many as possible.
 */
export const SMS_OF_NUMBER = { points: 20, seconds: 24 * 3600 } as const;

/** A notice that could not be sent for so long is no news any more, and might arrive at night. */
const SMS_NOTICE_MS = HOUR_MS;
export const isSmsNoticeLate = (since: Date, now: Date): boolean =>
  now.getTime() - since.getTime() > SMS_NOTICE_MS;

/** Longest text: four parts of 153 characters, as providers count them. */
const MAX_SMS_LENGTH = 612;
/** Four parts as well: a text with any other letter is sent in UTF-16, 67 units to a part. */
const MAX_WIDE_LENGTH = 268;
/** Letters of GSM 7-bit (3GPP TS 23.038 §6.2.1), including those that take two places there. */
const GSM = /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà^{}\\[~\]|€]*$/u;
const TWO_PLACES = /[\^{}\\[~\]|€]/gu;

const fits = (text: string): boolean => (GSM.test(text)
  ? text.length + (text.match(TWO_PLACES)?.length ?? 0) <= MAX_SMS_LENGTH
  : text.length <= MAX_WIDE_LENGTH);

/** A text as it is sent, cut to four parts. @param ending is never cut, as a link must stay whole */
export function smsText(text: string, ending = ''): string {
  const characters = [...text];
  while (characters.length > 0 && !fits(characters.join('') + ending)) characters.pop();
  return characters.join('') + ending;
}
