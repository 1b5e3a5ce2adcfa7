import { Button } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { Lock, Pause } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunningPrivateView } from '../../contract/private-running.ts';
import { RecordingMark } from '../recordings/recording-mark.tsx';
import { STATE_BUTTONS, STATE_FIGURES } from '../room/state-row.ts';
import { Clock, Cost, Figure } from './amounts.tsx';

interface RunningProps {
  readonly running: RunningPrivateView;
  readonly isPerformer: boolean;
  /** Name of the other person. */
  readonly name: string;
  /** The other person's page has sent nothing for a while. */
  readonly isSilent: boolean;
  readonly onEnd: () => void;
  /** Content for one side only. */
  readonly children?: ReactNode;
}

/** A show that is starting or running: its totals by the second, and the way to end it. */
export function Running({ running, isPerformer, name, isSilent, onEnd, children }: RunningProps) {
  const { t } = useTranslation('shows');
  const isStarting = running.phase !== 'running';
  const isPaused = !isStarting && running.is_paused;
  const isQuiet = !isStarting && !running.is_paused && isSilent;
  const side = isPerformer ? 'performer' : 'viewer';
  return (
    <div
      data-costs
      className="flex flex-wrap items-center gap-x-6 gap-y-1 max-sm:gap-x-4
      max-lg:group-data-keyboard:gap-x-2"
    >
      <p className={`flex min-w-0 items-center gap-2 font-bold ${isPerformer ? '' : 'max-lg:sr-only'}`}>
        <Lock size={20} aria-hidden className="shrink-0" />
        <span className="min-w-0 break-words">
          {isPerformer
            ? <PersonButton username={name}>{t('private.with', { name })}</PersonButton>
            : t('private.with', { name })}
        </span>
        {running.exclusive ? <Pill tone="private">{t('private.exclusive')}</Pill> : null}
      </p>
      <RecordingMark state={running.recording_state} isPerformer={isPerformer} />
      {isStarting ? null : (
        <dl className={STATE_FIGURES}>
          <Figure name={t('private.time')}>
            <Clock seconds={running.privateStreamTimeInSecond} />
          </Figure>
          <Figure name={t(isPerformer ? 'private.earned' : 'private.paid')}>
            <Cost tokens={running.privateTokenCount} />
          </Figure>
          <Figure name={t(isPerformer ? 'private.prepaid' : 'private.left')}>
            <Clock seconds={running.privateUserTimeLeftInSecond} />
          </Figure>
          {/* On a phone the video needs the space; the price was agreed to, and is in the receipt. */}
          <Figure name={t('private.price')} wide>
            <Cost tokens={running.cost_per_minute} perMinute />
          </Figure>
        </dl>
      )}
      <div className={STATE_BUTTONS}>
        {children}
        <Button tone="danger" onClick={onEnd}>{t('private.end.do')}</Button>
      </div>
      {/* Rendered even while empty: a screen reader reads only changes in a region it knows. */}
      <p role="status" className={isStarting || isPaused || isQuiet ? 'basis-full text-sm' : 'sr-only'}>
        {isStarting ? t(`private.starting.${side}`, { name }) : null}
        {isQuiet ? t('private.silent', { name }) : null}
        {isPaused
          ? (
            <span className="inline-flex items-center gap-2 text-warning-text">
              <Pause size={16} aria-hidden className="shrink-0" />
              {t(`private.paused.${side}`, { name })}
            </span>
          )
          : null}
      </p>
    </div>
  );
}
