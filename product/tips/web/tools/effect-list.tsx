import { problemOf, useAction } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Pill, type PillTone } from '#platform/ui/surfaces/card.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { RotateCcw } from 'lucide-react';
import { finishOrder, listEffects, replayEffect } from '../../client.ts';
import type { EffectView } from '../../contract/effects.ts';
import { showEffect } from '../live.ts';

const TONES: Readonly<Record<EffectView['state'], PillTone>> = {
  waiting: 'warning',
  delivered: 'online',
  failed: 'danger',
};

/** Effects of tips: their state, what was ordered, and a button to send one again. */
export function EffectList() {
  const { t } = useTranslation('tips');
  const read = useReadPages(listEffects, {});
  const { data, error, refetch } = read;
  if (!data) {
    return error
      ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
      : <Skeleton className="h-32" />;
  }
  const effects = data.pages.flatMap((page) => page.effects);
  if (effects.length === 0) return <EmptyState text={t('effects.empty')} />;
  return (
    <>
      <ul aria-label={t('effects.list')} className="divide-y divide-line">
        {effects.map((effect) => <EffectRow key={effect.id} effect={effect} />)}
      </ul>
      <MorePages read={read} className="pt-3" />
    </>
  );
}

function EffectRow({ effect }: { effect: EffectView }) {
  const { t } = useTranslation('tips');
  const replay = useAction(replayEffect, showEffect);
  const finish = useAction(finishOrder, showEffect);
  const { id, kind, title, state, done } = effect;
  const what = title || t(`effects.kind.${kind}`);
  const isOfMany = kind === 'goal' || kind === 'split';
  return (
    <li className="flex flex-col gap-1 py-2">
      <div className="flex items-start gap-2">
        <div className="min-w-0 grow">
          <p className={`text-sm font-medium break-words ${done ? 'text-muted line-through' : ''}`}>{what}</p>
          <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
            {title ? <span>{t(`effects.kind.${kind}`)}</span> : null}
            {isOfMany ? null : (
              <span>
                {effect.sender_name === null
                  ? t('anonymousName')
                  : <PersonButton username={effect.sender_name} />}
              </span>
            )}
            <TokenAmount tokens={effect.tokens} />
            <RelativeTime at={effect.at} />
          </p>
        </div>
        <Pill tone={TONES[state]}>{t(`effects.state.${state}`)}</Pill>
        <IconButton
          label={t('effects.replayOf', { what })}
          disabled={state === 'waiting' || replay.busy}
          onClick={() => void replay.run({ id })}
        >
          <RotateCcw size={18} aria-hidden />
        </IconButton>
      </div>
      {done === null
        ? null
        : (
          <Checkbox
            checked={done}
            disabled={finish.busy}
            aria-label={t('effects.doneOf', { what })}
            label={t('effects.done')}
            onChange={(change) => void finish.run({ id, done: change.target.checked })}
          />
        )}
      <FormError problem={replay.problem ?? finish.problem} />
    </li>
  );
}
