import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select } from '#platform/ui/controls/fields.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { excludeSelf, getLimits, takeCoolOff } from '../../client.ts';
import { COOL_OFF_HOURS, SELF_EXCLUSION_DAYS } from '../../rules.ts';
import { useStale } from '../live-past.ts';
import type { Limits } from '../views.ts';

/** The two ways to close one's own spending: a choice of lengths, and a confirmation before it applies. */
export function BreakForm({ limits }: { limits: Limits }) {
  const { t } = useTranslation('ledger');
  const [asking, setAsking] = useState<Ask | null>(null);
  const [hours, setHours] = useState<(typeof COOL_OFF_HOURS)[number]>(COOL_OFF_HOURS[1]);
  const [days, setDays] = useState<(typeof SELF_EXCLUSION_DAYS)[number]>(SELF_EXCLUSION_DAYS[0]);
  return (
    <div className="grid gap-6 md:grid-cols-2">
      <div className="flex flex-col gap-3">
        <h3 className="font-bold">{t('web.break.title')}</h3>
        <p className="text-sm text-muted">{t('web.break.lead')}</p>
        <Running until={limits.cooling_off_until} />
        <Select
          label={t('web.break.length')}
          value={String(hours)}
          options={COOL_OFF_HOURS.map((one) => ({ value: String(one), text: t(`web.break.hours.${one}`) }))}
          onChange={({ target }) => setHours(chosen(COOL_OFF_HOURS, target.value))}
        />
        <div>
          <Button onClick={() => setAsking({ kind: 'break', length: hours })}>{t('web.break.take')}</Button>
        </div>
      </div>
      <div className="flex flex-col gap-3">
        <h3 className="font-bold">{t('web.exclusion.title')}</h3>
        <p className="text-sm text-muted">{t('web.exclusion.lead')}</p>
        <Running until={limits.self_excluded_until} />
        <Select
          label={t('web.exclusion.length')}
          value={String(days)}
          options={SELF_EXCLUSION_DAYS.map((item) => ({
            value: String(item),
            text: t(`web.exclusion.days.${item}`),
          }))}
          onChange={({ target }) => setDays(chosen(SELF_EXCLUSION_DAYS, target.value))}
        />
        <div>
          <Button tone="danger" onClick={() => setAsking({ kind: 'exclusion', length: days })}>
            {t('web.exclusion.take')}
          </Button>
        </div>
      </div>
      {asking === null ? null : <Confirm ask={asking} onClose={() => setAsking(null)} />}
    </div>
  );
}

type Ask =
  | { readonly kind: 'break'; readonly length: (typeof COOL_OFF_HOURS)[number] }
  | { readonly kind: 'exclusion'; readonly length: (typeof SELF_EXCLUSION_DAYS)[number] };

/** The choice that a list's value stands for. */
const chosen = <Choice extends number>(choices: readonly [Choice, ...Choice[]], value: string): Choice =>
  choices.find((choice) => String(choice) === value) ?? choices[0];

function Running({ until }: { until: string | null }) {
  const { t } = useTranslation('ledger');
  if (until === null) return null;
  return (
    <p className="text-sm text-warning-text">
      {t('web.break.running')} <Moment at={until} />
    </p>
  );
}

/** Says what will happen in numbers, and that nobody can undo it; long ones also need a checked box. */
function Confirm({ ask, onClose }: { ask: Ask; onClose: () => void }) {
  const { t } = useTranslation('ledger');
  const toast = useToast();
  const stale = useStale(getLimits);
  const coolOff = useAction(takeCoolOff);
  const exclusion = useAction(excludeSelf);
  const [sure, setSure] = useState(false);
  const { busy, problem } = ask.kind === 'break' ? coolOff : exclusion;
  const text = ask.kind === 'break' ? 'web.break' : 'web.exclusion';
  const length = t(
    ask.kind === 'break' ? `web.break.hours.${ask.length}` : `web.exclusion.days.${ask.length}`,
  );
  const confirm = async () => {
    const done = ask.kind === 'break'
      ? await coolOff.run({ hours: ask.length })
      : await exclusion.run({ days: ask.length });
    if (done === null) return;
    await stale();
    toast(t(`${text}.done`), 'success');
    onClose();
  };
  return (
    <Dialog
      title={t(`${text}.title`)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.cancel')}</Button>
          <Button
            tone="danger"
            busy={busy}
            disabled={ask.kind === 'exclusion' && !sure}
            onClick={() => void confirm()}
          >
            {t(`${text}.confirm`, { length })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{t(`${text}.what`, { length })}</p>
        {ask.kind === 'exclusion'
          ? (
            <Checkbox
              label={t('web.exclusion.sure')}
              checked={sure}
              onChange={({ target }) => setSure(target.checked)}
            />
          )
          : null}
        <FormError problem={problem} />
      </div>
    </Dialog>
  );
}
