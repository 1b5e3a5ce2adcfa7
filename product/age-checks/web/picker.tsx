import { Pill } from '#platform/ui/surfaces/card.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useId } from 'react';
import type { AgeCheckKind } from '../rules.ts';
import { ICONS, type Way } from './ways.ts';

interface PickerProps {
  readonly ways: readonly Way[];
  readonly isGuest: boolean;
  /** The way that is being opened. */
  readonly busy: AgeCheckKind | null;
  readonly onChoose: (way: Way) => void;
}

/** The ways to prove an age, each with what happens, how long it takes, what is stored and who learns it. */
export function Picker({ ways, isGuest, busy, onChoose }: PickerProps) {
  return (
    <ul className="flex flex-col gap-3">
      {ways.map((way) => (
        <li key={way.kind}>
          <WayButton
            way={way}
            needsAccount={isGuest && way.needs_account}
            isBusy={busy === way.kind}
            onChoose={() => busy ?? onChoose(way)}
          />
        </li>
      ))}
    </ul>
  );
}

function WayButton({ way, needsAccount, isBusy, onChoose }: {
  readonly way: Way;
  readonly needsAccount: boolean;
  readonly isBusy: boolean;
  readonly onChoose: () => void;
}) {
  const { t } = useTranslation('age-checks');
  const id = useId();
  const { kind, is_anonymous: isAnonymous } = way;
  const Icon = ICONS[kind];
  return (
    <button
      type="button"
      aria-labelledby={`${id}-name`}
      aria-describedby={`${id}-text`}
      aria-busy={isBusy || undefined}
      onClick={onChoose}
      className="flex w-full gap-3 rounded-card border border-line bg-raised p-4 text-left text-sm
        transition-colors hover:border-field aria-busy:cursor-progress"
    >
      <Icon size={20} aria-hidden className="mt-0.5 shrink-0 text-accent" />
      <span className="flex min-w-0 grow flex-col gap-2">
        <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <span id={`${id}-name`} className="text-base font-bold">{t(`web.ways.${kind}.name`)}</span>
          {needsAccount ? <Pill tone="warning">{t('web.needsAccount')}</Pill> : null}
          {isAnonymous ? <Pill tone="online">{t('web.anonymous')}</Pill> : null}
        </span>
        <span id={`${id}-text`} className="flex flex-col gap-2">
          <span>{t(`web.ways.${kind}.what`)} {t(`web.ways.${kind}.time`)}</span>
          <span className="text-muted">
            {t(`web.ways.${kind}.stored`)} {t(isAnonymous ? 'web.anonymousText' : 'web.knownText')}
          </span>
        </span>
      </span>
    </button>
  );
}
