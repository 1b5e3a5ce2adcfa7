import { DAY_MS } from './units.ts';

/** The UTC day of an instant, `YYYY-MM-DD`. Limits, seals and prices count by it. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The years of dates and times that an input may name; there is no year 0, and databases end somewhere. */
export const STORED_YEAR = /^[12]\d{3}-/u;

/** When the UTC day of an instant began. */
export const startOfDay = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

/** When the next UTC day begins. */
export const nextDay = (at: Date): Date => new Date(startOfDay(at).getTime() + DAY_MS);
