import { SECOND_MS } from '#platform/time/units.ts';
import { AWAY_MS } from '../../rules/meter.ts';
import type { FreeSeconds, Metered, MeteredRow } from './metered.ts';

/** Ticks without media before they count as free: a single one may just be a late report. */
const SILENT_TICKS = 2;

/** The part of a meter's state that says which seconds media reached its reader in. */
export type Reach = Pick<
  Metered<MeteredRow>,
  'measured' | 'waiting' | 'silentPublisher' | 'silentReader' | 'isPaused'
>;
/** What a tick saw: whether media came in, and whether the reader was sent some. */
interface Seen {
  readonly isReceived: boolean;
  readonly isSent: boolean;
}

export const NO_MEDIA: Reach['measured'] = { received: 0, sent: 0 };

/** The state after media was measured: seconds that were sent since wait to be counted. */
export const withWaiting = (
  before: Reach,
  measured: Reach['measured'],
): Pick<Reach, 'measured' | 'waiting'> => ({
  measured,
  waiting: before.waiting + Math.max(0, measured.sent - before.measured.sent),
});

/** What a tick sees in what was measured. The second that it counts waits no longer. */
export function looked(
  before: Reach,
  measured: Reach['measured'],
): { readonly seen: Seen; readonly after: Reach } {
  const { waiting } = withWaiting(before, measured);
  const isSent = waiting > 0;
  const isReceived = isSent || measured.received > before.measured.received;
  const silentReader = isSent ? 0 : before.silentReader + 1;
  return {
    seen: { isReceived, isSent },
    after: {
      measured,
      waiting: isSent ? waiting - 1 : 0,
      silentReader,
      silentPublisher: isReceived ? 0 : before.silentPublisher + 1,
      isPaused: !isSent && (before.isPaused || silentReader >= SILENT_TICKS),
    },
  };
}

/** The free seconds after a tick in which the reader was sent nothing. */
export function withFree(
  { free, silentReader }: Pick<Metered<MeteredRow>, 'free' | 'silentReader'>,
  { isReceived }: Seen,
): FreeSeconds {
  if (silentReader < SILENT_TICKS) return free;
  const side = isReceived ? 'reader' : 'publisher';
  return { ...free, [side]: free[side] + (silentReader === SILENT_TICKS ? SILENT_TICKS : 1) };
}

/** Whose media has been away too long, or null. */
export function awayOf({ silentReader, silentPublisher }: Reach): keyof FreeSeconds | null {
  if (silentReader * SECOND_MS < AWAY_MS) return null;
  return silentPublisher >= silentReader ? 'publisher' : 'reader';
}
