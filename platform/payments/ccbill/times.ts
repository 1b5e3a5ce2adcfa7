import { HOUR_MS } from '#platform/time/units.ts';

/** CCBill uses Mountain Standard Time all year (Arizona), without saying so. */
const HOURS_BEHIND_UTC = 7;

/** `2026-01-15 05:00:00` of a webhook or a report; null for anything else. */
export function timeOf(text: string | null): Date | null {
  const match = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/.exec(text ?? '');
  const ms = match ? Date.parse(`${match[1]}T${match[2]}Z`) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms + HOURS_BEHIND_UTC * HOUR_MS);
}

export const timeText = (at: Date): string =>
  new Date(at.getTime() - HOURS_BEHIND_UTC * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');

/** Formats `20260115050000`, for requests of a report. */
export const stampText = (at: Date): string => timeText(at).replaceAll(/\D/g, '');
