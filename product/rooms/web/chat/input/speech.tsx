import { SECOND_MS } from '#platform/time/units.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useCallback, useState } from 'react';

/** Longer waits are shown in minutes. */
const IN_MINUTES_SECONDS = 120;
const MINUTE_SECONDS = 60;

/** Chat rules of a room for this person, with texts in their language. */
export interface SpeechRules {
  /** Who may write here; null for everybody. */
  readonly whoMay: string | null;
  /** Why this person may not write now; null when they may. */
  readonly barred: string | null;
  /** When `barred` ends by itself (ISO 8601); null when it does not. */
  readonly until: string | null;
  /** The moderator's reason for `barred`; null without one. */
  readonly reason: string | null;
  /** Between two messages of this person; 0 without slow mode. */
  readonly slowModeSeconds: number;
}

export interface Speech {
  readonly whoMay: string | null;
  /** Why nothing can be sent now, with the time left if known; null when it can. */
  readonly barred: string | null;
  /** The moderator's reason for `barred`; null without one. */
  readonly reason: string | null;
  readonly slowModeSeconds: number;
  /** A message was sent: slow mode begins to count. */
  readonly said: () => void;
}

/** Whether this person may write now, as a hint: the server decides about every message. */
export function useSpeech(rules: SpeechRules | null, isMember: boolean): Speech {
  const { t } = useTranslation('rooms');
  const clock = useServerClock();
  const [slowUntilMs, setSlowUntilMs] = useState(0);
  const slowModeSeconds = rules?.slowModeSeconds ?? 0;
  const slowLeft = useSecondsUntil(slowModeSeconds > 0 ? slowUntilMs : 0);
  const barredLeft = useSecondsUntil(rules?.until ? Date.parse(rules.until) : 0);
  const said = useCallback(
    () => setSlowUntilMs(clock.now() + slowModeSeconds * SECOND_MS),
    [clock, slowModeSeconds],
  );
  const isOver = rules?.until !== null && barredLeft === 0;
  const barred = rules?.barred && !isOver ? rules.barred : null;
  const left = barred ? barredLeft : slowLeft;
  const wait = left >= IN_MINUTES_SECONDS
    ? t('chat.waitMinutes', { minutes: Math.ceil(left / MINUTE_SECONDS) })
    : left > 0
    ? t('chat.waitSeconds', { count: left })
    : '';
  const slow = slowLeft > 0 ? t('chat.slowMode', { count: slowModeSeconds }) : null;
  const why = isMember ? barred ?? slow : null;
  return {
    whoMay: rules?.whoMay ?? null,
    slowModeSeconds,
    said,
    barred: why === null ? null : `${why} ${wait}`.trim(),
    reason: isMember && barred !== null ? rules?.reason ?? null : null,
  };
}

interface SpeechNotesProps {
  readonly speech: Speech;
  /** Why the last message was not sent, or null. */
  readonly failed: string | null;
  /** Own held messages. */
  readonly waiting: readonly string[];
}

/** Notes below the input: why nothing can be sent, held messages, and the rules for everybody. */
export function SpeechNotes({ speech, failed, waiting }: SpeechNotesProps) {
  const { t } = useTranslation('rooms');
  const { barred, reason, whoMay, slowModeSeconds } = speech;
  const slow = slowModeSeconds > 0 ? t('chat.slowMode', { count: slowModeSeconds }) : null;
  const asked = [whoMay, barred === null ? slow : null].filter((note) => note !== null).join(' ');
  return (
    <div id="chat-notes" className="px-1 text-sm empty:hidden">
      {waiting.map((text, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same text may wait twice
        <p key={at} className="truncate pt-1 text-muted italic">{t('chat.held', { message: text })}</p>
      ))}
      {barred ? <p className="tabular pt-1 text-warning-text">{barred}</p> : null}
      {reason === null
        ? null
        : <p className="pt-1 break-words text-warning-text">{t('chat.barredReason', { reason })}</p>}
      {asked ? <p className="pt-1 text-muted">{asked}</p> : null}
      {failed ? <p role="alert" className="pt-1 text-danger-text">{failed}</p> : null}
    </div>
  );
}
