import { HOUR_MS } from '#platform/time/units.ts';

/** CCBill's clocks show Mountain Standard Time the whole year (Arizona), without saying so. */
const HOURS_BEHIND_UTC = 7;

/** `2026-01-15 05:00:00` of a webhook or a report; null for anything else. */
export function timeOf(text: string | null): Date | null {
  const match = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/.exec(text ?? '');
  const ms = match ? Date.parse(`${match[1]}T${match[2]}Z`) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms + HOURS_BEHIND_UTC * HOUR_MS);
}

export const timeText = (at: Date): string =>
  new Date(at.getTime() - HOURS_BEHIND_UTC * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');

/** `20260115050000`, as a report is asked for. */
export const stampText = (at: Date): string => timeText(at).replaceAll(/\D/g, '');
