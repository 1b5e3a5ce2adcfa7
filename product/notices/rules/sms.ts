import { MINUTE_MS } from '../../../platform/time/units.ts';

/** Waits before a text message is tried again; later it would be no news. */
const SMS_WAITS_MS: readonly number[] = [MINUTE_MS, 3 * MINUTE_MS, 10 * MINUTE_MS];
export const smsWaitMs = (failures: number): number | null => SMS_WAITS_MS[failures - 1] ?? null;

/**
 * Notices by text message that one number gets in a day; more are left out. Each costs the operator, and
 * whoever earns by a number of theirs would ask for as many as there are.
 */
export const SMS_OF_NUMBER = { points: 20, seconds: 24 * 3600 } as const;

/** Longest text: four parts of 153 characters, as providers count them. */
const MAX_SMS_LENGTH = 612;
export const smsText = (text: string): string => text.slice(0, MAX_SMS_LENGTH);
